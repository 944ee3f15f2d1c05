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

describe('names that are noted', () => {
  it.each([
    { rule: 'are none at first', of: machineSet(), is: [] },
    { rule: 'are none beside other notes', of: machineSet({}, { annotations: { other: '["a"]' } }), is: [] },
    { rule: 'are those of the list', of: noted('["a","b"]'), is: ['a', 'b'] },
    { rule: 'are no numbers', of: noted('["a",1,null]'), is: ['a'] },
    { rule: 'are none of what is no list', of: noted('{"a":1}'), is: [] },
    { rule: 'are none of what is no JSON', of: noted('a, b'), is: [] },
  ])('$rule', ({ of, is }) => expect(namesInCreation(of)).toEqual(is));
  it('are taken off with the last', () => {
    expect(creationNote(['a'])).toBe('["a"]');
    expect(creationNote([])).toBeNull();
  });
});

describe('a new name', () => {
  const context = { random: { suffix: (length: number) => 'x'.repeat(length) } } as unknown as Context;
  it.each([
    { rule: 'is that of the set with five letters more', of: machineSet(), is: 'workers-xxxxx' },
    {
      rule: 'follows the template',
      of: machineSet({ machineNaming: { template: '{{ .cluster.name }}-of-{{ .machineSet.name }}-{{ .random }}' } }),
      is: 'demo-of-workers-xxxxx',
    },
    { rule: 'is needed of a set that says nothing', of: machineSet({ machineNaming: {} }), is: 'workers-xxxxx' },
  ])('$rule', ({ of, is }) => expect(newName(of, context)).toBe(is));
});

describe('what everything of a Machine gets from its set', () => {
  it('are its own labels, and those of the template', () => {
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

describe('what a Machine follows in place', () => {
  const all = {
    readinessGates: [{ conditionType: 'Ready' }],
    deletion: { nodeDrainTimeoutSeconds: 5 },
    minReadySeconds: 0,
    taints: [{ key: 'a', effect: 'NoSchedule' }],
  };
  it.each(Object.entries(all))('is %s, where the set says it', (field, value) => {
    const fields = inPlaceFields(machineSet({ template: { spec: { [field]: value, version: 'v1.35.0' } } }));
    expect(fields).toEqual({ [field]: value });
  });
  it('is nothing else', () => expect(inPlaceFields(machineSet())).toEqual({}));
});

describe('a Machine is made', () => {
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

  it('after what it refers to, and holds it from the beginning', () => {
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
  it('with what is missing alone', () => {
    expect(kinds(made({ infraMachine: true, bootstrapConfig: false }))).toEqual(['Config', 'Machine']);
    expect(kinds(made({ infraMachine: false, bootstrapConfig: true }))).toEqual(['Host', 'Machine']);
  });
  it('without a config where the set names what it boots with', () => {
    const objects = made(undefined, { ...templates, bootstrap: undefined });
    expect(kinds(objects)).toEqual(['Host', 'Machine']);
    expect(objects[1]!.spec!.bootstrap).toEqual({ configRef: { name: 'template' } });
  });
});
