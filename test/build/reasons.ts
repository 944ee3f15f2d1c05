/** Finds the reasons that the sources of kinds give to conditions, by their syntax. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { childrenOf, type Node, parse } from '../mutants/syntax.ts';

const root = join(import.meta.dirname, '../..');

export interface Given {
  file: string;
  reason: string;
}

interface Source {
  file: string;
  program: Node;
  /** Names of parameters by the name of the function. */
  parameters: Map<string, string[]>;
  /** String constants by name. */
  constants: Map<string, string>;
}

const all = function* (node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* all(child);
};

const wrappers = ['TSAsExpression', 'TSSatisfiesExpression', 'ParenthesizedExpression', 'TSNonNullExpression'];
const bare = (node: Node | undefined): Node | undefined =>
  node && wrappers.includes(node.type) ? bare(node.expression as Node) : node;

const nameOf = (pattern: Node): string =>
  pattern.type === 'Identifier'
    ? (pattern.name as string)
    : pattern.type === 'AssignmentPattern'
      ? nameOf(pattern.left as Node)
      : '';

const read = (file: string): Source => {
  const program = parse(readFileSync(join(root, file), 'utf8'));
  const source: Source = { file, program, parameters: new Map(), constants: new Map() };
  for (const node of all(program)) {
    if (node.type !== 'VariableDeclarator') continue;
    const [name, value] = [nameOf(node.id as Node), bare(node.init as Node | undefined)];
    if (value?.type === 'ArrowFunctionExpression') source.parameters.set(name, (value.params as Node[]).map(nameOf));
    if (value?.type === 'Literal' && typeof value.value === 'string') source.constants.set(name, value.value);
  }
  return source;
};

const literals = (node: Node | undefined, source: Source): string[] => {
  const value = bare(node);
  switch (value?.type) {
    case 'Literal':
      return typeof value.value === 'string' ? [value.value] : [];
    case 'ConditionalExpression':
      return [...literals(value.consequent as Node, source), ...literals(value.alternate as Node, source)];
    case 'LogicalExpression':
      return [...literals(value.left as Node, source), ...literals(value.right as Node, source)];
    case 'Identifier':
      return [source.constants.get(value.name as string) ?? []].flat();
    default:
      return [];
  }
};

const property = (object: Node, name: string): Node | undefined =>
  (object.properties as Node[]).find(({ key }) => (key as Node | undefined)?.name === name)?.value as Node | undefined;

/** Events, faults of fields and decisions about pods have reasons, too. */
const isOther = (object: Node, source: Source): boolean =>
  property(object, 'field') !== undefined ||
  literals(property(object, 'type'), source).some((type) => type === 'Warning' || type === 'Normal');

const isReason = (text: string): boolean => /^[A-Z][A-Za-z]+$/.test(text);

/** In objects with a reason, and in calls of functions with a parameter `reason`. */
export const reasonsIn = (patterns: readonly string[]): Given[] => {
  const files = patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !/\.(test|fixture)\.ts$/.test(file));
  const sources = files.map(read);
  const parameters = new Map(sources.flatMap((source) => [...source.parameters]));
  const found = sources.flatMap((source) =>
    [...all(source.program)]
      .flatMap((node): string[] => {
        if (node.type === 'ObjectExpression')
          return isOther(node, source) ? [] : literals(property(node, 'reason'), source);
        const callee = node.type === 'CallExpression' ? (node.callee as Node) : undefined;
        if (callee?.type !== 'Identifier' || callee.name === 'event') return [];
        const names = source.parameters.get(callee.name as string) ?? parameters.get(callee.name as string) ?? [];
        return literals((node.arguments as Node[])[names.indexOf('reason')], source);
      })
      .map((reason) => ({ file: source.file, reason })),
  );
  return found.filter(({ reason }) => isReason(reason));
};

/** The kind's folder. */
export const folderOf = ({ file }: Given): string => dirname(file);
