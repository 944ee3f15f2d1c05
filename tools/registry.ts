/**
 * The registries of kinds, controllers, meanings of conditions, operations and workflows, made from
 * their folders: `node tools/registry.ts` writes them. A kind is a folder of kinds/ with kind.ts, a
 * controller one with controller.ts, a type of operation one with facts.ts and
 * definition.ts, and causes.ts says what conditions mean; a workflow is a folder of stepfunctions/.
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { KindFacts } from '../machinery/api/kind.ts';
import { type ControllerWiring, wiringOf } from '../machinery/api/wiring.ts';

const root = join(import.meta.dirname, '..');

type Wired = ControllerWiring & { name: string };
interface FoundKind {
  folder: string;
  /** Of the export, in kind.ts as in index.ts. */
  name: string;
  facts: KindFacts;
}
interface FoundController {
  folder: string;
  /** Of the export in controller.ts. */
  name: string;
  controller: Wired;
  /** The providers that it is a function of. */
  providers: string[];
}

/** The exports of each file of this name, with the file's folder relative to kinds/. */
const exportsOf = async (file: string): Promise<{ folder: string; name: string; value: unknown }[]> => {
  const files = globSync(`kinds/**/${file}`, { cwd: root }).sort();
  const modules = await Promise.all(files.map((path) => import(pathToFileURL(join(root, path)).href)));
  return modules.flatMap((module: Record<string, unknown>, i) =>
    Object.entries(module).map(([name, value]) => ({ folder: dirname(files[i]!).slice('kinds/'.length), name, value })),
  );
};

/** As a real API server lists them: built-in kinds first, then groups and resources by name. */
const inDiscoveryOrder = (a: FoundKind, b: FoundKind): number => {
  const keyOf = ({ folder, facts: { group, plural } }: FoundKind) =>
    `${folder.startsWith('kubernetes/') ? 0 : 1} ${group} ${plural}`;
  return keyOf(a) < keyOf(b) ? -1 : 1;
};

const kindsFound = async (): Promise<FoundKind[]> =>
  (await exportsOf('kind.ts'))
    .map(({ value, ...found }) => ({ ...found, facts: value as KindFacts }))
    .sort(inDiscoveryOrder);

/** A controller that needs providers is a function of them. */
const resolved = ({ value, ...found }: { folder: string; name: string; value: unknown }): FoundController => {
  if (typeof value !== 'function') return { ...found, controller: value as Wired, providers: [] };
  const providers: string[] = [];
  const recorder = new Proxy({}, { get: (_, provider: string) => providers.push(provider) && [] });
  return { ...found, controller: value(recorder) as Wired, providers };
};

const controllersFound = async (): Promise<FoundController[]> =>
  (await exportsOf('controller.ts')).map(resolved).sort((a, b) => (a.controller.name < b.controller.name ? -1 : 1));

const header = '// Written by `npm run registry`.\n';

const onDemandOf = (kinds: readonly FoundKind[]): string => {
  const entryOf = ({ folder, name }: FoundKind) =>
    `{ ...${name}, load: async () => (await import('./${folder}/index.ts')).${name} },\n`;
  const namesIn = (folder: string) => kinds.filter((kind) => kind.folder === folder).map(({ name }) => name);
  const imports = [...new Set(kinds.map(({ folder }) => folder))]
    .sort()
    .map((folder) => `import { ${namesIn(folder).join(', ')} } from './${folder}/kind.ts';\n`);
  const entries = (isPublished: boolean) =>
    kinds
      .filter(({ facts }) => (facts.published !== undefined) === isPublished)
      .map(entryOf)
      .join('');
  return `${header}
import type { KindOnDemand } from '../machinery/api/kind.ts';
${imports.join('')}
/** Every kind in discovery order. Its definition is loaded on first use. */
export const kindsOnDemand: readonly KindOnDemand[] = [${entries(false)}];

/** Kinds whose objects the server publishes. */
export const publishedOnDemand: readonly KindOnDemand[] = [${entries(true)}];
`;
};

const fileOf = (provider: string): string => provider.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const workerOf = (worker: string, controllers: readonly FoundController[]): string => {
  const lazily = (path: string, name: string) => `(await import('../${path}.ts')).${name}`;
  const load = ({ folder, name, providers }: FoundController) => {
    const controller = lazily(`${folder}/controller`, name);
    if (providers.length === 0) return controller;
    const given = providers.map((provider) => `${provider}: ${lazily(fileOf(provider), provider)}`);
    return `${controller}({ ${given.join(', ')} })`;
  };
  const entries = controllers
    .filter(({ controller }) => controller.worker === worker)
    .map((found) => `'${found.controller.name}': async () => ${load(found)},\n`);
  return `${header}
/** The controllers of the ${worker} workers, loaded on first use. */
export const controllers = { ${entries.join('')} };
`;
};

const wiringPage = (controllers: readonly FoundController[]): string => `${header}
import type { ControllerWiring } from './machinery/api/wiring.ts';

/**
 * The whole system: which controllers exist, which worker runs each, and what wakes it. Data only;
 * the dispatcher and the deployment read it. machinery/api/wiring.ts explains the fields.
 */
export const controllers = ${JSON.stringify(wiringOf(controllers.map(({ controller }) => controller)))} as const satisfies Record<string, ControllerWiring>;

export type ControllerName = keyof typeof controllers;
`;

const typeOf = ({ folder }: { folder: string }): string => folder.slice('operations/'.length);

const typesOf = (operations: readonly { folder: string; name: string }[]): string => {
  const imports = operations.map((one) => `import { ${one.name} } from './${typeOf(one)}/definition.ts';\n`);
  return `${header}
import type { OperationType } from './facts.ts';
${imports.join('')}import type { OperationDefinition } from './shared/definition.ts';

/** Every type of operation that is served. */
export const operationsByType: Readonly<Record<OperationType, OperationDefinition>> = {
  ${operations.map((one) => `${typeOf(one)}: ${one.name},`).join('\n')}
};

/** Undefined for a type that an earlier or later version stored. */
export const definitionFor = (type: string): OperationDefinition | undefined =>
  Object.hasOwn(operationsByType, type) ? operationsByType[type as OperationType] : undefined;
`;
};

const factsOf = (operations: readonly { folder: string; name: string; value: unknown }[]): string => {
  const placeOf = ({ value }: { value: unknown }) => (value as { place: number }).place;
  const inOrder = operations.toSorted((a, b) => placeOf(a) - placeOf(b));
  const imports = operations.map((one) => `import { ${one.name} } from './${typeOf(one)}/facts.ts';\n`);
  return `${header}
${imports.join('')}import type { OperationFacts } from './shared/facts.ts';

/** Every type of operation, in the order in which a cluster has them. */
export const operationTypes = [${inOrder.map((one) => `'${typeOf(one)}'`).join(', ')}] as const;
export type OperationType = (typeof operationTypes)[number];

export const operationFacts: Readonly<Record<OperationType, OperationFacts>> = {
  ${inOrder.map((one) => `${typeOf(one)}: ${one.name},`).join('\n')}
};

/** Undefined for a type that an earlier or later version stored. */
export const factsOf = (type: string | undefined): OperationFacts | undefined =>
  type !== undefined && Object.hasOwn(operationFacts, type) ? operationFacts[type as OperationType] : undefined;
`;
};

const beginningsOf = (beginnings: readonly { folder: string; name: string }[]): string => `${header}
${beginnings.map((one) => `import { ${one.name} } from './${typeOf(one)}/begin.ts';\n`).join('')}import type { Beginning } from './shared/beginning.ts';

/** How each type of operation begins. */
export const beginnings: Readonly<Record<string, Beginning>> = {
  ${beginnings.map((one) => `${typeOf(one)}: ${one.name},`).join('\n')}
};
`;

const fieldsOf = (fields: readonly { folder: string; name: string }[]): string => {
  const imports = [...Map.groupBy(fields, typeOf)].map(
    ([type, of]) => `import { ${of.map(({ name }) => name).join(', ')} } from './${type}/fields.ts';\n`,
  );
  const allOf = (ending: string) =>
    fields.flatMap(({ name }) => (name.endsWith(ending) ? [`...${name},`] : [])).join('\n');
  return `${header}
${imports.join('')}
/** The fields that types of operations have for themselves. */
export const specFields = {
  ${allOf('Spec')}
};
export const statusFields = {
  ${allOf('Status')}
};
`;
};

const causeRulesOf = (found: readonly { folder: string; name: string }[]): string => `${header}
import type { CauseRules } from './common/causes/index.ts';
${found.map(({ folder, name }) => `import { ${name} } from './${folder}/causes.ts';\n`).join('')}
/** What the conditions of each kind mean for a user who asks why something is not well. */
export const causeRules: readonly CauseRules[] = [${found.map(({ name }) => name).join(', ')}];
`;

const camelCased = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

const workflowsOf = (names: readonly string[]): string => `${header}
import { complete } from './complete.ts';
${names.map((name) => `import ${camelCased(name)} from './${name}/definition.asl.json' with { type: 'json' };\n`).join('')}
export { awaitedInvoke } from './asl.ts';

/** The workflows by name. */
export const definitions = {
  ${names.map((name) => `'${name}': complete(${camelCased(name)}),`).join('\n')}
} as const;

export type DefinitionName = keyof typeof definitions;
export const definitionNames = Object.keys(definitions) as DefinitionName[];
`;

const cloudPort = 'kinds/ports/cloud';

/** The port's actions: a folder of kinds/ports/cloud/ is a service, a file of it a resource. */
const cloudPortOf = (): Record<string, string> => {
  const paths = globSync('*/*.ts', { cwd: join(root, cloudPort), exclude: ['**/*.test.ts'] }).sort();
  const files = paths.map((path) => {
    const text = readFileSync(join(root, cloudPort, path), 'utf8');
    const namesOf = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!);
    return {
      path,
      actions: namesOf(/^export interface (\w+Actions)\b/gm),
      calls: namesOf(/^export const (\w+Calls) = /gm),
      lists: namesOf(/^export const (\w+) = list\b/gm),
    };
  });
  const importing = (names: (file: (typeof files)[number]) => string[], keyword: string) =>
    files
      .filter((file) => names(file).length > 0)
      .map((file) => `${keyword} { ${names(file).join(', ')} } from './${file.path}';\n`)
      .join('');
  const services = [...Map.groupBy(files, ({ path }) => dirname(path))];
  return {
    [`${cloudPort}/actions.ts`]: `${header}
${importing(({ actions }) => actions, 'import type')}
${files.map(({ path }) => `export type * from './${path}';\n`).join('')}
/** Each action's input and output. */
export interface CloudActions extends ${files.flatMap(({ actions }) => actions).join(', ')} {}
`,
    [`${cloudPort}/calls.ts`]: `${header}
${importing(({ calls }) => calls, 'import')}
/** What IAM checks of each call, by service. */
export const calls = {
  ${services.map(([service, of]) => `${service}: [${of.flatMap((file) => file.calls).join(', ')}],\n`).join('')}
} as const;
`,
    [`${cloudPort}/lists.ts`]: `${header}
${importing(({ lists }) => lists, 'import')}
export const lists = { ${files.flatMap(({ lists }) => lists).join(', ')} };
`,
  };
};

const simulatedAccount = 'simulation/aws';

/** The simulated account's actions and collections, each declared in the file of its resource. */
const simulatedAccountOf = (): Record<string, string> => {
  const files = globSync('*.ts', { cwd: join(root, simulatedAccount), exclude: ['*.test.ts', '*.fixture.ts'] }).sort();
  const exported = (pattern: RegExp) =>
    files.flatMap((file) =>
      [...readFileSync(join(root, simulatedAccount, file), 'utf8').matchAll(pattern)].map(([, name]) => ({
        file,
        name: name!,
      })),
    );
  const importing = (found: { file: string; name: string }[]) =>
    found.map(({ file, name }) => `import { ${name} } from './${file}';\n`).join('');
  const actions = exported(/^export const (\w+Actions) = /gm);
  const collections = exported(/^export const (\w+): CollectionOf</gm);
  return {
    [`${simulatedAccount}/actions.ts`]: `${header}
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
${importing(actions)}import type { Handler } from './state.ts';

export const actions: { [A in CloudAction]: Handler<A> } = { ${actions.map(({ name }) => `...${name}`).join(', ')} };

export const actionNames: readonly string[] = Object.keys(actions);
`,
    [`${simulatedAccount}/collections.ts`]: `${header}
import type { Collection, CollectionOf } from './collection.ts';
${importing(collections)}
export const collections = { ${collections.map(({ name }) => name).join(', ')} };

export type Collections = {
  [K in keyof typeof collections]: (typeof collections)[K] extends CollectionOf<infer T> ? Collection<T> : never;
};
`,
  };
};

/** The deployed functions: a file of cdk/lambdas/ with a definition describes the function of its name. */
const lambdasOf = (): Record<string, string> => {
  const names = globSync('*.ts', { cwd: join(root, 'cdk/lambdas') })
    .map((file) => basename(file, '.ts'))
    .filter((name) => readFileSync(join(root, `cdk/lambdas/${name}.ts`), 'utf8').includes('= defineLambda('))
    .sort();
  return {
    'cdk/lambdas/names.ts': `${header}
export const functionNames = [${names.map((name) => `'${name}'`).join(', ')}] as const;
export type FunctionName = (typeof functionNames)[number];
`,
    'cdk/lambdas/index.ts': `${header}
${names.map((name) => `import { ${camelCased(name)} } from './${name}.ts';\n`).join('')}import type { Lambda } from './lambda.ts';
import type { FunctionName } from './names.ts';

/** Every deployed function. */
export const lambdas: Readonly<Record<FunctionName, Lambda>> = {
  ${names.map((name) => `'${name}': ${camelCased(name)},`).join('\n')}
};
`,
  };
};

/** As the formatter writes them. */
const formatted = (texts: Record<string, string>): Record<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-registry-'));
  const placeOf = (path: string) => join(folder, path.replaceAll('/', '-'));
  for (const [path, text] of Object.entries(texts)) writeFileSync(placeOf(path), text);
  execFileSync(join(root, 'node_modules/.bin/biome'), [
    'check',
    '--write',
    `--config-path=${root}`,
    '--vcs-enabled=false',
    folder,
  ]);
  const read = Object.fromEntries(Object.keys(texts).map((path) => [path, readFileSync(placeOf(path), 'utf8')]));
  rmSync(folder, { recursive: true });
  return read;
};

/** What controllers import, so it comes before them. */
const ofOperations = async (): Promise<Record<string, string>> => {
  /** The exports that have this property: a file may export helpers, too. */
  const ofTypes = async (file: string, property?: string) =>
    (await exportsOf(file)).filter(
      ({ folder, value }) =>
        /^operations\/(?!shared$)[a-z]+$/.test(folder) &&
        (property === undefined || (typeof value === 'object' && Object.hasOwn(value ?? {}, property))),
    );
  const workflows = globSync('stepfunctions/*/definition.asl.json', { cwd: root });
  return formatted({
    'kinds/cause-rules.ts': causeRulesOf(
      (await exportsOf('causes.ts')).filter(({ folder }) => folder !== 'common/causes'),
    ),
    'kinds/operations/facts.ts': factsOf(await ofTypes('facts.ts', 'place')),
    'kinds/operations/beginnings.ts': beginningsOf(await ofTypes('begin.ts', 'of')),
    'kinds/operations/fields.ts': fieldsOf(await ofTypes('fields.ts')),
    'kinds/operations/types.ts': typesOf(await ofTypes('definition.ts', 'steps')),
    ...cloudPortOf(),
    ...simulatedAccountOf(),
    ...lambdasOf(),
    'stepfunctions/index.ts': workflowsOf(workflows.map((path) => basename(dirname(path))).sort()),
  });
};

const ofKinds = async (): Promise<Record<string, string>> => {
  const [kinds, controllers] = [await kindsFound(), await controllersFound()];
  const workers = [...new Set(controllers.map(({ controller }) => controller.worker))].sort();
  return formatted({
    'kinds/on-demand.ts': onDemandOf(kinds),
    ...Object.fromEntries(workers.map((worker) => [`kinds/workers/${worker}.ts`, workerOf(worker, controllers)])),
    'wiring.ts': wiringPage(controllers),
  });
};

/** The registries' texts by path. */
export const registries = async (): Promise<Record<string, string>> => ({
  ...(await ofOperations()),
  ...(await ofKinds()),
});

if (import.meta.main) {
  for (const texts of [ofOperations, ofKinds])
    for (const [path, text] of Object.entries(await texts())) writeFileSync(join(root, path), text);
}
