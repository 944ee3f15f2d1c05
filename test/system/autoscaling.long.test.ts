/** What a pool of the example quickstart does over hours: schedules, headroom, and AWS without capacity. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectWhole } from './checks.ts';
import { settledMoment } from './moments.ts';
import {
  type Annotations,
  cluster,
  eventsAbout,
  isDeciding,
  nodesIn,
  placedIn,
  planOf,
  poolLike,
  replicasOf,
  run as runPods,
  sizes,
} from './pools.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'burst';
const open = async (seed: number, now = quickstart.now) => {
  world = await createWorld({ from: { ...quickstart, now }, seed });
};

const deployment = (annotations: Annotations) => poolLike(world, pool, annotations);
const optIn = async (annotations: Annotations) => {
  await world.apply(deployment(annotations));
  await world.until('opted in', () => isDeciding(world), 5);
};
const placed = () => placedIn(world);
const run = (replicas: number, name = 'web', cpu = '1500m') => runPods(world, replicas, { name, cpu });
const plan = () => planOf(world);
const replicas = () => replicasOf(world, pool);
const nodes = () => nodesIn(world, pool);
const eventsOf = (about: string) => eventsAbout(world, about);

describe('a pool', () => {
  it('never buys twice for the same pods, whenever its process dies', async () => {
    await open(2);
    await optIn(sizes(0, 5));
    await run(4);
    for (let effects = 1; effects <= 12; effects++) {
      world.crashAfter(effects);
      await world.pass(0.3);
      expect(replicas()).toBeLessThanOrEqual(2);
    }
    await world.until('nodes', () => nodes() === 2, 20);
    await world.pass(10);
    expect(replicas()).toBe(2);
    expect(await placed()).toBe(4);
  });
});

describe('a schedule', () => {
  const minute = 60_000;
  const entry = '0 8 * * * timeZone=Europe/Berlin duration=1h min=4 max=6';
  it.each([
    { day: 'on which clocks go forward', start: '2026-03-29T06:00:00Z' },
    { day: 'on which clocks go back', start: '2026-10-25T07:00:00Z' },
  ])('raises the minimum at 08:00 in Berlin on the day $day, and returns to it afterwards', async ({ start }) => {
    const due = Date.parse(start);
    await open(10, due - 10 * minute);
    await optIn(sizes(0, 2, { 'capstan.dev/autoscale-schedule': entry }));
    await world.pass((due - world.now()) / minute - 1 / 60);
    expect(replicas(), 'a second before').toBe(0);
    await world.until('scaled up', () => replicas() === 4, 1);
    expect(world.now() - due).toBeLessThan(60 * 1000);
    expect(plan()?.status?.pools).toMatchObject([
      {
        min: 4,
        max: 6,
        replicas: 4,
        schedule: [entry],
        sizesUntil: new Date(due + 60 * minute).toISOString().replace('.000', ''),
      },
    ]);
    expect(await eventsOf(pool)).toContain('ScaledUpGroup: Scaled up from 0 to its minimum of 4 replicas');
    await world.until('nodes', () => nodes() === 4, 15);
    await world.pass((due + 60 * minute - world.now()) / minute - 1);
    expect(replicas(), 'unneeded nodes stay while the entry is active').toBe(4);
    await world.until('removed', () => replicas() === 0 && nodes() === 0, 30);
    expectWhole(world);
  });
});

describe('headroom', () => {
  it('keeps a node free, and gives way to pods, for which another node comes', async () => {
    await open(17);
    await optIn(sizes(0, 3, { 'capstan.dev/autoscale-headroom': 'pods=1 cpu=1500m memory=1Gi' }));
    await world.until('a node', () => nodes() === 1, 15);
    await world.pass(15);
    expect([replicas(), nodes()], 'the node is empty and stays').toEqual([1, 1]);
    expect(plan()?.status).toMatchObject({ pending: 0, pools: [{ headroom: { pods: 1, left: 0 } }] });
    // Two of them run on the workers of the quickstart, which no pool owns.
    await run(3);
    await world.until('headroom', () => replicas() === 2, 2);
    await world.until('nodes', () => nodes() === 2, 15);
    expect(await placed()).toBe(3);
    await world.patch('MachineDeployment', pool, {
      metadata: { annotations: { 'capstan.dev/autoscale-headroom': null } },
    });
    await run(0);
    await world.until('empty', () => replicas() === 0 && nodes() === 0, 30);
  });
});

describe('a limit', () => {
  const limit = () => world.condition('ScalingPlan', cluster, 'LimitReached');

  it('of the Machines of its namespace makes it give back replicas that get no Machine', async () => {
    await open(12);
    const machines = world.all('Machine').length;
    const most = (count: string | null) =>
      world.request(
        'PATCH',
        '/api/v1/namespaces/default',
        { metadata: { annotations: { 'capstan.dev/max-machines': count } } },
        'application/merge-patch+json',
      );
    await optIn(sizes(0, 5));
    // Lowered once the pool grows: its second Machine is not created any more.
    const stop = world.onCommit(({ type, name, object }) => {
      const { replicas: wanted = 0 } = (object?.spec ?? {}) as { replicas?: number };
      if (type.startsWith('machinedeployments.') && name === `default/${pool}` && wanted > 0)
        void most(String(machines + 1));
    });
    await run(4);
    await world.until('quota', () => limit()?.status === 'True', 3);
    stop();
    expect(limit()?.message).toContain('exceeded quota: annotation capstan.dev/max-machines of namespace default');
    expect(replicas()).toBeLessThan(2);
    const about = await eventsOf(pool);
    expect(about).toContain(
      'NoMachine: Gives back 1 replicas for which no Machine is created; see condition ScalingUp',
    );
    await world.pass(5);
    expect(replicas(), 'no replica is asked for in vain').toBeLessThan(2);
    await most(null);
    await world.until('nodes', () => nodes() === 2, 15);
    await world.pass(1);
    expect(limit()?.status).toBe('False');
  });
});

describe('without capacity in AWS', () => {
  it('gives replicas back, waits ever longer, and grows when there is capacity again', async () => {
    await open(8);
    world.system.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity' });
    await optIn(sizes(0, 5));
    await run(4);
    await world.until('asked for', () => replicas()! > 0, 2);
    await world.until('given back', () => replicas() === 0, 5);
    const launches = () => world.calls(true).RunInstances ?? 0;
    const before = launches();
    await world.pass(20);
    expect(launches() - before, 'launches in 20 minutes').toBeLessThan(16);
    const waiting = plan()?.status;
    expect(waiting).toMatchObject({ pending: 2 });
    world.system.account.faults.clear();
    await world.until('nodes', () => nodes() === 2, 30);
    await world.pass(3);
    expect(await placed()).toBe(4);
  });
});
