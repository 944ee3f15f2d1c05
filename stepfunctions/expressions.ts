/** The subset of JSONata that AWS, emulators and local/workflow evaluate alike: paths, literals, =, & and in. */
import jsonata from 'jsonata';
import type { JsonValue } from '../machinery/api/object.ts';

/** Fields that the library's types omit. */
interface Node {
  type: string;
  value?: unknown;
  steps?: Node[];
  expressions?: Node[];
  arguments?: Node[];
  procedure?: Node;
  lhs?: Node;
  rhs?: Node;
  [part: string]: unknown;
}

const operators = ['=', '&', 'in'];
const functions = ['exists', 'string'];
/** Permitted fields of a node besides its position. Others, such as filters and groups, are not portable. */
const parts: Record<string, string[]> = {
  path: ['steps'],
  name: ['value'],
  variable: ['value'],
  string: ['value'],
  number: ['value'],
  value: ['value'],
  binary: ['value', 'lhs', 'rhs'],
  unary: ['value', 'expressions', 'consarray'],
  function: ['name', 'value', 'procedure', 'arguments'],
};

const faultsOfNode = (node: Node): string[] => {
  const allowed = parts[node.type];
  if (!allowed) return [`there is no ${node.type}`];
  const unknown = Object.keys(node).filter((part) => !['type', 'position', ...allowed].includes(part));
  if (unknown.length > 0) return [`a ${node.type} has no ${unknown.join(', ')}`];
  switch (node.type) {
    case 'path':
      return (node.steps ?? []).flatMap((step, index) =>
        step.type === 'name' || (index === 0 && step.type === 'variable')
          ? faultsOfNode(step)
          : [`a path leads along names, not along a ${step.type}`],
      );
    case 'variable':
      return node.value === '' || node.value === '$' ? ['there is nothing that $ means'] : [];
    case 'binary':
      return operators.includes(String(node.value))
        ? [node.lhs!, node.rhs!].flatMap(faultsOfNode)
        : [`there is no ${node.value}`];
    case 'unary':
      return node.value === '[' ? (node.expressions ?? []).flatMap(faultsOfNode) : [`there is no ${node.value}`];
    case 'function': {
      const name = String(node.procedure?.value);
      if (!functions.includes(name)) return [`there is no function $${name}`];
      return (node.arguments ?? []).flatMap(faultsOfNode);
    }
    default:
      return [];
  }
};

const pathsOf = (node: Node): string[] => {
  if (node.type === 'path') return [`$${(node.steps ?? []).map(({ value }) => String(value)).join('.')}`];
  return [node.lhs, node.rhs, ...(node.expressions ?? []), ...(node.arguments ?? [])].flatMap((inner) =>
    inner ? pathsOf(inner) : [],
  );
};

const expressionsIn = (template: JsonValue | undefined): string[] => {
  if (typeof template === 'string') return /\{%|%\}/.test(template) ? [template] : [];
  return typeof template === 'object' && template !== null ? Object.values(template).flatMap(expressionsIn) : [];
};

const parsed = (text: string): Node | string => {
  const source = /^\{%([\s\S]*)%\}$/.exec(text)?.[1];
  if (source === undefined) return 'an expression is all of its string';
  try {
    return jsonata(source).ast() as Node;
  } catch (error) {
    return (error as Error).message;
  }
};

/** Errors of the expressions in a template, each with its expression. */
export const faultsIn = (template: JsonValue | undefined): string[] =>
  expressionsIn(template).flatMap((text) => {
    const node = parsed(text);
    return (typeof node === 'string' ? [node] : faultsOfNode(node)).map((fault) => `${text}: ${fault}`);
  });

/** All paths that a template reads, such as `$states.input.operation`. */
export const readsOf = (template: JsonValue | undefined): string[] =>
  expressionsIn(template).flatMap((text) => {
    const node = parsed(text);
    return typeof node === 'string' ? [] : pathsOf(node);
  });
