/** A set whose selector also selects Machines of another controller. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Reader, Where } from '../../../machinery/api/reconcile.ts';
import { planOf } from '../../../machinery/api/withholding.ts';
import { maxMachines } from '../../common/machine-limit.ts';
import { controllerOf } from '../../common/owners.ts';
import { machineSetController } from './controller.ts';
import { observe } from './observe.ts';
import type { MachineSet } from './schema.ts';

const core = 'cluster.x-k8s.io/v1beta2';
const template = {
  metadata: { labels: { of: 'workers' } },
  spec: {
    clusterName: 'c',
    bootstrap: { configRef: { apiGroup: 'b', kind: 'ConfigTemplate', name: 'config' } },
    infrastructureRef: { apiGroup: 'i', kind: 'HostTemplate', name: 'host' },
  },
};
const context = (): Context => {
  let drawn = 0;
  return {
    now: 0,
    random: { suffix: () => `rand${++drawn}`, pick: (from) => from[0]!, token: () => '' },
    lastFailure: undefined,
    attempts: 0,
    installation: 'test',
    config: {},
    awaits: [],
  };
};

const named = (kind: string, name: string, more: object = {}) =>
  ({
    apiVersion: core,
    kind,
    metadata: { name, namespace: 'default', uid: name, resourceVersion: '1' },
    ...more,
  }) as KubeObject;
const machine = (name: string, controller: string | undefined, labels = { of: 'workers' }) => ({
  ...named('Machine', name),
  metadata: {
    ...named('Machine', name).metadata,
    labels,
    ...(controller && {
      ownerReferences: [{ apiVersion: core, kind: 'MachineSet', name: controller, uid: controller, controller: true }],
    }),
  },
  spec: {
    clusterName: 'c',
    infrastructureRef: { kind: 'Host', name },
    bootstrap: { configRef: { kind: 'Config', name } },
  },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
});

interface State {
  replicas?: number;
  /** The maximum number of Machines of the namespace and of the installation. */
  namespace?: string;
  installation?: number;
  machines: KubeObject[];
  /** The names that the set and another one have recorded. */
  noted?: string[];
  notedByOther?: string[];
}

const note = (object: KubeObject, names: string[] | undefined): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...(names && { annotations: { 'capstan.dev/creating': JSON.stringify(names) } }) },
});

/** One pass of the set over a store of these objects. */
const pass = ({ replicas = 1, namespace, installation, machines, noted, notedByOther }: State) => {
  const set = note(
    named('MachineSet', 'set', {
      spec: { clusterName: 'c', replicas, selector: { matchLabels: { of: 'workers' } }, template },
      status: { observedGeneration: 1 },
    }),
    noted,
  );
  set.metadata.generation = 1;
  const limits = namespace === undefined ? {} : { annotations: { [maxMachines]: namespace } };
  const objects = [
    set,
    note(named('MachineSet', 'other'), notedByOther),
    named('Cluster', 'c', { spec: {} }),
    named('HostTemplate', 'host', { spec: { template: { spec: {} } } }),
    named('ConfigTemplate', 'config', { spec: { template: { spec: {} } } }),
    named('Installation', 'capstan', { spec: { ...(installation !== undefined && { maxMachines: installation }) } }),
    named('Namespace', 'kube-system'),
    { ...named('Namespace', 'default'), metadata: { ...named('Namespace', 'default').metadata, ...limits } },
    ...machines,
  ];
  const listed: string[] = [];
  const isSelected = ({ metadata }: KubeObject, where: Where) =>
    !where.labels ||
    metadata.labels?.of === 'workers' ||
    metadata.ownerReferences?.some(({ uid }) => uid === where.orOwner);
  const reader = {
    get: (kind: string, { name }: { name: string }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    list: (kind: unknown, where: Where) => {
      listed.push(typeof kind === 'string' ? kind : 'ControlPlane');
      return { state: 'found', value: objects.filter((one) => one.kind === kind && isSelected(one, where)) };
    },
    ask: () => ({ state: 'absent' }),
  } as unknown as Reader;
  const {
    actions = [],
    status,
    requeueAfter,
  } = planOf(machineSetController, set as MachineSet, observe(set as MachineSet, reader, context()), context());
  const conditions = (status?.conditions ?? []) as { type: string; message: string }[];
  return {
    listed,
    created: actions.flatMap((one) =>
      one.do === 'create' && one.object.kind === 'Machine' ? [one.object.metadata.name] : [],
    ),
    claims: actions.flatMap((one) => (one.do === 'patch' && one.kind === 'Namespace' ? [one.name] : [])),
    message: conditions.find(({ type }) => type === 'ScalingUp')?.message ?? '',
    requeueAfter,
  };
};

const foreign = machine('foreign', 'other');
const own = machine('own', 'set');

describe('the quota of a set that selects a Machine of another controller', () => {
  it.each<{ rule: string; state: State; creates: number; claims: string[] }>([
    { rule: 'is exhausted by that Machine', state: { namespace: '1', machines: [foreign] }, creates: 0, claims: [] },
    {
      rule: 'is claimed for the Machine that the set creates',
      state: { namespace: '2', machines: [foreign] },
      creates: 1,
      claims: ['default'],
    },
    {
      rule: 'allows some of the missing Machines',
      state: { namespace: '3', replicas: 5, machines: [foreign, machine('alien', 'other')] },
      creates: 1,
      claims: ['default'],
    },
    {
      rule: 'of the installation is exhausted by that Machine, too',
      state: { installation: 1, machines: [foreign] },
      creates: 0,
      claims: [],
    },
    {
      rule: 'counts a Machine that the other controller has only recorded',
      state: { namespace: '2', machines: [foreign], notedByOther: ['foreign', 'next'] },
      creates: 0,
      claims: [],
    },
    {
      rule: 'counts a Machine of the set that its selector misses',
      state: { namespace: '2', replicas: 2, machines: [foreign, machine('own', 'set', { of: 'nothing' })] },
      creates: 0,
      claims: [],
    },
    {
      rule: 'counts a Machine without a controller, which the set adopts, once',
      state: { namespace: '3', replicas: 2, machines: [foreign, machine('orphan', undefined)] },
      creates: 1,
      claims: ['default'],
    },
  ])('$rule', ({ state, creates, claims }) => {
    const { created, claims: claimed, message, requeueAfter } = pass(state);
    expect(created).toHaveLength(creates);
    expect(claimed).toEqual(claims);
    const others = state.machines.filter((one) => controllerOf(one)?.name === 'other');
    const missing = (state.replicas ?? 1) - (state.machines.length - others.length);
    expect(message.includes('exceeded quota')).toBe(creates < missing);
    if (creates < missing) expect(requeueAfter).toBeLessThanOrEqual(60);
  });

  it('is not read while the set has all its Machines', () =>
    expect(pass({ namespace: '0', machines: [foreign, own] }).listed).not.toContain('MachineSet'));
});

it('reads the parts of an idle set although its selector also selects other Machines', () => {
  expect(pass({ machines: [foreign, own] }).listed).toEqual(['Machine', 'Host', 'Config']);
  expect(pass({ machines: [{ ...foreign, status: {} } as KubeObject, own] }).listed).toEqual([
    'Machine',
    'Host',
    'Config',
  ]);
});
