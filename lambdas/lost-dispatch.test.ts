/** A change that the table's stream lost is found by the sweep after the next one. */
import { beforeEach, expect, it } from 'vitest';
import type { KubeObject } from '../machinery/api/object.ts';
import { createDispatching } from './runtime/dispatching.ts';
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
const errors = () => world.lines.filter((line) => line.includes('Changes were not dispatched'));

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
