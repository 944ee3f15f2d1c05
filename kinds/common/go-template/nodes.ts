/** The syntax tree of a Go template. */

export type Value =
  | undefined
  | null
  | string
  | number
  /** Go's int, as opposed to the float64 of a number in JSON. */
  | bigint
  | boolean
  | Value[]
  | { [key: string]: Value };

export type Operand =
  | { is: 'dot' }
  | { is: 'nil' }
  | { is: 'literal'; value: string | number | bigint | boolean }
  /** `.a.b`, from dot. */
  | { is: 'field'; names: string[] }
  | { is: 'variable'; name: string; names: string[] }
  | { is: 'function'; name: string }
  | { is: 'pipe'; pipe: Pipe }
  /** A parenthesized pipe, and fields of its value. */
  | { is: 'chain'; of: Operand; names: string[] };

export interface Command {
  operands: Operand[];
}

export interface Pipe {
  /** Variables that take its value; for a range, the index and the element. */
  variables: string[];
  /** `=` instead of `:=`. */
  assigns: boolean;
  commands: Command[];
}

export type Node =
  | { is: 'text'; text: string }
  | { is: 'action'; pipe: Pipe }
  | { is: 'if' | 'with' | 'range'; pipe: Pipe; then: Node[]; otherwise: Node[] }
  | { is: 'template'; name: string; pipe: Pipe | undefined }
  | { is: 'break' }
  | { is: 'continue' };

export type Templates = ReadonlyMap<string, Node[]>;

/** What is wrong with a template, or with what it does. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}
