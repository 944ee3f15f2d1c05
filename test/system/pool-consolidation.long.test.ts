/** Pods move to a cheaper node: the new node is ready first, and the move is not repeated. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dollarText } from '../../kinds/common/dollars.ts';
import { expectWhole, isSettled } from './checks.ts';
import { settledMoment } from './moments.ts';
import {
  addOther,
  eventsAbout,
  guestOf,
  lackCapacity,
  machinesIn,
  nodesIn,
  openPool,
  placedIn,
  planOf,
  podsOf,
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

const second = 1 / 60;
const [cheap, dear] = ['burst', 'large'];
const optIn = { 'capstan.dev/autoscale-consolidate': 'true' };
const annotate = (name: string, annotations: Record<string, string>) =>
  world.patch('MachineDeployment', name, { metadata: { annotations } });

/** Two pods on a node of the dear pool, which a node of the cheap pool has room for. */
const open = async (seed: number, annotations: Record<string, string> = optIn) => {
  world = await openPool(quickstart, seed, cheap, sizes(0, 0, annotations));
  await addOther(world, dear, 'm5.xlarge');
  await annotate(dear, annotations);
  // Fills the nodes of the quickstart's workers.
  await run(world, 2, { name: 'resident' });
  await world.pass(10 * second);
  await run(world, 3, { cpu: '900m' });
  await world.until('a node', () => nodesIn(world, dear) === 1, 20);
  await run(world, 2, { cpu: '900m' });
  await world.pass(12);
  expect([replicasOf(world, dear), await placedIn(world)]).toEqual([1, 2]);
};
const nodesOfPods = async () => (await podsOf(world)).map(({ spec }) => spec?.nodeName);
const readyIn = (name: string) =>
  machinesIn(world, name).filter(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'NodeReady' && is === 'True'),
  ).length;
const priceIn = (name: string): number =>
  Number(planOf(world)?.status?.pools?.find(({ pool }) => pool.endsWith(`/${name}`))?.price);
const allowCheap = () => annotate(cheap, { 'capstan.dev/autoscale-max': '5' });
const isOver = () => replicasOf(world, dear) === 0 && machinesIn(world, dear).length === 0;

describe('a cheaper node', () => {
  it('is ready before the pods of the dear one are evicted; then nothing moves for an hour', async () => {
    await open(1);
    const before = await nodesOfPods();
    const [seen, since] = [scalingsIn(world), world.now()];
    await allowCheap();
    await world.until('asked for', () => replicasOf(world, cheap) === 1, 1);
    expect(planOf(world)?.status?.move).toMatchObject({
      nodes: [machinesIn(world, dear)[0]!.status!.nodeRef!.name],
      pool: `MachineDeployment/default/${cheap}`,
      saving: dollarText(priceIn(dear) - priceIn(cheap)),
    });
    while (readyIn(cheap) === 0) {
      expect([replicasOf(world, dear), await nodesOfPods()]).toEqual([1, before]);
      await world.pass(5 * second);
    }
    await world.until('over', isOver, 10);
    expect((world.now() - since) / minute).toBeLessThanOrEqual(10);
    const [up, down] = [await eventsAbout(world, cheap), await eventsAbout(world, dear)];
    expect(up).toContainEqual(
      expect.stringMatching(
        /^ScaledUpGroup: Scaled up from 0 to 1 replicas to replace .*, which saves \$0\.\d+ an hour$/,
      ),
    );
    expect(down).toContainEqual(expect.stringMatching(/^ScaleDown: Removes node .*: Consolidated$/));
    await world.pass(1);
    const node = machinesIn(world, cheap)[0]!.status!.nodeRef!.name;
    expect(await nodesOfPods()).toEqual([node, node]);
    await world.pass(70);
    expect(seen).toEqual({ [cheap]: ['0 -> 1'], [dear]: ['1 -> 0'] });
    expect(planOf(world)?.status?.move).toBeUndefined();
    await world.until('settled', () => isSettled(world), 20);
    expectWhole(world);
  });

  it('is bought once, whenever the process dies', async () => {
    await open(2);
    const seen = scalingsIn(world);
    await allowCheap();
    for (let effects = 1; effects <= 40 && !isOver(); effects++) {
      world.crashAfter(1 + (effects % 7));
      await world.pass(0.3);
      expect(await placedIn(world)).toBeGreaterThanOrEqual(0);
      expect(replicasOf(world, cheap)).toBeLessThanOrEqual(1);
    }
    await world.until('over', isOver, 30);
    await world.pass(20);
    expect(seen).toEqual({ [cheap]: ['0 -> 1'], [dear]: ['1 -> 0'] });
    expect(await placedIn(world)).toBe(2);
  });

  it('is used although the status of the plan was lost', async () => {
    await open(3);
    const seen = scalingsIn(world);
    await allowCheap();
    await world.until('asked for', () => replicasOf(world, cheap) === 1, 1);
    const path = '/apis/capstan.dev/v1alpha1/namespaces/default/scalingplans/quickstart/status';
    const { code } = await world.request('PATCH', path, { status: null }, 'application/merge-patch+json');
    expect([code, planOf(world)?.status?.history]).toEqual([200, undefined]);
    await world.until('over', isOver, 15);
    await world.pass(20);
    expect(seen).toEqual({ [cheap]: ['0 -> 1'], [dear]: ['1 -> 0'] });
  });

  it('that never comes leaves the pods where they are, and is not asked for again soon', async () => {
    await open(4);
    const [before, seen] = [await nodesOfPods(), scalingsIn(world)];
    lackCapacity(world, 't3.large');
    await allowCheap();
    await world.until('given back', () => (seen[cheap]?.length ?? 0) === 2, 15);
    await world.pass(50);
    expect(seen).toEqual({ [cheap]: ['0 -> 1', '1 -> 0'] });
    expect(await nodesOfPods()).toEqual(before);
    expect(await eventsAbout(world, cheap)).toContainEqual(
      expect.stringMatching(/^ConsolidationWithdrawn: No longer replaces .*: the new node does not come$/),
    );
    world.system.account.faults.clear();
    await world.until('over', isOver, 60);
  });

  it('that other pods take is theirs', async () => {
    await open(5);
    const [before, seen] = [await nodesOfPods(), scalingsIn(world)];
    await allowCheap();
    await world.until('asked for', () => replicasOf(world, cheap) === 1, 1);
    await annotate(cheap, { 'capstan.dev/autoscale-max': '1' });
    await annotate(dear, { 'capstan.dev/autoscale-max': '1' });
    // The dear node has no room for it.
    await run(world, 2, { name: 'late', cpu: '1700m' });
    await world.until('placed', () => nodesIn(world, cheap) === 1, 15);
    await world.pass(20);
    expect([await placedIn(world, 'late'), await nodesOfPods()]).toEqual([2, before]);
    expect(seen).toEqual({ [cheap]: ['0 -> 1'] });
  });

  it('is not asked for beyond the quota of Machines', async () => {
    await open(8);
    const seen = scalingsIn(world);
    const annotations = { 'capstan.dev/max-machines': String(world.all('Machine').length) };
    const path = '/api/v1/namespaces/default';
    await world.request('PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json');
    await allowCheap();
    await world.pass(20);
    expect(seen).toEqual({});
  });

  it('is not bought for pools that did not opt in', async () => {
    await open(6, {});
    const seen = scalingsIn(world);
    await allowCheap();
    await world.pass(30);
    expect(seen).toEqual({});
  });
});

describe('a pod that must not be evicted', () => {
  it('keeps its node, which is explained', async () => {
    await open(7);
    await world.wait(
      guestOf(world).create({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'default', name: 'web' },
        spec: { minAvailable: 2, selector: { matchLabels: { app: 'web' } } },
      }),
    );
    const seen = scalingsIn(world);
    await allowCheap();
    await world.pass(30);
    expect(seen).toEqual({});
    expect(planOf(world)?.status?.nodes).toMatchObject([
      { reason: 'BlockedByPod', message: expect.stringMatching(/NotEnoughPdb$/) },
    ]);
  });
});
