/** What a pool does for pending pods while launches fail, machines never join, and users interfere. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import {
  addOther,
  cluster,
  guestOf,
  lackCapacity,
  machinesIn,
  nodesIn,
  openPool,
  placedIn,
  planOf,
  podsOf,
  poolLike,
  replicasOf,
  run,
  scalingsIn,
  sizes,
} from './pools.fixture.ts';
import { type Moment, minute, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'burst';
const second = 1 / 60;
/** Of 1500m CPU each, which fill the nodes of the quickstart's workers. */
const resident = 2;

const open = async (seed: number) => {
  world = await openPool(quickstart, seed, pool, sizes(0, 20));
};
const scalings = () => scalingsIn(world);
const launches = (): number => world.calls(true).RunInstances ?? 0;
const decides = (replicas: number, minutes = 1) =>
  world.until(`${replicas} replicas`, () => replicasOf(world, pool) === replicas, minutes);
const grown = (count: number, minutes = 20) =>
  world.until(`${count} nodes`, () => nodesIn(world, pool) === count, minutes);

describe('pending pods', () => {
  it('that come within seconds cause two decisions at most, and no node too many', async () => {
    await open(1);
    const seen = scalings();
    for (let count = 1; count <= 8; count++) {
      await run(world, 5 * count, { cpu: '400m' });
      await world.pass(second);
    }
    await world.pass(0.5);
    // 40 pods, five a node. The workers take some of them.
    expect(seen[pool]!.length).toBeLessThanOrEqual(2);
    const bought = replicasOf(world, pool)!;
    await world.until('placed', () => nodesIn(world, pool) === bought, 20);
    await world.pass(10);
    expect(replicasOf(world, pool)).toBe(bought);
    expect([await placedIn(world), launches() > 0]).toEqual([40, true]);
    expect(world.live('instance')).toHaveLength(3 + bought);
    expect(bought).toBeLessThanOrEqual(8);
  });

  it('are bought for once: one launch a node, and none while they wait', async () => {
    await open(2);
    const [seen, before] = [scalings(), launches()];
    await run(world, resident + 4);
    await grown(4);
    await world.pass(10);
    expect(seen[pool]).toEqual(['0 -> 4']);
    expect(launches() - before).toBe(4);
    expect(await placedIn(world)).toBe(resident + 4);
  });

  it('that come with a rollout get nodes of the new template only', async () => {
    await open(9);
    await run(world, resident + 3);
    await grown(3);
    const old = world.all('MachineSet').find(({ metadata }) => metadata.name.startsWith(pool))!.metadata.name;
    const oldSizes: number[] = [];
    world.onCommit(({ object }) => {
      const { replicas } = (object?.spec ?? {}) as { replicas?: number };
      if (object?.kind === 'MachineSet' && object.metadata.name === old) oldSizes.push(replicas ?? 0);
    });
    await world.patch('MachineDeployment', pool, { spec: { template: { spec: { version: 'v1.35.1' } } } });
    await world.pass(second);
    await run(world, resident + 7);
    const isNew = ({ spec }: ReturnType<typeof machinesIn>[number]) => spec?.version === 'v1.35.1';
    await world.until('rolled out', () => machinesIn(world, pool).every(isNew) && nodesIn(world, pool) === 7, 60);
    expect([Math.max(...oldSizes), await placedIn(world)]).toEqual([3, resident + 7]);
  });

  it('that spread over zones get as many nodes in each zone, in one decision', async () => {
    await open(4);
    const zones = ['a', 'b', 'c'].map((letter) => `eu-central-1${letter}`);
    for (const zone of zones) {
      const like = poolLike(world, zone, sizes(0, 20));
      const { template } = like.spec as { template: { spec: object } };
      const spec = { ...(like.spec as object), template: { spec: { ...template.spec, failureDomain: zone } } };
      await world.apply({ ...like, spec });
    }
    await world.until('opted in', () => planOf(world)?.status?.pools?.length === 4, 2);
    const seen = scalings();
    const topologySpreadConstraints = [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'web' } },
      },
    ];
    await run(world, 11, { pod: { topologySpreadConstraints } });
    await world.until('decided', () => Object.keys(seen).length > 0, 15 * second + second);
    await world.until('placed', () => world.all('Machine').every(({ status }) => status?.nodeRef), 20);
    await world.pass(3);
    expect(await placedIn(world)).toBe(11);
    const nodes = await world.wait(guestOf(world).list('nodes'));
    const zoneOf = new Map(
      nodes.map(({ metadata: { name, labels } }) => [name, labels?.['topology.kubernetes.io/zone']]),
    );
    const counts = Map.groupBy(await podsOf(world), ({ spec }) => zoneOf.get(spec!.nodeName!));
    expect([...counts.values()].map((pods) => pods.length).sort()).toEqual([3, 4, 4]);
    expect(Object.values(seen).every((changes) => changes.length === 1)).toBe(true);
    expect(world.live('instance')).toHaveLength(3 + 11 - resident);
  });

  it('that no pool can ever take cause no launch, and the reason is told', async () => {
    await open(3);
    const before = launches();
    await run(world, 1, { name: 'picky', pod: { nodeSelector: { disk: 'ssd' } } });
    await run(world, 1, { name: 'huge', cpu: '64' });
    await world.until('refused', () => planOf(world)?.status?.refused === 2, 15 * second + second);
    const reasons = planOf(world)?.status?.pods?.map((group) => Object.values(group.reasons ?? {})[0]);
    expect(reasons?.toSorted()).toEqual(['Insufficient cpu', "node(s) didn't match Pod's node affinity/selector"]);
    await world.pass(30);
    expect([launches() - before, replicasOf(world, pool)]).toEqual([0, 0]);
  });
});

const other = 'other';
describe('without capacity', () => {
  it('for one type moves the pods to the pool of another within 30 seconds', async () => {
    await open(4);
    await addOther(world, other, 'm5.large');
    lackCapacity(world, 't3.large');
    await run(world, resident + 3);
    await decides(3);
    const asked = world.now();
    await world.until('moved', () => replicasOf(world, other) === 3 && replicasOf(world, pool) === 0, 2);
    expect(world.now() - asked).toBeLessThanOrEqual(30 * 1000);
    await world.until('nodes', () => nodesIn(world, other) === 3, 20);
    await world.pass(20);
    expect([replicasOf(world, pool), replicasOf(world, other), await placedIn(world)]).toEqual([0, 3, resident + 3]);
  });

  it('of the API, launches wait and no instance is doubled', async () => {
    await open(6);
    world.system.account.faults.add({ action: 'RunInstances', code: 'RequestLimitExceeded', count: 6 });
    await run(world, resident + 4);
    await decides(4);
    const asked = world.now();
    await world.until('launched', () => world.live('instance').length === 3 + 4, 5);
    expect(world.now() - asked).toBeLessThanOrEqual(minute);
    await grown(4);
    await world.until('settled', () => isSettled(world), 10);
    expectWhole(world);
    expect(replicasOf(world, pool)).toBe(4);
  });
});

describe('a pause', () => {
  it.each([
    {
      of: 'the MachineDeployment',
      pause: (paused: boolean) => world.patch('MachineDeployment', pool, { spec: { paused } }),
    },
    { of: 'the Cluster', pause: (paused: boolean) => world.patch('Cluster', cluster, { spec: { paused } }) },
  ])('of $of stops all writes, and the pool grows afterwards', async ({ pause }) => {
    await open(10);
    await pause(true);
    await world.pass(second * 5);
    const seen = scalings();
    await run(world, resident + 2);
    await world.pass(10);
    expect([seen[pool], replicasOf(world, pool)]).toEqual([undefined, 0]);
    await pause(false);
    await decides(2);
    await grown(2);
  });
});
