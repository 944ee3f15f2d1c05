import { describe, expect, it } from 'vitest';
import { labelMatcher } from '../../../machinery/api/labels.ts';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, type Plan, type Read, typedReader } from '../../../machinery/api/reconcile.ts';
import { planOf } from '../../../machinery/api/withholding.ts';
import { machineSetController } from './controller.ts';
import { observe } from './observe.ts';
import type { MachineSet, MachineSetStatus } from './schema.ts';

const core = 'cluster.x-k8s.io/v1beta2';
const byCluster = { 'cluster.x-k8s.io/cluster-name': 'c' };
const template = (group: string, kind: string): KubeObject => ({
  apiVersion: `${group}/v1beta2`,
  kind,
  metadata: { name: 't', namespace: 'default', uid: kind },
  spec: { template: { spec: {} } },
});
const set = (replicas: number): MachineSet =>
  ({
    apiVersion: core,
    kind: 'MachineSet',
    metadata: { name: 'set', namespace: 'default', uid: 'set', generation: 1, labels: byCluster, ownerReferences: [] },
    spec: {
      clusterName: 'c',
      replicas,
      selector: { matchLabels: byCluster },
      template: {
        metadata: { labels: byCluster },
        spec: {
          clusterName: 'c',
          bootstrap: { configRef: { apiGroup: 'b', kind: 'ConfigTemplate', name: 't' } },
          infrastructureRef: { apiGroup: 'i', kind: 'HostTemplate', name: 't' },
        },
      },
    },
  }) as unknown as MachineSet;

/**
 * The objects that passes over one MachineSet read and write; a pass may crash after any of its
 * effects.
 */
const createWorld = (replicas: number) => {
  let drawn = 0;
  let objects: KubeObject[] = [
    set(replicas),
    template('i', 'HostTemplate'),
    template('b', 'ConfigTemplate'),
    { apiVersion: core, kind: 'Cluster', metadata: { name: 'c', namespace: 'default', uid: 'c' }, spec: {} },
  ];
  const found = <T>(value: unknown): Read<T> =>
    value === undefined ? { state: 'absent' } : { state: 'found', value: value as T };
  const reader = typedReader({
    get: (kind, { name }) => found(objects.find((o) => o.kind === kind && o.metadata.name === name)),
    list: (kind, { labels }) =>
      found(objects.filter((o) => o.kind === kind && (!labels || labelMatcher(labels)(o.metadata.labels)))),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: () => ({ state: 'absent' }),
  });
  const current = () => objects.find(({ kind }) => kind === 'MachineSet') as MachineSet;
  const context: Context = {
    now: 0,
    random: { suffix: () => String(drawn++).padStart(5, '0'), pick: (from) => from[0]!, token: () => '' },
    lastFailure: undefined,
    attempts: 0,
    installation: 'test',
    config: {},
    awaits: [],
  };
  const replace = (old: KubeObject, patch: unknown) => {
    objects = objects.map((o) => (o === old ? mergePatch(o, patch) : o));
  };
  const decide = (): Plan<MachineSetStatus> =>
    planOf(machineSetController, current(), observe(current(), reader, context), context);
  const effectsOf = ({ actions = [] }: Plan<MachineSetStatus>): (() => void)[] =>
    actions.map((action) => () => {
      if (action.do === 'call') return;
      const { kind, name } =
        action.do === 'create' ? { kind: action.object.kind, name: action.object.metadata.name } : action;
      const there = objects.find((o) => o.kind === kind && o.metadata.name === name);
      if (action.do === 'create' && !there)
        objects.push({ ...action.object, metadata: { ...action.object.metadata, uid: `${kind}-${name}` } });
      if (action.do === 'patch' && there) replace(there, action.patch);
      if (action.do === 'delete' && there?.metadata.uid === action.uid) objects = objects.filter((o) => o !== there);
    });
  return {
    decide,
    effectsOf,
    writeIntent: ({ intent }: Plan<MachineSetStatus>) => replace(current(), intent ?? {}),
    writeStatus: () => replace(current(), { status: { observedGeneration: current().metadata.generation } }),
    scale: (to: number) =>
      replace(current(), {
        metadata: { generation: (current().metadata.generation ?? 0) + 1 },
        spec: { replicas: to },
      }),
    names: (kind: string) =>
      objects
        .filter((o) => o.kind === kind)
        .map(({ metadata }) => metadata.name)
        .sort(),
    /** What the Machine controller does after a Machine's creation and deletion. */
    follow: () => {
      const machines = new Set(objects.filter(({ kind }) => kind === 'Machine').map(({ metadata }) => metadata.name));
      objects = objects.map((o) =>
        ['Host', 'Config'].includes(o.kind) && machines.has(o.metadata.name)
          ? {
              ...o,
              metadata: {
                ...o.metadata,
                ownerReferences: [
                  {
                    apiVersion: core,
                    kind: 'Machine',
                    name: o.metadata.name,
                    uid: `Machine-${o.metadata.name}`,
                    controller: true,
                  },
                ],
              },
            }
          : o,
      );
      objects = objects.map((o) =>
        o.kind === 'Machine' ? { ...o, status: { conditions: [{ type: 'Ready', status: 'True' }] } } : o,
      );
      objects = objects.filter(
        (o) => !o.metadata.ownerReferences?.some(({ kind, name }) => kind === 'Machine' && !machines.has(name)),
      );
    },
  };
};
type World = ReturnType<typeof createWorld>;

const pass = (world: World, dieAfter = Number.POSITIVE_INFINITY) => {
  const plan = world.decide();
  world.writeIntent(plan);
  for (const effect of world.effectsOf(plan).slice(0, dieAfter)) effect();
  if (dieAfter === Number.POSITIVE_INFINITY) world.writeStatus();
};
const settle = (world: World) => {
  for (let i = 0; i < 6; i++) {
    world.follow();
    pass(world);
  }
  world.follow();
};
const expectWhole = (world: World, replicas: number) => {
  const machines = world.names('Machine');
  expect(machines).toHaveLength(replicas);
  expect([world.names('Host'), world.names('Config')]).toEqual([machines, machines]);
  expect(world.decide().actions).toEqual([]);
};

/** The number of effects of the first pass. */
const countEffects = (world: World): number => world.effectsOf(world.decide()).length;

describe('a pass that crashes', () => {
  const effects = countEffects(createWorld(3));
  it.each(
    Array.from({ length: effects + 1 }, (_, n) => n),
  )('after %i effects leaves no duplicate and no partly created machine', (n) => {
    const world = createWorld(3);
    pass(world, n);
    settle(world);
    expectWhole(world, 3);
  });
  it.each(
    Array.from({ length: effects + 1 }, (_, n) => n),
  )('after %i effects, followed by a scale-down, leaves nothing behind', (n) => {
    const world = createWorld(3);
    pass(world, n);
    world.scale(1);
    settle(world);
    expectWhole(world, 1);
  });
});

describe('a stalled worker', () => {
  it.each([0, 1, 2, 3])('that repeats its effects at %i replicas changes nothing in the end', (replicas) => {
    const world = createWorld(3);
    const stale = world.decide();
    world.writeIntent(stale);
    const effects = world.effectsOf(stale);
    settle(world);
    world.scale(replicas);
    settle(world);
    for (const effect of effects) effect();
    settle(world);
    expectWhole(world, replicas);
  });
});
