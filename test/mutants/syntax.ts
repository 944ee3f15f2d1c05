/**
 * Finds and compares code by its syntax tree, so that formatting, comments and parentheses do not matter. Uses Vitest's
 * parser, because TypeScript 7 has no stable parser API.
 */
import { parseAst } from 'vitest/node';

export interface Node {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}
/** A node with its place in its parent. */
export interface Place {
  node: Node;
  parent?: Place;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The fields with the position or the notation of a node. */
const written = new Set(['start', 'end', 'raw']);

export const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));

export const parse = (source: string): Node => parseAst(source, { lang: 'ts' }) as unknown as Node;

/** Every node in it, itself first. */
export function* walk(node: Node, parent?: Place): Generator<Place> {
  const place = { node, ...(parent && { parent }) };
  yield place;
  for (const child of childrenOf(node)) yield* walk(child, place);
}

const isAny = (pattern: Node): boolean =>
  (pattern.type === 'Identifier' && pattern.name === '_') ||
  (pattern.type === 'ExpressionStatement' && isAny(pattern.expression as Node));

/** Whether the code is the same; `_` in the pattern is any expression or statement. */
export const matches = (pattern: unknown, code: unknown): boolean => {
  if (Array.isArray(pattern))
    return (
      Array.isArray(code) && pattern.length === code.length && pattern.every((one, index) => matches(one, code[index]))
    );
  if (!isNode(pattern)) {
    if (typeof pattern !== 'object' || pattern === null) return pattern === code;
    // The value of a template element or a regular expression.
    return JSON.stringify(pattern) === JSON.stringify(code);
  }
  if (!isNode(code)) return false;
  if (isAny(pattern)) return true;
  if (pattern.type !== code.type) return false;
  const fields = new Set([...Object.keys(pattern), ...Object.keys(code)].filter((field) => !written.has(field)));
  return [...fields].every((field) => matches(pattern[field], code[field]));
};

const only = (list: unknown): unknown => (Array.isArray(list) && list.length === 1 ? list[0] : undefined);
const expressionIn = (statement: Node) => statement.expression as Node;

/** The possible kinds of a piece of code, and its place in a program. */
const readings: readonly [before: string, after: string, find: (statement: Node) => unknown][] = [
  ['async function* f() { (', '); }', expressionIn],
  ['async function* f() { ({', '}); }', (statement) => only(expressionIn(statement).properties)],
  ['async function* f() { [', ']; }', (statement) => only(expressionIn(statement).elements)],
  ['async function* f() { ', '\n}', (statement) => statement],
];

/** The node of a piece of code: an expression, a property, an element or a statement. */
export const nodeOf = (code: string): Node => {
  for (const [before, after, find] of readings)
    try {
      const [declared] = parse(before + code + after).body as Node[];
      const statement = only((declared!.body as Node).body);
      const node = isNode(statement) ? find(statement) : undefined;
      if (isNode(node)) return node;
    } catch {
      // It is of another kind.
    }
  throw new Error(`${code} is no piece of TypeScript`);
};

/** The name of a declaration, or of a property with this value. */
const nameIn = ({ type, id, key }: Node): string | undefined => {
  if (!/^(VariableDeclarator|FunctionDeclaration|ClassDeclaration|MethodDefinition|Property)$/.test(type))
    return undefined;
  const named = (id ?? key) as Node | undefined;
  return named?.type === 'Identifier' ? (named.name as string) : undefined;
};
/** The names of the declarations around a place, the outermost first. */
export const scopeOf = ({ node, parent }: Place): string[] => {
  const name = nameIn(node);
  return [...(parent ? scopeOf(parent) : []), ...(name ? [name] : [])];
};

/** Whether a declaration with these names, such as `createWork.retry`, encloses the place. */
export const isWithin = (place: Place, names: string): boolean => {
  const scope = scopeOf(place);
  let from = 0;
  return names.split('.').every((name) => {
    const at = scope.indexOf(name, from);
    from = at + 1;
    return at >= 0;
  });
};
