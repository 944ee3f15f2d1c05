import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/aws-cluster/index.ts';
import { addCluster, createWorld, type World } from './world.ts';

const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const isReady = (world: World) => () => cluster(world)?.status?.ready === true;
const isGone = (world: World) => () => world.find('AWSCluster', 'demo') === undefined;
const mutating = (world: World) =>
  world.account.calls().reduce((sum, { mutating: changes, calls }) => sum + (changes ? calls : 0), 0);
const census = (world: World) => {
  const counts: Record<string, number> = {};
  for (const { type } of world.account.list()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};
const complete = {
  vpc: 1,
  subnet: 6,
  'internet-gateway': 1,
  'elastic-ip': 3,
  natgateway: 3,
  'route-table': 6,
  'security-group': 4,
  'load-balancer': 1,
  'target-group': 1,
  listener: 1,
};

describe('an AWSCluster on the simulated account', () => {
  it('comes up complete, says so, and goes down to nothing', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    expect(census(world)).toMatchObject(complete);
    const { spec, status } = cluster(world);
    expect(spec?.controlPlaneEndpoint).toEqual({ host: expect.any(String), port: expect.any(Number) });
    expect(spec?.network?.subnets).toHaveLength(6);
    expect(Object.keys(status?.failureDomains ?? {})).toEqual(['eu-west-1a', 'eu-west-1b', 'eu-west-1c']);
    expect(status?.conditions?.filter((one) => one.status !== 'True')).toEqual([]);
    // The interfaces of a load balancer are AWS's own.
    for (const { tags } of world.account.list().filter(({ type }) => type !== 'network-interface'))
      expect(tags).toMatchObject({
        'capstan.dev/installation': 'here',
        'capstan.dev/cluster-uid': 'uid-of-demo',
        'sigs.k8s.io/cluster-api-provider-aws/cluster/demo': 'owned',
      });
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it('does nothing when nothing happens', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    await world.run(70);
    const before = { writes: world.writes, calls: mutating(world) };
    await world.run(180);
    expect({ writes: world.writes, calls: mutating(world) }).toEqual(before);
  });

  it.each([
    1, 2, 3, 4, 5, 6,
  ])('doubles and orphans nothing while describe calls lag and lie (seed %i)', async (seed) => {
    const world = createWorld({ seed, behaviour: { inconsistency: 20_000, staleReads: 0.6, shortPages: 0.3 } });
    addCluster(world);
    await world.until(isReady(world));
    expect(census(world)).toMatchObject(complete);
    await world.run(120);
    expect(census(world)).toMatchObject(complete);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    await world.run(60);
    expect(world.account.list()).toEqual([]);
  });

  it.each(Array.from({ length: 12 }, (_, i) => i))('survives crashes between any two calls (seed %i)', async (seed) => {
    const world = createWorld({ seed, behaviour: { inconsistency: 5_000, staleReads: 0.5 } });
    addCluster(world);
    for (let crash = 0; crash < 12; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 5) % 7));
      await world.run(8);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isReady(world));
    expect(census(world)).toMatchObject(complete);
    world.remove('AWSCluster', 'demo');
    for (let crash = 0; crash < 8; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 3) % 5));
      await world.run(8);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([1, 4, 9, 20, 45, 90])('is deleted cleanly %i s into its creation', async (seconds) => {
    const world = createWorld({ seed: seconds, behaviour: { inconsistency: 5_000, staleReads: 0.5 } });
    addCluster(world);
    await world.run(seconds);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    await world.run(60);
    expect(world.account.list()).toEqual([]);
  });
});
