import { describe, expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';

const spot = (MaxPrice?: string) => ({
  InstanceMarketOptions: {
    MarketType: 'spot' as const,
    SpotOptions: {
      SpotInstanceType: 'one-time' as const,
      InstanceInterruptionBehavior: 'terminate' as const,
      ...(MaxPrice && { MaxPrice }),
    },
  },
});
const open = async (behaviour = {}) => {
  const world = openWorld({ behaviour });
  const { privateSubnet } = await world.make.network();
  const launch = (token: string, more: object = {}) =>
    world.make.instance(privateSubnet, { ClientToken: token, InstanceType: 't3.large', ...more });
  return { world, launch };
};
const second = 1000;

describe('a launch in the spot market', () => {
  it.each([
    { rule: 'is accepted at the spot price', maxPrice: '0.03', is: 'accepted' },
    { rule: 'is refused below the spot price', maxPrice: '0.029', is: 'SpotMaxPriceTooLow' },
    { rule: 'is accepted without a maximum price', maxPrice: undefined, is: 'accepted' },
  ])('$rule', async ({ maxPrice, is }) => {
    const { launch } = await open();
    expect(await refusal(launch('a', spot(maxPrice)))).toBe(is);
  });

  it('counts for the quota of its market only', async () => {
    const { launch } = await open({ quotas: { vcpus: 2, spotVcpus: 2 } });
    expect(await refusal(launch('a', spot()))).toBe('accepted');
    expect(await refusal(launch('b', spot()))).toBe('MaxSpotInstanceCountExceeded');
    expect(await refusal(launch('c'))).toBe('accepted');
    expect(await refusal(launch('d'))).toBe('VcpuLimitExceeded');
  });

  it('lacks capacity apart from on-demand launches', async () => {
    const { world, launch } = await open();
    world.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity', market: 'spot' });
    expect(await refusal(launch('a', spot()))).toBe('InsufficientInstanceCapacity');
    expect(await refusal(launch('b'))).toBe('accepted');
  });
});

describe('an interruption', () => {
  const interrupted = async () => {
    const { world, launch } = await open();
    const id = await launch('a', spot());
    await world.clock.advance(60 * second);
    world.recorded.events.length = 0;
    world.account.interrupt(id);
    return { world, id };
  };

  it('is announced two minutes before the instance ends', async () => {
    const { world, id } = await interrupted();
    await world.clock.advance(119 * second);
    expect(world.recorded.events).toEqual([`${id} SpotInterruption`]);
    expect(await world.state(id)).toBe('running');
    await world.clock.advance(2 * second);
    expect(await world.state(id)).toBe('shutting-down');
    const { Reservations } = await world.call('DescribeInstances', { InstanceIds: [id] });
    expect(Reservations[0]!.Instances[0]).toMatchObject({
      InstanceLifecycle: 'spot',
      StateReason: { Code: 'Server.SpotInstanceTermination' },
    });
  });

  it('survives a restart of the account', async () => {
    const { world, id } = await interrupted();
    await world.restart(30 * second);
    await world.clock.advance(91 * second);
    expect(await world.state(id)).toBe('shutting-down');
  });

  it('is refused for an instance that is not interruptible', async () => {
    const { world, launch } = await open();
    const id = await launch('a');
    await world.clock.advance(60 * second);
    expect(() => world.account.interrupt(id)).toThrow('is not a Spot Instance');
    expect(() => world.account.rebalance('i-0123456789abcdef0')).toThrow('does not exist');
  });

  it('does not follow a recommendation to rebalance', async () => {
    const { world, launch } = await open();
    const id = await launch('a', spot());
    await world.clock.advance(60 * second);
    world.account.rebalance(id);
    await world.clock.advance(600 * second);
    expect(world.recorded.events.at(-1)).toBe(`${id} RebalanceRecommendation`);
    expect(await world.state(id)).toBe('running');
  });
});
