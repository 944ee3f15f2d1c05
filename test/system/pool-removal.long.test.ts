/** Which nodes leave a pool, and when. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settledMoment } from './moments.ts';
import { machinesIn, nodesIn, openPool, placedIn, planOf, podsOf, replicasOf, run, sizes } from './pools.fixture.ts';
import { type Moment, minute, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'burst';
const second = 1 / 60;
/** Nodes leave no sooner than this after a scale-up. */
const frozen = 10;
const unneeded = 2;

const open = async (seed: number, min = 0) => {
  world = await openPool(quickstart, seed, pool, sizes(min, 10));
  // Fills the nodes of the quickstart's workers.
  await run(world, 2, { name: 'resident' });
  await world.pass(10 * second);
};
/** One pod a node, each of a Deployment of its own. */
const fill = async (...names: string[]) => {
  for (const name of names) await run(world, 1, { name });
  await world.until('nodes', () => nodesIn(world, pool) === names.length, 20);
  await world.pass(frozen + 1);
};
const nodeOf = async (name: string): Promise<string> => (await podsOf(world, name))[0]!.spec!.nodeName!;
const left = () => machinesIn(world, pool).filter(({ metadata }) => !metadata.deletionTimestamp);

describe('an empty node', () => {
  it('leaves after its time, with exactly its Machine', async () => {
    await open(1);
    await fill('a', 'b', 'c');
    const node = await nodeOf('b');
    await run(world, 0, { name: 'b' });
    const since = world.now();
    await world.until('removed', () => replicasOf(world, pool) === 2, 5);
    const taken = (world.now() - since) / minute;
    expect(taken).toBeGreaterThanOrEqual(unneeded);
    expect(taken).toBeLessThanOrEqual(unneeded + 30 * second);
    await world.until('gone', () => machinesIn(world, pool).length === 2, 10);
    expect(left().map(({ status }) => status?.nodeRef?.name)).not.toContain(node);
    expect([await placedIn(world, 'a'), await placedIn(world, 'c')]).toEqual([1, 1]);
  });

  it('leaves together with all others, down to the minimum', async () => {
    await open(2, 1);
    await fill('a', 'b', 'c', 'd', 'e');
    for (const name of ['a', 'b', 'c', 'd', 'e']) await run(world, 0, { name });
    const since = world.now();
    await world.until('removed', () => replicasOf(world, pool) === 1, 5);
    expect((world.now() - since) / minute).toBeLessThanOrEqual(unneeded + 30 * second);
    await world.pass(20);
    expect([replicasOf(world, pool), nodesIn(world, pool)]).toEqual([1, 1]);
    expect(planOf(world)?.status?.nodes).toMatchObject([{ reason: 'NodeGroupMinSizeReached' }]);
  });

  it('stays when a pod comes before its time is over, and its time begins anew', async () => {
    await open(3);
    await fill('a', 'b');
    await run(world, 0, { name: 'b' });
    await world.pass(unneeded - 30 * second);
    await run(world, 1, { name: 'b' });
    await world.pass(1);
    await run(world, 0, { name: 'b' });
    const since = world.now();
    await world.until('removed', () => replicasOf(world, pool) === 1, 5);
    expect((world.now() - since) / minute).toBeGreaterThanOrEqual(unneeded);
  });
});

describe('an underutilised node', () => {
  it('is drained, and its pods wait less than 30 seconds', async () => {
    await open(4);
    // Two nodes with two pods each, of which one each stays.
    for (const name of ['a', 'b', 'c', 'd']) await run(world, 1, { name, cpu: '900m' });
    await world.until('nodes', () => nodesIn(world, pool) === 2, 20);
    await world.pass(frozen + 1);
    const first = await nodeOf('a');
    const names = ['a', 'b', 'c', 'd'];
    const beside = await Promise.all(names.map(async (name) => ({ name, node: await nodeOf(name) })));
    const other = beside.find(({ node }) => node !== first)!;
    const gone = beside.filter((one) => one.name !== 'a' && one !== other);
    for (const { name } of gone) await run(world, 0, { name });
    let [pending, most] = [0, 0];
    const since = world.now();
    while (replicasOf(world, pool) !== 1 || nodesIn(world, pool) !== 1) {
      await world.pass(5 * second);
      const waits = (await placedIn(world, 'a')) + (await placedIn(world, other.name)) < 2;
      pending = waits ? pending + 5 : 0;
      most = Math.max(most, pending);
      expect((world.now() - since) / minute).toBeLessThan(unneeded + 4);
    }
    expect(most).toBeLessThanOrEqual(30);
    expect([await placedIn(world, 'a'), await placedIn(world, other.name)]).toEqual([1, 1]);
  });

  it('stays while a pod on it must not be evicted', async () => {
    await open(5);
    await run(world, 1, { name: 'a', cpu: '900m' });
    await run(world, 1, { name: 'b', cpu: '900m' });
    await world.until('a node', () => nodesIn(world, pool) === 1, 20);
    await world.pass(frozen + 1);
    const [pod] = await podsOf(world, 'a');
    const annotations = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' };
    const guarded = { ...pod!, metadata: { ...pod!.metadata, annotations } };
    await world.wait(world.system.guests.clusters.all()[0]!.put([guarded]));
    await run(world, 0, { name: 'b' });
    // The workers have room for the pod.
    await run(world, 0, { name: 'resident' });
    await world.pass(15);
    expect([replicasOf(world, pool), nodesIn(world, pool)]).toEqual([1, 1]);
    expect(planOf(world)?.status?.nodes).toMatchObject([
      { reason: 'BlockedByPod', message: expect.stringContaining('NotSafeToEvictAnnotation') },
    ]);
  });
});
