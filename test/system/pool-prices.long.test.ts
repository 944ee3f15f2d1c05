/** Pools that are chosen by their price, and the limit of what they cost together. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settledMoment } from './moments.ts';
import { addOther, cluster, nodesIn, openPool, planOf, replicasOf, run, sizes } from './pools.fixture.ts';
import type { Moment, World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

/** Their order by name is the reverse of that by price. */
const [dear, cheap] = ['dear', 'workers-t3'];
const mergePatch = 'application/merge-patch+json';
/** Of 1500m CPU each, which fill the nodes of the quickstart's workers. */
const resident = 2;

const open = async (seed: number) => {
  world = await openPool(quickstart, seed, cheap, sizes(0, 20));
  await addOther(world, dear, 'm5.large');
  await world.until('priced', () => priceOf(cheap) !== undefined && priceOf(dear) !== undefined, 2);
};
const stateOf = (name: string) =>
  planOf(world)?.status?.pools?.find(({ pool }) => pool === `MachineDeployment/default/${name}`);
const priceOf = (name: string) => stateOf(name)?.price;
const limit = () => world.condition('ScalingPlan', cluster, 'LimitReached');
const annotate = (dollars: string | null) =>
  world.patch('Cluster', cluster, {
    metadata: { annotations: { 'capstan.dev/autoscale-max-dollars-per-hour': dollars } },
  });

describe('the expander price', () => {
  it('picks the cheaper pool, and the plan tells the cost', async () => {
    await open(1);
    const { code } = await world.patch('ScalingPlan', cluster, { spec: { expanders: ['price'] } });
    expect(code).toBe(200);
    await run(world, resident + 3);
    await world.until('nodes', () => nodesIn(world, cheap) === 3, 20);
    await world.pass(1);
    expect(replicasOf(world, dear)).toBe(0);
    const [each, other] = [Number(priceOf(cheap)), Number(priceOf(dear))];
    expect(each).toBeLessThan(other);
    expect(Number(stateOf(cheap)?.dollarsPerHour)).toBeCloseTo(3 * each);
    expect(Number(planOf(world)?.status?.usage?.dollarsPerHour)).toBeCloseTo(3 * each);
  });
});

describe('spot prices', () => {
  const spot = 'spot';
  const addSpot = () => addOther(world, spot, 'm5.large', { spotMarketOptions: {} });
  const statusOf = (name: string) => world.find('AWSMachineTemplate', name)?.status?.price;

  it('are read when a spot pool opts in, and seldom afterwards', async () => {
    world = await openPool(quickstart, 5, cheap, sizes(0, 20));
    const reads = () => world.calls().DescribeSpotPriceHistory ?? 0;
    await world.pass(5);
    expect(reads(), 'without a spot pool').toBe(0);
    await addSpot();
    await world.until('priced', () => priceOf(spot) === '0.03', 2);
    expect(statusOf(spot)).toMatchObject({ zones: { 'eu-central-1a': '0.03' }, source: 'EC2 spot prices' });
    const before = reads();
    const { resourceVersion } = world.find('AWSMachineTemplate', spot)!.metadata;
    await world.pass(60);
    expect(reads() - before).toBeLessThanOrEqual(1);
    expect(world.find('AWSMachineTemplate', spot)!.metadata.resourceVersion).toBe(resourceVersion);
  });

  it('make a spot pool the cheapest, and are bounded by the on-demand price when they are denied', async () => {
    world = await openPool(quickstart, 6, cheap, sizes(0, 20));
    const denied = { action: 'DescribeSpotPriceHistory', code: 'UnauthorizedOperation' };
    const { id } = world.system.account.faults.add(denied);
    await addSpot();
    const refusal = 'DescribeSpotPriceHistory: UnauthorizedOperation';
    await world.until('bounded', () => statusOf(spot)?.source.includes(refusal) ?? false, 2);
    expect(statusOf(spot)?.dollarsPerHour).toBe(statusOf(spot)?.onDemand);
    world.system.account.faults.clear(id);
    await world.until('allowed', () => statusOf(spot)?.source === 'EC2 spot prices', 65);
    await run(world, resident + 2);
    await world.until('nodes', () => nodesIn(world, spot) === 2, 20);
    expect(replicasOf(world, cheap)).toBe(0);
  });
});

describe('on-demand prices', () => {
  const sourceOf = () => world.find('AWSMachineTemplate', dear)?.status?.price?.source;
  it('come from the table while the price list is denied', async () => {
    world = await openPool(quickstart, 7, cheap, sizes(0, 20));
    const { id } = world.system.account.faults.add({ action: 'GetProducts', code: 'AccessDeniedException' });
    await addOther(world, dear, 'm5.large');
    await world.until('from the table', () => /^price table.*AccessDenied/.test(sourceOf() ?? ''), 2);
    await world.until('shown', () => priceOf(dear) === '0.115', 1);
    world.system.account.faults.clear(id);
    await world.until('from the list', () => sourceOf() === 'EC2 price list', 65);
    await world.until('shown', () => priceOf(dear) !== '0.115', 1);
  });
});

describe('a limit of dollars an hour', () => {
  it('stops the pools, and is raised while pods wait', async () => {
    await open(2);
    const each = Number(priceOf(cheap));
    await annotate((2 * each).toFixed(4));
    await run(world, resident + 3);
    await world.until('limit', () => limit()?.status === 'True', 2);
    expect(limit()?.message).toContain('Pods stay pending: max cluster cost per hour reached (');
    expect([replicasOf(world, cheap), replicasOf(world, dear)]).toEqual([2, 0]);
    await annotate(null);
    await world.until('nodes', () => nodesIn(world, cheap) === 3, 20);
    expect(limit()?.status).toBe('False');
  });

  it.each([
    {
      rule: 'of a Cluster',
      path: `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/clusters/${cluster}`,
      text: '12.5.1',
    },
    { rule: 'of a Namespace', path: '/api/v1/namespaces/default', text: '-1' },
  ])('$rule must be dollars', async ({ path, text }) => {
    world = await openPool(quickstart, 4, cheap, sizes(0, 1));
    const annotations = { 'capstan.dev/autoscale-max-dollars-per-hour': text };
    const { code, body } = await world.request('PATCH', path, { metadata: { annotations } }, mergePatch);
    const field = 'metadata.annotations[capstan.dev/autoscale-max-dollars-per-hour]';
    expect([code, body.message]).toEqual([422, expect.stringContaining(`${field}: Invalid value: "${text}"`)]);
  });

  it.each([
    {
      rule: 'a ScalingPlan',
      path: `scalingplans/${cluster}`,
      spec: (most: unknown) => ({ limits: { dollarsPerHour: most } }),
    },
    { rule: 'the Installation', path: undefined, spec: (most: unknown) => ({ maxDollarsPerHour: most }) },
  ])('of $rule is text or a whole number', async ({ path, spec }) => {
    world = await openPool(quickstart, 8, cheap, sizes(0, 1));
    const root = '/apis/capstan.dev/v1alpha1';
    const at = path ? `${root}/namespaces/default/${path}` : `${root}/installations/capstan`;
    const codeOf = async (most: unknown) => (await world.request('PATCH', at, { spec: spec(most) }, mergePatch)).code;
    expect([await codeOf('12.50'), await codeOf(3), await codeOf('many'), await codeOf(-1)]).toEqual([
      200, 200, 422, 422,
    ]);
  });
});
