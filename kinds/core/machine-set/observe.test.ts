import { describe, expect, it } from 'vitest';
import type { Context, Reader } from '../../../machinery/api/reconcile.ts';
import { planOf } from '../../../machinery/api/withholding.ts';
import { operatedContext } from '../contract/operated.fixture.ts';
import { machineSetController } from './controller.ts';
import { observe } from './observe.ts';
import type { MachineSet } from './schema.ts';

const selector = { matchLabels: { of: 'workers' } };
const template = {
  spec: {
    clusterName: 'c',
    bootstrap: { configRef: { apiGroup: 'b', kind: 'ConfigTemplate', name: 't' } },
    infrastructureRef: { apiGroup: 'i', kind: 'HostTemplate', name: 't' },
  },
};
const context: Context = {
  now: 0,
  random: { suffix: () => '', pick: (from) => from[0]!, token: () => '' },
  lastFailure: undefined,
  attempts: 0,
  installation: 'test',
  config: { workflows: true },
  awaits: [],
};
const failure = { port: 'objects', operation: 'create', code: 'Forbidden', message: 'no', at: 0 };

interface Given {
  annotations?: Record<string, string>;
  observedGeneration?: number;
  /** One entry per Machine: whether it is Ready or being deleted. */
  machines?: ('Ready' | 'NotReady' | 'Deleting')[];
  target?: string;
  failed?: boolean;
  /** The replicas of the set; one if absent. */
  replicas?: number;
  /** Seconds since the last transition of one of its conditions. */
  changed?: number;
}

/** What a pass lists and decides for a set of one replica in its second generation. */
const passOver = (given: Given) => {
  const { annotations = {}, observedGeneration = 2, machines = [], target = 'Build', failed } = given;
  const { replicas = 1, changed } = given;
  const asked: [string, unknown][] = [];
  const all = machines.map((is) => ({
    metadata: { ...(is === 'Deleting' && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    status: { conditions: [{ type: 'Ready', status: is === 'NotReady' ? 'False' : 'True' }] },
  }));
  const cluster = {
    apiVersion: 'c/v1',
    kind: 'Cluster',
    metadata: { name: 'c', annotations: { 'capstan.dev/target': target } },
  };
  const reader = {
    get: (kind: string) => (kind === 'Cluster' ? { state: 'found', value: cluster } : { state: 'absent' }),
    list: (kind: string, where: unknown) => {
      asked.push([kind, where]);
      return { state: 'found', value: kind === 'Machine' ? all : [] };
    },
    ask: () => ({ state: 'absent' }),
  } as unknown as Reader;
  const machineSet = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineSet',
    metadata: { name: 'set', namespace: 'default', uid: 'set', generation: 2, annotations },
    spec: { clusterName: 'c', replicas, selector, template },
    status: {
      observedGeneration,
      ...(changed !== undefined && {
        conditions: [{ type: 'Any', lastTransitionTime: new Date(-changed * 1000).toISOString() }],
      }),
    },
  } as unknown as MachineSet;
  const within = { ...context, ...(failed && { lastFailure: failure }) };
  const known = operatedContext(machineSetController, machineSet, cluster, within);
  return { asked, plan: planOf(machineSetController, machineSet, observe(machineSet, reader, known), known) };
};
const listed = (given: Given) => passOver(given).asked;
const many = Array.from({ length: 20 }, () => 'Ready' as const);
const kinds = (given: Given) => listed(given).map(([kind]) => kind);

it('lists by its own cluster, whatever labels others have', () => {
  const ours = { namespace: 'default', cluster: 'c', labels: selector };
  expect(listed({})).toEqual([
    ['Machine', { ...ours, orOwner: 'set' }],
    ['Host', ours],
    ['Config', ours],
    ['ResourceQuota', { namespace: 'default' }],
  ]);
});

describe('the parts of Machines', () => {
  const everything = ['Machine', 'Host', 'Config'];
  it.each([
    { rule: 'are read while a Machine is missing, with quotas', given: {}, looks: [...everything, 'ResourceQuota'] },
    {
      rule: 'are read while names are recorded',
      given: { annotations: { 'capstan.dev/creating': '["a"]' }, machines: ['NotReady'] },
      looks: everything,
    },
    {
      rule: 'are read for a new generation',
      given: { observedGeneration: 1, machines: ['NotReady'] },
      looks: everything,
    },
    {
      rule: 'are read after a failure',
      given: { failed: true, machines: ['NotReady'] },
      looks: everything,
    },
    {
      rule: 'are read in deletion',
      given: { target: 'Nothing', machines: ['NotReady'] },
      looks: everything,
    },
    { rule: 'are read when all Machines are Ready', given: { machines: ['Ready'] }, looks: everything },
    {
      rule: 'are not read while many Machines are replaced',
      given: { machines: many, replicas: 20, changed: 119 },
      looks: ['Machine'],
    },
    {
      rule: 'are read when many Machines have been stable for a while',
      given: { machines: many, replicas: 20, changed: 120 },
      looks: everything,
    },
    { rule: 'are read at once for a small set', given: { machines: ['Ready'], changed: 1 }, looks: everything },
    {
      rule: 'are not read while a Machine is provisioned',
      given: { machines: ['NotReady'] },
      looks: ['Machine'],
    },
    {
      rule: 'are not read while a Machine is in deletion',
      given: { machines: ['Ready', 'Deleting'] },
      looks: ['Machine'],
    },
  ] satisfies { rule: string; given: Given; looks: string[] }[])('$rule', ({ given, looks }) =>
    expect(kinds(given)).toEqual(looks));
});

it('finds parts by name when they were adopted with their Machine and have other labels', () => {
  const of = (kind: string, name: string) => ({
    kind,
    metadata: { name, namespace: 'default', labels: { of: 'others' } },
  });
  const machine = {
    metadata: { name: 'm', namespace: 'default' },
    spec: { infrastructureRef: { kind: 'Host', name: 'h' }, bootstrap: { configRef: { kind: 'Config', name: 'b' } } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  };
  const reader = {
    get: (kind: string, { name }: { name: string }) =>
      name === 'h' || name === 'b' ? { state: 'found', value: of(kind, name) } : { state: 'absent' },
    list: (kind: string) => ({ state: 'found', value: kind === 'Machine' ? [machine] : [] }),
    ask: () => ({ state: 'absent' }),
  } as unknown as Reader;
  const set = {
    metadata: { name: 's', namespace: 'default' },
    spec: { clusterName: 'c', replicas: 1, selector, template },
  };
  const { infraMachines, bootstrapConfigs } = observe(set as unknown as MachineSet, reader, context);
  expect([infraMachines, bootstrapConfigs]).toEqual([
    { state: 'found', value: [of('Host', 'h')] },
    { state: 'found', value: [of('Config', 'b')] },
  ]);
});

it('requeues to read the parts of many Machines once they are stable', () => {
  expect(passOver({ machines: many, replicas: 20, changed: 110 }).plan.requeueAfter).toBe(10);
  expect(passOver({ machines: many, replicas: 21, changed: 110 }).plan.requeueAfter).toBeUndefined();
  expect(passOver({ machines: ['Ready'], changed: 110 }).plan.requeueAfter).toBeUndefined();
});
