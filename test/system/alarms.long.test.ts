/** CloudWatch alarms give a pool other sizes within seconds, whatever becomes of their events. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wellBehaved } from '../../simulation/aws/index.ts';
import { settledMoment } from './moments.ts';
import { eventsAbout, isDeciding, nodesIn, planOf, poolLike, replicasOf, sizes } from './pools.fixture.ts';
import { createWorld, type Moment, type World } from './world.ts';

let quickstart: Moment;
let world: World;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const pool = 'pool';
const alarm = 'queue-deep';
const named = { 'capstan.dev/autoscale-alarms': `${alarm} min=3 max=6` };
const seconds = (count: number) => world.pass(count / 60);
const open = async (seed: number, annotations: object = named, lostEvents = 0) => {
  world = await createWorld({ from: quickstart, seed, behaviour: { ...wellBehaved, lostEvents } });
  await world.apply(poolLike(world, pool, sizes(0, 4, { ...annotations })));
  await world.until('opted in', () => isDeciding(world), 5);
};
const set = (state?: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA') => world.system.account.alarm('eu-central-1', alarm, state);
const reads = () => world.system.account.calls().find(({ action }) => action === 'DescribeAlarms')?.calls ?? 0;

describe('an alarm of a pool', () => {
  it('scales it within five seconds, and lets it shrink when it is over', async () => {
    await open(1);
    set('OK');
    await world.pass(6);
    expect(replicasOf(world, pool)).toBe(0);
    set('ALARM');
    await seconds(5);
    expect(replicasOf(world, pool)).toBe(3);
    expect(planOf(world)?.status?.pools).toMatchObject([{ min: 3, max: 6, alarms: [`${alarm} min=3 max=6`] }]);
    await world.until('nodes', () => nodesIn(world, pool) === 3, 20);
    set('OK');
    await world.until('its own size', () => replicasOf(world, pool) === 0, 30);
    expect(planOf(world)?.status?.pools?.[0]).not.toHaveProperty('alarms');
  });

  it('counts in ALARM only', async () => {
    await open(2);
    set('ALARM');
    await seconds(330);
    expect(replicasOf(world, pool)).toBe(3);
    set('INSUFFICIENT_DATA');
    await seconds(5);
    expect(planOf(world)?.status?.pools).toMatchObject([{ min: 0, max: 4 }]);
  });

  it('is found without its event', async () => {
    await open(3, named, 1);
    set('ALARM');
    await world.until('found', () => replicasOf(world, pool) === 3, 6);
  });

  it('that does not exist is an Event', async () => {
    await open(4);
    await world.pass(1);
    expect(await eventsAbout(world, 'quickstart')).toContain(`AlarmNotFound: There is no alarm ${alarm}`);
    expect(replicasOf(world, pool)).toBe(0);
  });

  it('is not polled while no pool names it', async () => {
    await open(5, {});
    set('ALARM');
    await world.pass(60);
    expect([reads(), replicasOf(world, pool)]).toEqual([0, 0]);
    await world.patch('MachineDeployment', pool, { metadata: { annotations: named } });
    await world.until('scaled', () => replicasOf(world, pool) === 3, 1);
    await world.patch('MachineDeployment', pool, {
      metadata: { annotations: { 'capstan.dev/autoscale-alarms': null } },
    });
    await world.pass(1);
    const before = reads();
    await world.pass(60);
    expect(reads()).toBe(before);
    expect(planOf(world)?.metadata.annotations).not.toHaveProperty(['capstan.dev/alarms']);
  });

  it('must have a size', async () => {
    await open(6, {});
    const annotations = { 'capstan.dev/autoscale-alarms': 'queue-deep' };
    const { code, body } = await world.patch('MachineDeployment', pool, { metadata: { annotations } });
    expect([code, body.message]).toEqual([422, expect.stringContaining('must be the name of an alarm with min=')]);
  });
});

describe('replicas that a user sets', () => {
  it.each([
    { to: 3, is: 3 },
    { to: 9, is: 4 },
    { to: 0, is: 1 },
  ])('are applied within the sizes of the pool: $to is $is', async ({ to, is }) => {
    world = await createWorld({ from: quickstart, seed: 7 });
    await world.apply(poolLike(world, pool, sizes(1, 4)));
    await world.until('opted in', () => isDeciding(world) && replicasOf(world, pool) === 1, 5);
    await world.until('it has a node', () => nodesIn(world, pool) === 1, 20);
    expect((await world.scale('MachineDeployment', pool, to)).code).toBe(200);
    await seconds(5);
    expect(replicasOf(world, pool)).toBe(is);
  });
});
