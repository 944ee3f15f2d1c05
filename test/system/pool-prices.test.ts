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

  it.each(['12.5.1', '-1', 'many'])('of %s is refused', async (text) => {
    world = await openPool(quickstart, 4, cheap, sizes(0, 1));
    const { code, body } = await annotate(text);
    const field = 'metadata.annotations[capstan.dev/autoscale-max-dollars-per-hour]';
    expect([code, body.message]).toEqual([422, expect.stringContaining(`${field}: Invalid value: "${text}"`)]);
  });
});
