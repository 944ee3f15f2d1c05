/** A seeded defect: a change of the syntax of one declaration in one file. */
import { isNode, isWithin, matches, type Node, nodeOf, type Place, parse, walk } from './syntax.ts';

/** Code is compared by its syntax tree; `_` stands for any expression or statement. */
export type Change =
  /** A statement, an element, a property, an argument, or an operand. */
  | { drop: string }
  /** The condition of an `if` or a conditional expression. */
  | { condition: string; by: string }
  | { replace: string; by: string }
  /** Swaps two statements, elements or operands. */
  | { swap: readonly [string, string] };

interface Described {
  /** What the system then does wrong. */
  name: string;
  file: string;
  /** Path prefixes of the tests that may detect it, cheapest first; the simulation comes after them. */
  suites: readonly string[];
}
/** In TypeScript: `in` names the declaration, with those around it where its name is not enough. */
export type CodeMutant = Described & { in: string } & Change;
/** In JSON: the value at a path. */
export type JsonMutant = Described & { at: readonly string[]; was: unknown; set: unknown };
export type Mutant = CodeMutant | JsonMutant;

const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const lists = ['body', 'elements', 'properties', 'arguments', 'params', 'consequent'];

const isCondition = ({ node, parent }: Place): boolean =>
  /^(IfStatement|ConditionalExpression)$/.test(parent?.node.type ?? '') && parent!.node.test === node;

/** The only place of the code in the declaration. */
const placeOf = (
  program: Node,
  { in: names, file }: CodeMutant,
  code: string,
  isMeant: (place: Place) => boolean = () => true,
): Place => {
  const pattern = nodeOf(code);
  const found = [...walk(program)].filter(
    (place) => matches(pattern, place.node) && isWithin(place, names) && isMeant(place),
  );
  // An expression statement is found twice: as a statement, and as its expression.
  const outermost = found.filter((one) => !found.includes(one.parent!));
  if (outermost.length !== 1)
    throw new Error(`${code} is ${outermost.length === 0 ? 'not' : 'more than once'} in ${names} of ${file}`);
  return outermost[0]!;
};

const textOf = (source: string, { start, end }: Node) => source.slice(start, end);
const put = (source: string, { start, end }: Pick<Node, 'start' | 'end'>, text: string) =>
  source.slice(0, start) + text + source.slice(end);

const dropped = (source: string, { node, parent: around }: Place): string => {
  if (around?.node.type === 'ExpressionStatement') return dropped(source, around);
  const operands = [around?.node.left, around?.node.right].filter(isNode);
  if (/^(Logical|Binary)Expression$/.test(around?.node.type ?? '')) {
    const other = operands.find((one) => one !== node)!;
    // Its own parentheses, if any, are not part of it.
    const isLoose = /^(Logical|Binary|Conditional)Expression$/.test(other.type);
    return put(source, around!.node, isLoose ? `(${textOf(source, other)})` : textOf(source, other));
  }
  const isMember = around && lists.some((field) => isList(around.node[field]) && around.node[field].includes(node));
  if (/Statement$|Declaration$/.test(node.type)) return put(source, node, isMember ? '' : ';');
  if (!isMember) throw new Error(`${textOf(source, node)} cannot be left out`);
  const comma = /^\s*,/.exec(source.slice(node.end))?.[0].length ?? 0;
  const before = comma === 0 ? (/,\s*$/.exec(source.slice(0, node.start))?.[0].length ?? 0) : 0;
  return put(source, { start: node.start - before, end: node.end + comma }, '');
};

const changed = (mutant: CodeMutant, source: string): string => {
  const program = parse(source);
  const find = (code: string) => placeOf(program, mutant, code);
  if ('drop' in mutant) return dropped(source, find(mutant.drop));
  if ('condition' in mutant)
    return put(source, placeOf(program, mutant, mutant.condition, isCondition).node, mutant.by);
  if ('replace' in mutant) {
    const { node } = find(mutant.replace);
    return put(source, node, mutant.by);
  }
  const [one, other] = mutant.swap.map((code) => find(code).node).sort((a, b) => a.start - b.start) as [Node, Node];
  return put(put(source, other, textOf(source, one)), one, textOf(source, other));
};

const changedJson = ({ file, at, was, set }: JsonMutant, source: string): string => {
  const document = JSON.parse(source) as Record<string, unknown>;
  const holder = at
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
  const key = at.at(-1)!;
  if (JSON.stringify((holder as Record<string, unknown> | undefined)?.[key]) !== JSON.stringify(was))
    throw new Error(`${at.join('.')} of ${file} is not ${JSON.stringify(was)}`);
  (holder as Record<string, unknown>)[key] = set;
  return JSON.stringify(document, null, 2);
};

/** The file with the defect; throws when the code is missing or ambiguous. */
export const mutated = (mutant: Mutant, source: string): string => {
  const result = 'at' in mutant ? changedJson(mutant, source) : changed(mutant, source);
  if (result === source) throw new Error(`${mutant.name}: nothing changes`);
  return result;
};
