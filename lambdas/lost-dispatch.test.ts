/** A change that the table's stream lost is found by the sweep after the next one. */
import { beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../machinery/api/object.ts';
import { createDispatching } from './runtime/dispatching.ts';
import { createLostDispatch } from './runtime/lost-dispatch.ts';
import { createSweeping } from './runtime/sweeping.ts';
import { recordedSwitches } from './switches.fixture.ts';
import { createWorld, type World } from './world.fixture.ts';

const type = 'clusters.cluster.x-k8s.io';
const minutes = 60_000;

let world: World;
let sweeping: ReturnType<typeof createSweeping>;
let dispatching: ReturnType<typeof createDispatching>;
beforeEach(() => {
  world = createWorld();
  sweeping = createSweeping(world.foundation, recordedSwitches([]));
  dispatching = createDispatching(world.foundation, recordedSwitches([]));
});

const create = (name: string) =>
  world.foundation.store.commit(type, { namespace: 'default', name }, () => ({
    do: 'put',
    object: {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { namespace: 'default', name, uid: `uid-of-${name}` },
      spec: { infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name } },
    } as KubeObject,
  }));
/** Handles a batch of the stream as the function does. */
const deliver = async (names: string[]) => {
  const entries = world.entries.filter(({ name }) => names.includes(name));
  for (const entry of entries) await dispatching.dispatch(entry);
  await dispatching.note(entries);
};
const sweep = async () => {
  await world.clock.advance(10 * minutes);
  await sweeping.sweep();
};
/** The clusters with work due now. */
const asked = () =>
  [...new Set(world.sent.map(({ key }) => key as { type: string; name: string }))]
    .filter((key) => key.type === type)
    .map(({ name }) => name);
const errors = () => world.lines.filter((line) => line.includes('Changes are not dispatched'));

it('finds what was lost, and nothing else', async () => {
  await sweep();
  for (const name of ['kept', 'lost', 'also-kept']) await create(name);
  await deliver(['kept', 'also-kept']);
  world.sent.length = 0;
  await sweep();
  expect(asked()).not.toContain('lost');
  world.sent.length = 0;
  await sweep();
  expect(asked()).toContain('lost');
  expect(errors()).toHaveLength(1);
  expect(errors()[0]).toContain('"dispatched":1');
  await sweep();
  expect(errors()).toHaveLength(1);
});

it('reports nothing when all changes were dispatched', async () => {
  await sweep();
  for (const name of ['one', 'two']) await create(name);
  await deliver(['one', 'two']);
  for (let n = 0; n < 3; n++) await sweep();
  expect(errors()).toEqual([]);
});

it('recovers what follows changes that cannot be dispatched, and those once they can', async () => {
  const lost = createLostDispatch(world.foundation);
  await lost.find(async () => {});
  const poison = Array.from({ length: 30 }, (_, n) => `poison-${n}`);
  for (const name of [...poison, 'b', 'c']) await create(name);
  const done: string[] = [];
  let isMended = false;
  const find = async () => {
    await world.clock.advance(10 * minutes);
    return lost.find(async ({ name }) => {
      if (name.startsWith('poison') && !isMended) throw new Error('cannot be dispatched');
      done.push(name);
    });
  };
  const named = new Set<string>();
  for (let n = 0; n < 6; n++) for (const { name } of (await find()).skipped) named.add(name);
  expect(done).toEqual(['b', 'c']);
  expect(named).toEqual(new Set(poison.map((name) => `${type} default/${name}`)));
  isMended = true;
  await find();
  expect(new Set(done)).toEqual(new Set([...poison, 'b', 'c']));
  const before = done.length;
  expect(await find()).toMatchObject({ skipped: [], failed: undefined });
  expect(done).toHaveLength(before);
});

it('checks the changes of the other types when those of one cannot be read', async () => {
  const { foundation } = world;
  const broken = 'awsclusters.infrastructure.cluster.x-k8s.io';
  const position = (of: string) =>
    of === broken ? Promise.reject(new Error('the log is older than it is kept')) : foundation.store.position(of);
  const lost = createLostDispatch({ ...foundation, store: { ...foundation.store, position } });
  await lost.find(async () => {});
  await create('lost');
  const done: string[] = [];
  const find = () => lost.find(async ({ name }) => void done.push(name));
  await find();
  expect((await find()).failed).toMatchObject({ item: broken });
  expect(done).toEqual(['lost']);
});

it('names a change that cannot be dispatched in one entry a day', async () => {
  const { foundation } = world;
  const key = { namespace: 'default', name: 'lost' };
  await sweep();
  await create('lost');
  const request = foundation.workItems.request;
  foundation.workItems.request = async (...given) => {
    if (given[0].name === 'lost') throw new Error('refused');
    await request(...given);
  };
  sweeping = createSweeping(foundation, recordedSwitches([]));
  for (let n = 0; n < 24 * 6; n++) await sweep();
  const entries = world.lines.filter((line) => line.includes('Skipped what cannot be handled'));
  expect(entries).toHaveLength(1);
  expect(entries[0]).toContain(`${type} ${key.namespace}/${key.name}`);
  expect(entries[0]).toContain('refused');
});
