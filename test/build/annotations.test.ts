/** docs/annotations.md: every annotation of Capstan that a user may set, with what admission answers to another value. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { kinds } from '../../kinds/index.ts';
import { type Admission, apiVersionOf, type FieldError } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { example } from '../system/manifests.ts';
import { others, type UserAnnotation, userAnnotations } from './annotations.ts';

const root = join(import.meta.dirname, '../..');
const quickstart = example('quickstart.yaml');
const admission = { now: Date.UTC(2026, 0, 1) } as unknown as Admission;
const sizes = { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '20' };

const machineDeployment = quickstart.find(({ kind }) => kind === 'MachineDeployment')?.spec as {
  template: { spec: object };
};
/** Specs without which the validation of their kinds would not come to the annotations. */
const specs: Record<string, object | undefined> = {
  Cluster: quickstart.find(({ kind }) => kind === 'Cluster')?.spec as object,
  MachineDeployment: machineDeployment,
  MachineSet: machineDeployment,
  Machine: machineDeployment.template.spec,
  MachineHealthCheck: { clusterName: 'c', selector: {}, checks: {} },
  AWSMachineTemplate: { template: { spec: { instanceType: 't3.large', spotMarketOptions: {} } } },
};

/** An object of the kind with this annotation. */
const objectWith = ({ kind, name, isOfTemplate }: UserAnnotation, value: string): KubeObject => {
  const annotations = { ...(kind === 'MachineDeployment' && sizes), [`capstan.dev/${name}`]: value };
  const spec = (specs[kind] ?? {}) as { template?: object };
  const metadata = { name: 'c', namespace: 'default', ...(!isOfTemplate && { annotations }) };
  const { group, versions } = kinds.find((one) => one.kind === kind)!;
  return {
    apiVersion: apiVersionOf(group, versions.find(({ storage }) => storage)!.name),
    kind,
    metadata,
    spec: isOfTemplate ? { ...spec, template: { ...spec.template, metadata: { annotations } } } : spec,
  };
};

const faultsOf = (annotation: UserAnnotation, value: string): FieldError[] => {
  const definition = kinds.find(({ kind }) => kind === annotation.kind)!;
  const faults = definition.validate?.(objectWith(annotation, value), admission) ?? [];
  return faults.filter(({ field }) => field.includes(`capstan.dev/${annotation.name}]`));
};
/** What admission asks of a value, as it answers to nonsense. */
const ruleOf = (annotation: UserAnnotation): string => {
  if (annotation.isRequest) return 'any text';
  return faultsOf(annotation, '!')[0]?.detail?.replaceAll('|', '\\|') ?? 'any text';
};

const page = (): string => {
  const sections = [...new Set(userAnnotations.map(({ kind }) => kind))].map((kind) => [
    `## ${kind}`,
    '',
    '| annotation | meaning | value | example |',
    '|---|---|---|---|',
    ...userAnnotations
      .filter((one) => one.kind === kind)
      .map((one) => {
        const where = one.isOfTemplate ? ' (in `spec.template.metadata`)' : '';
        return `| \`capstan.dev/${one.name}\`${where} | ${one.says} | ${ruleOf(one)} | \`${one.example}\` |`;
      }),
    '',
  ]);
  return [
    '# Annotations that you may set',
    '',
    '```sh',
    'kubectl annotate cluster my-cluster capstan.dev/protected=true',
    'kubectl annotate cluster my-cluster capstan.dev/protected-',
    '```',
    '',
    'The column *value* is what the API answers when a value is wrong, and this page is generated from',
    'these answers. Annotations of Cluster API and its AWS provider mean what they mean there, but for',
    '[some](not-acted-on.md#labels-and-annotations). Those that only controllers set are in',
    '[differences](differences.md): the API refuses a change of them.',
    '',
    ...sections.flat(),
  ].join('\n');
};

it('matches docs/annotations.md', async () => {
  await expect(page()).toMatchFileSnapshot(join(root, 'docs/annotations.md'));
});

it.each(userAnnotations)('$kind takes the example of $name, and refuses nonsense unless it takes any text', (one) => {
  expect(faultsOf(one, one.example)).toEqual([]);
  if (!one.isRequest) expect(faultsOf(one, '!')).not.toEqual([]);
});

it('knows every key of Capstan in the code', () => {
  const written = ['kinds', 'machinery', 'runtime', 'adapters'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(path))
      .flatMap((path) => [...readFileSync(join(root, folder, path), 'utf8').matchAll(/'capstan\.dev\/([a-z-]+)'/g)])
      .map(([, name]) => name!),
  );
  const known = new Set([
    ...userAnnotations.map(({ name }) => name),
    ...Object.values(others).flat(),
    ...kinds.flatMap(({ reservedAnnotations = [] }) => reservedAnnotations.map((key) => key.split('/')[1]!)),
  ]);
  expect([...new Set(written)].filter((name) => !known.has(name)).toSorted()).toEqual([]);
});
