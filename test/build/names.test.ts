/** Identifiers and file names use the field's terms, as sentences do. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

const root = join(import.meta.dirname, '..', '..');

/** Everyday words, each with what to write for it. */
const banned: readonly [terms: string, instead: string][] = [
  ['told said', 'reported, messages, output'],
  ['words sentence sentences', 'args, messages, fields'],
  ['patience', 'timeout, debounce, delay'],
  ['late lateness', 'overdue, stale, expired, delayed'],
  ['missed unsaid', 'unreported, missing'],
  ['usual', 'default, expected'],
  ['scene scenes', 'context, clusterState, the cluster under test'],
  ['situation situations', 'given, cases'],
  ['wish wishes', 'desired'],
  ['desk desks', 'session, client'],
  ['door doors', 'clients, ports'],
  ['stranger strangers stray strays spare spares', 'unknown, orphaned, duplicate, surplus'],
  ['brought', 'unmanaged, provided'],
  ['alone', 'unattended, standalone, single'],
  ['rests', 'isIdle'],
  ['arrival arrivals', 'registration, readiness'],
  ['occupies occupant occupants', 'hasResources, blockingResources'],
  ['grave graves', 'tombstone'],
  ['nobody somebody whoever', 'the actor'],
];
const insteadOf = new Map(banned.flatMap(([terms, instead]) => terms.split(' ').map((word) => [word, instead])));

/** Fields and reasons that the store, AWS or the output of a command holds under these names. */
const stored = new Set(['late', 'told', 'missed', 'sentence', 'OperationLate', 'approximateArrivalOfLastRecord']);

/** Files about such words themselves. */
const about = new Set(['words.test.ts']);

type Node = { type: string; [field: string]: unknown };
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The names that a pattern binds. A shorthand takes over the name of its property. */
const bound = (node: unknown): string[] => {
  if (!isNode(node)) return [];
  switch (node.type) {
    case 'Identifier':
      return [node.name as string];
    case 'ObjectPattern':
      return (node.properties as Node[]).flatMap((one) =>
        one.type === 'RestElement' ? bound(one) : one.shorthand ? [] : bound(one.value),
      );
    case 'ArrayPattern':
      return (node.elements as unknown[]).flatMap(bound);
    case 'AssignmentPattern':
      return bound(node.left);
    case 'RestElement':
      return bound(node.argument);
    case 'TSParameterProperty':
      return bound(node.parameter);
    default:
      return [];
  }
};

const fieldsOf = (node: Node): string[] =>
  bound(node.key).filter((name) => !node.computed && !node.shorthand && !stored.has(name));

const declaredBy = (node: Node): string[] => {
  const params = Array.isArray(node.params) ? node.params.flatMap(bound) : [];
  switch (node.type) {
    case 'VariableDeclarator':
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSEnumDeclaration':
      return bound(node.id);
    case 'FunctionDeclaration':
      return [...bound(node.id), ...params];
    case 'TSMethodSignature':
      return [...fieldsOf(node), ...params];
    case 'Property':
    case 'PropertyDefinition':
    case 'MethodDefinition':
    case 'TSPropertySignature':
      return fieldsOf(node);
    case 'ImportSpecifier':
      return node.start === (node.local as Node).start ? [] : bound(node.local);
    case 'ImportDefaultSpecifier':
      return bound(node.local);
    case 'CatchClause':
      return bound(node.param);
    default:
      return params;
  }
};

const namesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (!isNode(value)) return [];
  // A pattern's properties are no fields of their own.
  const children = value.type === 'ObjectPattern' ? patternValues(value) : Object.values(value);
  return [...declaredBy(value), ...children.flatMap(namesIn)];
};
const patternValues = (pattern: Node): unknown[] => (pattern.properties as Node[]).map(({ value }) => value);

const faultOf = (name: string): string | undefined => {
  const parts = name
    .replaceAll(/([a-z0-9])(?=[A-Z])/g, '$1 ')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  const word = parts.find((part) => insteadOf.has(part)) ?? (/at rest/.test(parts.join(' ')) ? 'rests' : undefined);
  return word && `${name}: write ${insteadOf.get(word)}`;
};

const files = globSync('**/*.{ts,mjs,py}', { cwd: root, exclude: ['node_modules/**', '.*/**', 'cdk.out/**'] });
/** Quicker than reading the names of each file. */
const mayOccur = new RegExp(
  [...insteadOf.keys(), 'atRest']
    .flatMap((word) => [`(?<![A-Za-z])${word}`, word[0]!.toUpperCase() + word.slice(1)])
    .map((word) => `${word}(?![a-z])`)
    .join('|'),
);

it('names files in the terms of the field', () => {
  const faults = files.flatMap((file) => (about.has(basename(file)) ? [] : (faultOf(basename(file)) ?? [])));
  expect(faults).toEqual([]);
});

it('names what code declares in the terms of the field', () => {
  const faults = files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    if (!file.endsWith('.ts') || !mayOccur.test(text)) return [];
    const names = new Set(namesIn(parseAst(text, { lang: 'ts' })));
    return [...names].flatMap((name) => faultOf(name) ?? []).map((fault) => `${file}: ${fault}`);
  });
  expect(faults).toEqual([]);
});

it.each([
  ['const told = 1', ['told']],
  ['interface A { told?: string; said(usual: number): void }', ['A', 'said', 'usual']],
  ['const { late, told: said, ...rest } = a', ['said', 'rest']],
  ['const f = ([wish]: B, { desk = 1 }) => ({ scene: wish, desk })', ['f', 'wish', 'scene']],
  ["import { a as alone, told } from './a.ts'", ['alone']],
])('of `%s` reads the names that it declares', (text, names) =>
  expect(namesIn(parseAst(text, { lang: 'ts' }))).toEqual(names));
