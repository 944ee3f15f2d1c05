import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { changeSpec, graphOf } from './index.ts';

const template = (name: string, labels: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'toys.example.com/v1',
  kind: 'ToyTemplate',
  metadata: {
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    labels,
    name,
    namespace: 'team',
    ownerReferences: [{ apiVersion: 'v1', kind: 'Cluster', name, uid: 'c' }],
    resourceVersion: '7',
    uid: 'u',
  },
  spec: { template: { spec: { name, uid: 'mine' } } },
});
const owner = (kind: string, spec: object, more: object = {}): KubeObject =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind,
    metadata: { name: 'pool', namespace: 'team', ...more },
    spec,
  }) as KubeObject;
const reference = (name: string) => ({ infrastructureRef: { kind: 'ToyTemplate', name } });
const deployment = (name: string) => owner('MachineDeployment', { replicas: 2, template: { spec: reference(name) } });
const set = owner(
  'MachineSet',
  { template: { spec: reference('toy') } },
  {
    ownerReferences: [{ apiVersion: 'v1', kind: 'MachineDeployment', name: 'pool', uid: 'd', controller: true }],
  },
);
const pointed = (kind: string, patch: object) =>
  `kubectl patch ${kind} pool -n team --type merge -p '${JSON.stringify({ spec: patch })}'`;

describe('a template', () => {
  it('is copied under a new name, which its owner then has', () => {
    const toy = template('toy');
    const commands = changeSpec(toy, graphOf({ objects: [toy, deployment('toy'), set], rules: [] }));
    expect(commands.slice(1)).toEqual([
      '${EDITOR:-vi} toy-2.yaml && kubectl create -f toy-2.yaml',
      pointed('machinedeployment', { template: { spec: { infrastructureRef: { name: 'toy-2' } } } }),
    ]);
    const [get = ''] = commands;
    expect(get).toMatch(/^kubectl get toytemplate toy -n team -o yaml \| sed .* > toy-2\.yaml$/);
    const script = get.slice(get.indexOf('sed'), get.lastIndexOf('>'));
    const { stdout } = spawnSync('sh', ['-c', script], { input: stringify(toy), encoding: 'utf8' });
    const { labels, namespace, ownerReferences } = toy.metadata;
    expect(parse(stdout)).toEqual({ ...toy, metadata: { labels, namespace, ownerReferences, name: 'toy-2' } });
  });

  it.each([
    { name: 'toy-2', taken: [], next: 'toy-3' },
    { name: 'toy', taken: ['toy-2'], next: 'toy-3' },
    { name: 'toy-1234', taken: [], next: 'toy-1234-2' },
  ])('called $name is copied as $next', ({ name, taken, next }) => {
    const toy = template(name);
    const objects = [toy, ...taken.map((one) => template(one)), deployment(name)];
    expect(changeSpec(toy, graphOf({ objects, rules: [] }))[0]).toContain(`> ${next}.yaml`);
  });

  it.each([
    {
      rule: 'of a topology has a class, which is the one to change',
      of: template('toy', { 'topology.cluster.x-k8s.io/owned': '' }),
      owners: [deployment('toy')],
    },
    { rule: 'to which no object refers needs no copy', of: template('toy'), owners: [deployment('another')] },
  ])('$rule', ({ of, owners }) => expect(changeSpec(of, graphOf({ objects: [of, ...owners], rules: [] }))).toEqual([]));
});

it('any other object is edited', () => {
  const one = deployment('toy');
  expect(changeSpec(one, graphOf({ objects: [one], rules: [] }))).toEqual([
    'kubectl edit machinedeployment pool -n team',
  ]);
});
