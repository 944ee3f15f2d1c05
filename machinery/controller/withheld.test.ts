import { describe, expect, it } from 'vitest';
import { cluster, make, part, widget } from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { KubeObject } from '../api/object.ts';
import { type Action, type Controller, defineController, type Withheld } from '../api/reconcile.ts';

type Widget = KubeObject<{ size?: number; filled?: string }, { size?: number; seen?: boolean }>;

const finalizer = 'toys.example/widget';
const held: Withheld = { releases: false, reason: 'OnHold', message: 'Held' };
const released: Withheld = { releases: true, reason: 'TornDown', message: 'Torn down' };
const call = (operation: string, more: Pick<Action, 'group' | 'buys'> = {}): Action => ({
  do: 'call',
  port: 'cloud',
  operation,
  input: {},
  ...more,
});
const newPart: Action = { do: 'create', object: make(part, 'new') };
interface Given {
  withheld?: Withheld;
  /** The Cluster that the object names; `c` exists. */
  cluster?: string | undefined;
  clusterUid?: string;
  plan?: Controller<Widget, Widget>['reconcile'];
  release?: Controller<Widget, Widget>['release'];
  object?: Partial<Widget>;
}

/** A Widget of a Cluster that may withhold its target, and the calls of its controller. */
const createHeldWorld = async ({ withheld, plan = () => ({}), release, object, clusterUid, ...given }: Given) => {
  const name = 'cluster' in given ? given.cluster : 'c';
  const calls: string[] = [];
  const world = await createWorld({
    ports: { cloud: { call: async (operation) => void calls.push(operation) } },
    controllers: [
      defineController<Widget, Widget>({
        name: 'widget',
        for: 'Widget',
        worker: 'core',
        watches: [],
        finalizer,
        clusterOf: () => name,
        ...(clusterUid !== undefined && { clusterUidOf: () => clusterUid }),
        conditions: 'none',
        observe: (observed) => observed,
        reconcile: plan,
        ...(release && { release }),
      }),
    ],
  });
  await world.create(make(cluster, 'c', { spec: { ...(withheld && { withheld }) } }));
  await world.create(make(widget, 'a', object as Partial<KubeObject>));
  await world.seconds(60);
  const stored = async () => (await world.get<Widget>(widget, 'a'))!;
  return { world, calls, stored };
};

describe('a withheld object', () => {
  const buying = [
    call('Launch', { buys: true, group: 'host' }),
    call('Tag', { group: 'host' }),
    call('Repair', { group: 'other' }),
  ];
  it.each([
    { rule: 'runs all actions when it is not withheld', withheld: undefined, does: ['Launch', 'Tag', 'Repair'] },
    { rule: 'skips purchases and the actions grouped with them', withheld: held, does: ['Repair'] },
    {
      rule: 'skips purchases while released, when its controller has no release',
      withheld: released,
      does: ['Repair'],
    },
  ])('$rule', async ({ withheld, does }) => {
    const { calls } = await createHeldWorld({
      ...(withheld && { withheld }),
      plan: ({ status }) => ({ actions: status?.seen ? [] : buying, status: { seen: true } }),
    });
    expect(calls).toEqual(does);
  });

  it.each([
    { rule: 'creates objects when it is not withheld', withheld: undefined, exists: true },
    { rule: 'creates no objects while held', withheld: held, exists: false },
  ])('$rule', async ({ withheld, exists }) => {
    const plan = () => ({ actions: [newPart], intent: { spec: { size: 7 } }, status: { seen: true } });
    const { world, stored } = await createHeldWorld({ ...(withheld && { withheld }), plan });
    expect((await world.get(part, 'new')) !== undefined).toBe(exists);
    // The intent names the object that the action creates.
    expect((await stored()).spec?.size).toBe(exists ? 7 : undefined);
    expect((await stored()).status).toEqual({ seen: true });
  });

  it.each([
    { rule: 'belongs to a namesake of its Cluster', cluster: 'c' },
    { rule: 'belongs to a missing Cluster', cluster: 'gone' },
    { rule: 'lost the name of its Cluster', cluster: undefined },
  ])('is held when it $rule', async (given) => {
    const { calls } = await createHeldWorld({ ...given, clusterUid: 'former', plan: () => ({ actions: buying }) });
    expect(new Set(calls)).toEqual(new Set(['Repair']));
  });

  it('applies its plan without the advance', async () => {
    const { calls, stored } = await createHeldWorld({
      withheld: held,
      plan: ({ status }) => ({
        intent: { spec: { size: 1 } },
        actions: status?.seen ? [] : [call('Keep')],
        status: { seen: true },
        advance: { intent: { spec: { size: 2 } }, actions: [call('Grow')], again: true },
      }),
    });
    expect(calls).toEqual(['Keep']);
    expect((await stored()).spec?.size).toBe(1);
  });

  it('receives the reason, so that it can report it', async () => {
    const seen: unknown[] = [];
    const world = await createWorld({
      controllers: [
        defineController<Widget, undefined>({
          name: 'widget',
          for: 'Widget',
          worker: 'core',
          watches: [],
          clusterOf: () => 'c',
          conditions: 'none',
          observe: () => undefined,
          reconcile: (_, { withheld }) => {
            seen.push(withheld);
            return {};
          },
        }),
      ],
    });
    await world.create(make(cluster, 'c', { spec: { withheld: held } }));
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    expect(seen).toEqual([held]);
  });

  it.each([held, released])('is still deleted: $reason', async (withheld) => {
    const { world, calls } = await createHeldWorld({
      withheld,
      plan: ({ metadata }) => (metadata.deletionTimestamp ? { actions: [call('Terminate')], finished: true } : {}),
      release: () => ({ actions: [call('Release')] }),
    });
    calls.length = 0;
    await world.remove(widget, 'a');
    await world.seconds(60);
    expect(calls).toEqual(['Terminate']);
    expect(await world.get(widget, 'a')).toBeUndefined();
  });
});

describe('a released object', () => {
  const filled = {
    metadata: { name: 'a', annotations: { note: 'x', mine: 'y' } },
    spec: { size: 3, filled: 'by a controller' },
  };

  it('returns to its user-provided spec and a new status once nothing is left, and is then idle', async () => {
    const { world, stored } = await createHeldWorld({
      object: filled,
      plan: () => ({ status: { size: 9 } }),
      release: ({ status }) => ({ status: { size: status?.size ?? 1 }, released: { notes: ['note', 'absent'] } }),
    });
    expect((await stored()).status).toEqual({ size: 9 });
    await world.update(cluster, 'c', (object) => ({ ...object, spec: { withheld: released } }));
    await world.update(widget, 'a', (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { wake: '' } },
    }));
    await world.seconds(60);
    const { metadata, spec, status } = await stored();
    expect({ annotations: metadata.annotations, spec }).toEqual({ annotations: { mine: 'y' }, spec: { size: 3 } });
    expect(status).toEqual({ size: 1 });
    const { length } = world.passes;
    await world.seconds(600);
    expect(world.passes.length).toBe(length);
  });

  it('keeps defaulted fields while something is left', async () => {
    const { calls, stored } = await createHeldWorld({
      withheld: released,
      object: filled,
      release: ({ status }) => ({ actions: status?.seen ? [] : [call('Terminate')], status: { seen: true } }),
    });
    expect(calls).toEqual(['Terminate']);
    expect((await stored()).spec).toEqual({ size: 3, filled: 'by a controller' });
  });
});

it('makes no additional reads before it knows whether the object is withheld', async () => {
  const asked: string[] = [];
  const world = await createWorld({
    ports: { cloud: { read: async (operation) => void asked.push(operation) } },
    controllers: [
      defineController<Widget, undefined>({
        name: 'widget',
        for: 'Widget',
        worker: 'core',
        watches: [],
        clusterOf: () => 'c',
        conditions: 'none',
        observe: (_, read, { withheld }) => {
          if (!withheld) read.ask('cloud', 'DescribeEverything', {});
          return undefined;
        },
        reconcile: () => ({}),
      }),
    ],
  });
  await world.create(make(cluster, 'c', { spec: { withheld: held } }));
  await world.create(make(widget, 'a'));
  await world.seconds(5);
  expect(asked).toEqual([]);
});
