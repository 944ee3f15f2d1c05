/** The hourly resync with an object that cannot be read: it is named, and the others are visited as always. */
import { describe, expect, it } from 'vitest';
import type { WorkItem, WorkKey } from '../machinery/controller/work-item.ts';
import { collectorName, encryptedTypes } from '../machinery/gc/requests.ts';
import { composeFoundation, type Foundation } from '../runtime/foundation.ts';
import { housekeepingOf } from '../runtime/sweep.ts';
import { damage } from '../test/damage.ts';
import { createSweeping } from './runtime/sweeping.ts';
import { recordedSwitches } from './switches.fixture.ts';
import { createWorld, type World } from './world.fixture.ts';

const machines = 'machines.cluster.x-k8s.io';
const clusters = 'clusters.cluster.x-k8s.io';
const hour = 3_600_000;

const put = ({ foundation }: World, type: string, kind: string, name: string, more: object = {}) =>
  foundation.store.commit(type, { namespace: 'default', name }, () => ({
    do: 'put',
    object: {
      apiVersion: kind === 'Secret' ? 'v1' : 'cluster.x-k8s.io/v1beta2',
      kind,
      metadata: { namespace: 'default', name, uid: `uid-of-${name}`, generation: 1 },
      ...more,
    },
  }));

const settled = {
  spec: {},
  status: {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Available', status: 'True' },
    ],
  },
};

/** For each hour, the names that it requested, by type. Each hour runs in a new process, as on Lambda. */
const observe = async (world: World, hours: number, change: (process: Foundation) => void = () => {}) => {
  const asked: Record<string, string[]>[] = [];
  const errors: string[] = [];
  for (let n = 0; n < hours; n++) {
    await world.clock.advance(hour);
    world.sent.length = 0;
    const process = composeFoundation(world.foundation);
    change(process);
    await createSweeping(process, recordedSwitches([]))
      .resync()
      .catch((error) => errors.push(String(error)));
    const keys = world.sent.map(({ key }) => key as WorkKey);
    const collector = housekeepingOf(process).runners[collectorName]!;
    // The sweep may not decrypt, so the garbage collector's function looks at Secrets.
    for (const key of keys.filter(({ type }) => type === encryptedTypes)) await collector.run(key, {} as WorkItem);
    asked.push(
      Object.fromEntries(
        [machines, clusters].map((type) => [type, keys.filter((key) => key.type === type).map(({ name }) => name)]),
      ),
    );
  }
  return { asked, errors };
};

const populated = async () => {
  const world = createWorld();
  for (let n = 0; n < 48; n++) await put(world, machines, 'Machine', `m${n}`, settled);
  await put(world, clusters, 'Cluster', 'k', settled);
  await put(world, 'secrets', 'Secret', 's', { data: { a: 'YQ==' } });
  return world;
};

describe.each([
  { what: 'a Secret', type: 'secrets', name: 's' },
  { what: 'a Cluster', type: clusters, name: 'k' },
  { what: 'a Machine', type: machines, name: 'm7' },
])('with $what that is damaged, a resync', ({ type, name }) => {
  it('visits the others evenly, and names it once a day', async () => {
    const world = await populated();
    await damage(world.foundation.objects, type, { namespace: 'default', name });
    const { asked, errors } = await observe(world, 26);
    expect(errors).toEqual([]);
    const others = asked.slice(1).map((hourly) => hourly[machines]!.filter((one) => one !== name).length);
    expect(Math.max(...others)).toBeLessThanOrEqual(12);
    expect(others.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    const entries = world.lines.filter((line) => line.includes('Skipped what cannot be handled'));
    expect(entries).toHaveLength(2);
    expect(entries[0]).toContain(`${type} default/${name}`);
  });
});

it('requests a damaged object each hour, so that it goes on once it is restored', async () => {
  const world = await populated();
  await damage(world.foundation.objects, clusters, { namespace: 'default', name: 'k' });
  const { asked } = await observe(world, 4);
  expect(asked.every((hourly) => hourly[clusters]!.includes('k'))).toBe(true);
});

it('goes on from where it was with a controller that failed, and does not visit the others again', async () => {
  const world = await populated();
  await observe(world, 1);
  const failing = await observe(world, 30, ({ store }) => {
    const { list } = store;
    store.list = (type, options) => (type === clusters ? Promise.reject(new Error('busy')) : list(type, options));
  });
  expect(failing.errors).toHaveLength(30);
  expect(failing.errors[0]).toContain('cluster');
  expect(Math.max(...failing.asked.map((hourly) => hourly[machines]!.length))).toBeLessThanOrEqual(12);
  const { asked, errors } = await observe(world, 1);
  expect(errors).toEqual([]);
  // More than a day passed, so it is due.
  expect(asked[0]![clusters]).toContain('k');
});
