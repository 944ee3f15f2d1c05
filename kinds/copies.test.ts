/**
 * Values that a controller copies from an object of one kind into one of another kind. The kind
 * where a value enters must admit nothing that the other refuses: its controller could not write it.
 */
import { describe, expect, it } from 'vitest';
import { type FieldError, type KindDefinition, storageVersion } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { JsonSchema } from '../machinery/api/schema.ts';
import { prepareObject } from '../machinery/server/prepare.ts';
import { validateStructure } from '../machinery/server/structural/validate.ts';
import { kinds } from './index.ts';

type Fields = Record<string, unknown>;

const kindOf = (name: string): KindDefinition => kinds.find(({ kind }) => kind === name)!;
const schemaAt = (kind: string, path: string): JsonSchema =>
  path.split('.').reduce<JsonSchema>((schema, name) => schema.properties![name]!, storageVersion(kindOf(kind)).schema);

const tighter: Record<string, (from: unknown, to: unknown) => boolean> = {
  maxLength: (from, to) => from === undefined || Number(from) > Number(to),
  maximum: (from, to) => from === undefined || Number(from) > Number(to),
  minimum: (from, to) => from === undefined || Number(from) < Number(to),
  maxItems: (from, to) => from === undefined || Number(from) > Number(to),
  pattern: (from, to) => from !== to,
  format: (from, to) => from !== to,
  enum: (from, to) => !Array.isArray(from) || from.some((one) => !(to as unknown[]).includes(one)),
};

/** Rules of `to` that `from` lacks. Controllers copy no empty values. */
const lacking = (from: JsonSchema, to: JsonSchema, path: string): string[] => [
  ...Object.entries(tighter).flatMap(([rule, isTighter]) => {
    const [have, need] = [(from as Fields)[rule], (to as Fields)[rule]];
    return need !== undefined && isTighter(have, need) ? [`${path}: ${rule}`] : [];
  }),
  ...Object.entries(to.properties ?? {}).flatMap(([name, of]) => {
    const own = from.properties?.[name];
    return own ? lacking(own, of, `${path}.${name}`) : [];
  }),
  ...(from.items && to.items ? lacking(from.items, to.items, `${path}[]`) : []),
];

interface Copy {
  from: [kind: string, path: string];
  to: [kind: string, path: string];
  /** Rules that the kind's own validation adds to its schema. */
  validated?: string[];
  /** Rules that no copied value can break, and why. */
  impossible?: Record<string, string>;
}

const copies: Copy[] = [
  {
    from: ['AWSCluster', 'spec.controlPlaneEndpoint'],
    to: ['Cluster', 'spec.controlPlaneEndpoint'],
    validated: ['spec.controlPlaneEndpoint.port: maximum', 'spec.controlPlaneEndpoint.port: minimum'],
  },
  {
    from: ['AWSMachine', 'spec.providerID'],
    to: ['Machine', 'spec.providerID'],
    validated: ['spec.providerID: maxLength'],
  },
  {
    from: ['AWSMachine', 'status.addresses'],
    to: ['Machine', 'status.addresses'],
    impossible: { 'status.addresses: maxItems': 'the controller reports a few addresses of one interface' },
  },
  { from: ['KubeadmConfig', 'status.dataSecretName'], to: ['Machine', 'spec.bootstrap.dataSecretName'] },
  { from: ['KubeadmControlPlane', 'spec.version'], to: ['Machine', 'spec.version'] },
  { from: ['KubeadmControlPlane', 'spec.machineTemplate.spec'], to: ['Machine', 'spec'] },
  { from: ['KubeadmControlPlane', 'spec.kubeadmConfigSpec'], to: ['KubeadmConfig', 'spec'] },
  { from: ['MachineDeployment', 'spec.template.spec'], to: ['MachineSet', 'spec.template.spec'] },
  { from: ['MachineSet', 'spec.template.spec'], to: ['Machine', 'spec'] },
  { from: ['KubeadmConfigTemplate', 'spec.template.spec'], to: ['KubeadmConfig', 'spec'] },
  { from: ['AWSMachineTemplate', 'spec.template.spec'], to: ['AWSMachine', 'spec'] },
];

it.each(copies)('what $from.0 $from.1 admits, $to.0 $to.1 admits', ({ from, to, validated = [], impossible = {} }) => {
  const left = [...validated, ...Object.keys(impossible)];
  expect(lacking(schemaAt(...from), schemaAt(...to), from[1]).sort()).toEqual(left.sort());
});

const object = (kind: string, spec: Fields): KubeObject => {
  const { group } = kindOf(kind);
  const { name: version } = storageVersion(kindOf(kind));
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: 'demo', namespace: 'default' }, spec };
};
const admission = { user: { username: 'user', groups: [] }, dryRun: false };
const faultsOf = (kind: string, spec: Fields, old?: Fields): FieldError[] => {
  const next = object(kind, spec);
  const structure = validateStructure(next, storageVersion(kindOf(kind)).schema);
  const own = kindOf(kind).validate?.(next, {
    ...admission,
    operation: old ? 'update' : 'create',
    ...(old && { old: object(kind, old) }),
  });
  return [...structure, ...(own ?? [])];
};

describe('a value that the copying controller could not write', () => {
  const endpoint = (port: number) => ({ region: 'eu-west-1', controlPlaneEndpoint: { host: 'api.example.com', port } });
  const machine = (length: number) => ({ instanceType: 't3.large', providerID: 'x'.repeat(length) });
  const template = (value: string) => ({
    template: { metadata: { labels: { team: value } }, spec: { instanceType: 't3.large' } },
  });
  it.each<{ rule: string; kind: string; spec: Fields; old?: Fields; field?: string }>([
    { rule: 'is refused above', kind: 'AWSCluster', spec: endpoint(70_000), field: 'spec.controlPlaneEndpoint.port' },
    { rule: 'is refused below', kind: 'AWSCluster', spec: endpoint(-1), field: 'spec.controlPlaneEndpoint.port' },
    { rule: 'is admitted at its limit', kind: 'AWSCluster', spec: endpoint(65_535) },
    { rule: 'is admitted unset', kind: 'AWSCluster', spec: endpoint(0) },
    { rule: 'can be corrected', kind: 'AWSCluster', spec: endpoint(443), old: endpoint(70_000) },
    { rule: 'is kept while it is stored', kind: 'AWSCluster', spec: endpoint(70_000), old: endpoint(70_000) },
    {
      rule: 'is immutable once it is valid',
      kind: 'AWSCluster',
      spec: endpoint(443),
      old: endpoint(6443),
      field: 'spec.controlPlaneEndpoint',
    },
    { rule: 'is refused when it is too long', kind: 'AWSMachine', spec: machine(513), field: 'spec.providerID' },
    { rule: 'is admitted at its full length', kind: 'AWSMachine', spec: machine(512) },
    {
      rule: 'is refused as a label of copies',
      kind: 'AWSMachineTemplate',
      spec: template('not a label!'),
      field: 'spec.template.metadata.labels',
    },
    { rule: 'is admitted as a valid label', kind: 'AWSMachineTemplate', spec: template('payments') },
  ])('$rule: $kind', ({ kind, spec, old, field }) =>
    expect(faultsOf(kind, spec, old).map((one) => one.field)).toEqual(field ? [field] : []));
});

it('does not keep a controller from the status of an object that an older version admitted', () => {
  const stored = object('Cluster', { clusterNetwork: { apiServerPort: 70_000 } });
  const next = { ...stored, status: { phase: 'Pending' } };
  expect(() => prepareObject(kindOf('Cluster'), next)).toThrow('spec.clusterNetwork.apiServerPort');
  expect(prepareObject(kindOf('Cluster'), next, stored).status).toEqual({ phase: 'Pending' });
});
