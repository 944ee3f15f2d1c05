import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { creationNote, creationOf, flowOf, inPlaceFields, namesInCreation, newName } from './creation.ts';
import type { MachineSet } from './schema.ts';

const machineSet = (spec: object = {}, metadata: object = {}): MachineSet =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: { name: 'workers', namespace: 'default', uid: 'set', ...metadata },
    spec: {
      clusterName: 'demo',
      template: { spec: { clusterName: 'demo', version: 'v1.35.0', bootstrap: { configRef: { name: 'template' } } } },
      ...spec,
    },
  }) as unknown as MachineSet;
const noted = (text: string) => machineSet({}, { annotations: { 'capstan.dev/creating': text } });

describe('recorded names', () => {
  it.each([
    { rule: 'are empty at first', of: machineSet(), is: [] },
    { rule: 'are empty beside other annotations', of: machineSet({}, { annotations: { other: '["a"]' } }), is: [] },
    { rule: 'are read from the list', of: noted('["a","b"]'), is: ['a', 'b'] },
    { rule: 'skip numbers', of: noted('["a",1,null]'), is: ['a'] },
    { rule: 'are empty when the record is not a list', of: noted('{"a":1}'), is: [] },
    { rule: 'are empty when the record is not JSON', of: noted('a, b'), is: [] },
  ])('$rule', ({ of, is }) => expect(namesInCreation(of)).toEqual(is));
  it('are removed with the last one', () => {
    expect(creationNote(['a'])).toBe('["a"]');
    expect(creationNote([])).toBeNull();
  });
});

describe('a new Machine name', () => {
  const context = { random: { suffix: (length: number) => 'x'.repeat(length) } } as unknown as Context;
  it.each([
    { rule: 'is the name of the set with a random suffix', of: machineSet(), is: 'workers-xxxxx' },
    {
      rule: 'follows the naming template',
      of: machineSet({ machineNaming: { template: '{{ .cluster.name }}-of-{{ .machineSet.name }}-{{ .random }}' } }),
      is: 'demo-of-workers-xxxxx',
    },
    { rule: 'has a default for an empty naming strategy', of: machineSet({ machineNaming: {} }), is: 'workers-xxxxx' },
  ])('$rule', ({ of, is }) => expect(newName(of, context)).toBe(is));
});

describe('the labels of a Machine and its parts', () => {
  it('are the set’s own labels and those of the template', () => {
    expect(flowOf(machineSet())).toEqual({
      labels: { 'cluster.x-k8s.io/set-name': 'workers', 'cluster.x-k8s.io/cluster-name': 'demo' },
      annotations: {},
    });
    const template = { metadata: { labels: { tier: 'one' }, annotations: { note: 'n' } }, spec: {} };
    const labels = { 'cluster.x-k8s.io/deployment-name': 'deployment', other: 'stays' };
    expect(flowOf(machineSet({ template }, { labels }))).toEqual({
      labels: {
        tier: 'one',
        'cluster.x-k8s.io/set-name': 'workers',
        'cluster.x-k8s.io/deployment-name': 'deployment',
        'cluster.x-k8s.io/cluster-name': 'demo',
      },
      annotations: { note: 'n' },
    });
  });
});

describe('a field that is updated in place', () => {
  const all = {
    readinessGates: [{ conditionType: 'Ready' }],
    deletion: { nodeDrainTimeoutSeconds: 5 },
    minReadySeconds: 0,
    taints: [{ key: 'a', effect: 'NoSchedule' }],
  };
  it.each(Object.entries(all))('is %s, when the set specifies it', (field, value) => {
    const fields = inPlaceFields(machineSet({ template: { spec: { [field]: value, version: 'v1.35.0' } } }));
    expect(fields).toEqual({ [field]: value });
  });
  it('does not exist by default', () => expect(inPlaceFields(machineSet())).toEqual({}));
});

describe('the creation of a Machine', () => {
  const template = (kind: string): KubeObject => ({
    apiVersion: 'example.com/v1',
    kind: `${kind}Template`,
    metadata: { name: 'template', namespace: 'default' },
    spec: { template: { spec: { of: kind } } },
  });
  const templates = { infrastructure: template('Host'), bootstrap: template('Config') };
  const made = (
    existing = { infraMachine: false, bootstrapConfig: false },
    parts: Parameters<typeof creationOf>[2] = templates,
  ) =>
    creationOf('workers-1', machineSet(), parts, existing).map((action) => {
      if (action.do !== 'create') throw new Error(action.do);
      expect(action.group).toBe('workers-1');
      return action.object as KubeObject<{ infrastructureRef?: object; bootstrap?: object; version?: string }>;
    });
  const kinds = (objects: KubeObject[]) => objects.map(({ kind }) => kind);

  it('follows that of its references, with its finalizer from the start', () => {
    const [config, host, machine] = made();
    expect(kinds(made())).toEqual(['Config', 'Host', 'Machine']);
    expect(machine!.metadata).toMatchObject({
      name: 'workers-1',
      namespace: 'default',
      finalizers: ['machine.cluster.x-k8s.io'],
      ownerReferences: [{ kind: 'MachineSet', name: 'workers', uid: 'set', controller: true }],
    });
    expect(machine!.spec).toMatchObject({
      clusterName: 'demo',
      version: 'v1.35.0',
      infrastructureRef: { apiGroup: 'example.com', kind: 'Host', name: 'workers-1' },
      bootstrap: { configRef: { apiGroup: 'example.com', kind: 'Config', name: 'workers-1' } },
    });
    for (const part of [config!, host!]) {
      expect(part.metadata.ownerReferences).toMatchObject([{ kind: 'MachineSet', uid: 'set' }]);
      expect(part.metadata.labels).toMatchObject({ 'cluster.x-k8s.io/set-name': 'workers' });
    }
  });
  it('completes missing parts only', () => {
    expect(kinds(made({ infraMachine: true, bootstrapConfig: false }))).toEqual(['Config', 'Machine']);
    expect(kinds(made({ infraMachine: false, bootstrapConfig: true }))).toEqual(['Host', 'Machine']);
  });
  it('creates no config when the set specifies a data Secret', () => {
    const objects = made(undefined, { ...templates, bootstrap: undefined });
    expect(kinds(objects)).toEqual(['Host', 'Machine']);
    expect(objects[1]!.spec!.bootstrap).toEqual({ configRef: { name: 'template' } });
  });
});
