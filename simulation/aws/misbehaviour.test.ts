import { describe, expect, it } from 'vitest';
import { openWorld, refusal, region } from './account.fixture.ts';

const seconds = 1000;
const minutes = 60 * seconds;

describe('eventual consistency', () => {
  it('may hide a new resource, by ID and by tag, but never longer than the window', async () => {
    const seen = { missing: 0, found: 0, notFound: 0 };
    for (let seed = 0; seed < 30; seed++) {
      const world = openWorld({ seed, behaviour: { inconsistency: 2 * seconds, staleReads: 0.5 } });
      const vpc = await world.make.vpc({ cluster: 'mine' });
      const byTag = async () =>
        (await world.call('DescribeVpcs', { Filters: [{ Name: 'tag:cluster', Values: ['mine'] }] })).Vpcs.length;
      const byId = () => refusal(world.call('DescribeVpcs', { VpcIds: [vpc] }));
      if ((await byTag()) === 0) seen.missing++;
      else seen.found++;
      if ((await byId()) === 'InvalidVpcID.NotFound') seen.notFound++;
      await world.clock.advance(2 * seconds);
      expect(await byTag()).toBe(1);
      expect(await byId()).toBe('accepted');
    }
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(3);
  });

  it('may show the state before the last change, and filters match the state that is shown', async () => {
    const shown = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const world = openWorld({ seed, behaviour: { inconsistency: 2 * seconds, staleReads: 0.5 } });
      const id = await world.make.instance(await settledSubnet(world));
      await world.clock.advance(20 * seconds);
      await world.call('TerminateInstances', { InstanceIds: [id] });
      for (const Values of [['running'], ['shutting-down']]) {
        const found = await world.call('DescribeInstances', { Filters: [{ Name: 'instance-state-name', Values }] });
        for (const { Instances } of found.Reservations) expect(Values).toContain(Instances[0]!.State.Name);
      }
      shown.add(await world.state(id));
      await world.clock.advance(2 * seconds);
      expect(await world.state(id)).toBe('shutting-down');
    }
    expect([...shown].sort()).toEqual(['running', 'shutting-down']);
  });

  it('never launches twice for one token', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const world = openWorld({ seed, behaviour: { inconsistency: 2 * seconds, staleReads: 0.9 } });
      const subnet = await settledSubnet(world);
      const id = await world.make.instance(subnet, { ClientToken: 'token' });
      expect(await world.make.instance(subnet, { ClientToken: 'token' })).toBe(id);
    }
  });

  /** Waits after each creation until every read shows it. */
  const settledSubnet = async ({ make, clock }: ReturnType<typeof openWorld>): Promise<string> => {
    const vpc = await make.vpc();
    await clock.advance(2 * seconds);
    const subnet = await make.subnet(vpc, '10.0.0.0/20');
    await clock.advance(2 * seconds);
    return subnet;
  };
});

describe('faults', () => {
  it('limit capacity for one type in one zone', async () => {
    const world = openWorld();
    const vpc = await world.make.vpc();
    const here = await world.make.subnet(vpc, '10.0.0.0/20', {}, 'us-east-1a');
    const there = await world.make.subnet(vpc, '10.0.16.0/20', {}, 'us-east-1b');
    const code = 'InsufficientInstanceCapacity';
    const fault = world.account.faults.add({ action: 'RunInstances', code, zone: 'us-east-1a', type: 't3.large' });
    await expect(world.make.instance(here)).rejects.toThrow(/sufficient t3.large capacity .* \(us-east-1a\)/);
    expect(await refusal(world.make.instance(here, { InstanceType: 'm5.large' }))).toBe('accepted');
    expect(await refusal(world.make.instance(there))).toBe('accepted');
    await world.restart();
    expect(world.account.faults.list()).toEqual([fault]);
    expect(await refusal(world.make.instance(here))).toBe(code);
    world.account.faults.clear(fault.id);
    expect(await refusal(world.make.instance(here))).toBe('accepted');
  });

  it('apply as often as configured, before or after the effect', async () => {
    const world = openWorld();
    world.account.faults.add({ action: 'CreateVpc', code: 'UnauthorizedOperation', count: 2 });
    expect(await refusal(world.make.vpc())).toBe('UnauthorizedOperation');
    expect(await refusal(world.make.vpc())).toBe('UnauthorizedOperation');
    expect(world.account.list()).toEqual([]);
    world.account.faults.add({ action: '*', code: 'ServiceUnavailable', count: 1, afterEffect: true });
    expect(await refusal(world.make.vpc())).toBe('ServiceUnavailable');
    expect(world.account.list().map(({ type }) => type)).toEqual(['vpc']);
    expect(await refusal(world.make.vpc())).toBe('accepted');
  });

  it('terminate an instance that EC2 had accepted', async () => {
    const world = openWorld();
    const { privateSubnet } = await world.make.network();
    world.account.faults.add({ action: 'RunInstances', code: 'Server.InternalError', count: 1 });
    const id = await world.make.instance(privateSubnet);
    expect(await world.state(id)).toBe('pending');
    await world.clock.advance(20 * seconds);
    expect(await world.state(id)).toBe('terminated');
    expect(world.recorded.booted).toEqual([]);
    const { Reservations } = await world.call('DescribeInstances', { InstanceIds: [id] });
    expect(Reservations[0]?.Instances[0]?.StateReason?.Code).toBe('Server.InternalError');
  });

  it.each([
    { rule: 'the VPC has no internet gateway', code: 'Gateway.NotAttached', attach: false, used: false },
    { rule: 'another resource uses its address', code: 'Resource.AlreadyAssociated', attach: true, used: true },
  ])('a NAT gateway fails later when $rule', async ({ code, attach, used }) => {
    const world = openWorld();
    const vpc = await world.make.vpc();
    if (attach) await world.make.internetGateway(vpc);
    const subnet = await world.make.subnet(vpc, '10.0.0.0/20');
    const address = await world.make.address();
    if (used) await world.make.natGateway(subnet, address);
    const id = await world.make.natGateway(subnet, address);
    const read = async () => (await world.call('DescribeNatGateways', { NatGatewayIds: [id] })).NatGateways[0];
    expect(await read()).toMatchObject({ State: 'pending' });
    await world.clock.advance(1 * minutes);
    expect(await read()).toMatchObject({ State: 'failed', FailureCode: code });
    await world.clock.advance(61 * minutes);
    expect(await refusal(read())).toBe('NatGatewayNotFound');
  });
});

describe('throttling', () => {
  it.each([
    { action: 'RunInstances', burst: 5, refill: 2, code: 'RequestLimitExceeded' },
    { action: 'CreateNatGateway', burst: 10, refill: 1, code: 'RequestLimitExceeded' },
    { action: 'CreateVpcEndpoint', burst: 4, refill: 0.3, code: 'RequestLimitExceeded' },
    { action: 'CreateVpc', burst: 50, refill: 5, code: 'RequestLimitExceeded' },
    { action: 'DescribeInstances', burst: 50, refill: 10, code: 'RequestLimitExceeded' },
    { action: 'DescribeVpcs', burst: 100, refill: 20, code: 'RequestLimitExceeded' },
    { action: 'DescribeLoadBalancers', burst: 40, refill: 10, code: 'ThrottlingException' },
    { action: 'DescribeAutoScalingGroups', burst: 20, refill: 5, code: 'Throttling' },
  ] as const)('$action has a burst of $burst and a rate of $refill a second', async ({
    action,
    burst,
    refill,
    code,
  }) => {
    const world = openWorld({ behaviour: { throttling: true } });
    const codes = async (times: number) => {
      const answers: string[] = [];
      for (let n = 0; n < times; n++)
        answers.push(await refusal(world.account.call(region, action, {} as never).catch(tolerant)));
      return answers.filter((answer) => answer === code).length;
    };
    expect(await codes(burst)).toBe(0);
    expect(await codes(1)).toBe(1);
    await world.clock.advance(10 * seconds);
    expect(await codes(Math.min(burst, Math.floor(10 * refill)) + 1)).toBe(1);
  });

  /** Requests without parameters fail for other reasons, too. */
  const tolerant = (error: unknown): void => {
    if (!(error instanceof TypeError)) throw error;
  };

  it('counts the instances of a request', async () => {
    const world = openWorld({ behaviour: { throttling: true } });
    const InstanceIds = Array.from({ length: 600 }, () => 'i-00000000000000000');
    const terminate = () => refusal(world.call('TerminateInstances', { InstanceIds }));
    expect(await terminate()).toBe('InvalidInstanceID.NotFound');
    expect(await terminate()).toBe('RequestLimitExceeded');
  });

  it('scales with the speed', async () => {
    const world = openWorld({ behaviour: { throttling: true }, speed: 60 });
    for (let n = 0; n < 50; n++) await world.make.vpc().catch(() => {});
    expect(await refusal(world.make.vpc())).toBe('RequestLimitExceeded');
    await world.clock.advance(1 * seconds);
    expect(await refusal(world.make.vpc())).not.toBe('RequestLimitExceeded');
  });
});

describe('quotas', () => {
  it.each([
    { quota: 'vpcs', code: 'VpcLimitExceeded', make: (world: World) => world.make.vpc() },
    { quota: 'addresses', code: 'AddressLimitExceeded', make: (world: World) => world.make.address() },
    {
      quota: 'internetGateways',
      code: 'InternetGatewayLimitExceeded',
      make: (world: World) => world.make.internetGateway(),
    },
  ])('$quota', async ({ quota, code, make }) => {
    // The default VPC and its gateway count.
    const world = openWorld({ behaviour: { quotas: { [quota]: 3 } } });
    const answers: string[] = [];
    for (let n = 0; n < 4; n++) answers.push(await refusal(make(world)));
    expect(answers.at(-1)).toBe(code);
    expect(answers[0]).toBe('accepted');
  });
  type World = ReturnType<typeof openWorld>;
});

describe('events', () => {
  it('may be lost or arrive twice', async () => {
    const lossy = openWorld({ behaviour: { lostEvents: 1 } });
    const doubled = openWorld({ behaviour: { duplicatedEvents: 1 } });
    for (const world of [lossy, doubled]) {
      const { privateSubnet } = await world.make.network();
      await world.make.instance(privateSubnet);
      await world.clock.advance(1 * minutes);
    }
    expect(lossy.recorded.events).toEqual([]);
    expect(doubled.recorded.events.map((event) => event.split(' ')[1]).sort()).toEqual([
      'pending',
      'pending',
      'running',
      'running',
    ]);
  });
});

describe('pages', () => {
  it('may be short while more follow, without losing anything', async () => {
    const world = openWorld({ behaviour: { shortPages: 0.7 } });
    const { privateSubnet } = await world.make.network();
    for (let n = 0; n < 20; n++) await world.make.instance(privateSubnet);
    const sizes: number[] = [];
    let NextToken: string | undefined;
    do {
      const page = await world.call('DescribeInstances', { MaxResults: 10, ...(NextToken && { NextToken }) });
      sizes.push(page.Reservations.length);
      NextToken = page.NextToken;
    } while (NextToken);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(20);
    expect(sizes.length).toBeGreaterThan(2);
  });
});

it('repeats for the same seed', async () => {
  const story = async (seed: number) => {
    const world = openWorld({ seed, behaviour: { inconsistency: 2000, staleReads: 0.3, duplicatedEvents: 0.5 } });
    const answers: unknown[] = [];
    const { privateSubnet, publicSubnet } = await (async () => {
      for (;;) {
        const made = await world.make.network().catch(() => undefined);
        if (made) return made;
        await world.clock.advance(500);
      }
    })();
    for (let n = 0; n < 5; n++) {
      answers.push(await world.make.instance(privateSubnet).catch(({ code }) => code));
      answers.push(await world.call('DescribeInstances', {}));
      await world.clock.advance(7 * seconds);
    }
    answers.push(await world.make.loadBalancer('api', [publicSubnet]), world.account.list(), world.recorded.events);
    return JSON.stringify(answers);
  };
  expect(await story(5)).toBe(await story(5));
  expect(await story(5)).not.toBe(await story(6));
});

it('refuses a region that does not exist', async () => {
  const world = openWorld();
  expect(await refusal(world.account.call('mars-north-1', 'DescribeVpcs', {}))).toBe('UnknownEndpoint');
});
