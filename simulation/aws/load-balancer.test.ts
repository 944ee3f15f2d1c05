import { expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';

const seconds = 1000;
const minutes = 60 * seconds;

const balanced = async (world: ReturnType<typeof openWorld>) => {
  const { vpc, publicSubnet, privateSubnet, gateway } = await world.make.network();
  const balancer = await world.make.loadBalancer('api', [publicSubnet]);
  const group = await world.make.targetGroup('api', vpc);
  const listener = await world.make.listener(balancer, group, 6443);
  const start = async (): Promise<string> => {
    const id = await world.make.instance(privateSubnet);
    await world.clock.advance(16 * seconds);
    await world.call('RegisterTargets', { TargetGroupArn: group, Targets: [{ Id: id }] });
    return id;
  };
  const health = async () => {
    const { TargetHealthDescriptions } = await world.call('DescribeTargetHealth', { TargetGroupArn: group });
    return TargetHealthDescriptions.map(({ TargetHealth }) => TargetHealth.State);
  };
  const served = () =>
    world.recorded.listening
      .get(listener)
      ?.healthyTargets()
      .map(({ instanceId }) => instanceId);
  return { vpc, publicSubnet, privateSubnet, gateway, balancer, group, listener, start, health, served };
};

it('is provisioned for two minutes, and forwards nothing before', async () => {
  const world = openWorld();
  const { balancer, start, served } = await balanced(world);
  const state = async () =>
    (await world.call('DescribeLoadBalancers', { LoadBalancerArns: [balancer] })).LoadBalancers[0]?.State.Code;
  await start();
  expect(await state()).toBe('provisioning');
  expect(served()).toEqual([]);
  await world.clock.advance(2 * minutes);
  expect(await state()).toBe('active');
});

it('checks targets at the interval and applies the thresholds', async () => {
  const world = openWorld();
  const { start, health } = await balanced(world);
  const id = await start();
  expect(await health()).toEqual(['initial']);
  world.answer(id);
  await world.clock.advance(5 * seconds);
  expect(await health()).toEqual(['initial']);
  await world.clock.advance(5 * seconds);
  expect(await health()).toEqual(['healthy']);
  world.answer(id, false);
  await world.clock.advance(25 * seconds);
  expect(await health()).toEqual(['healthy']);
  await world.clock.advance(5 * seconds);
  expect(await health()).toEqual(['unhealthy']);
});

it('schedules no checks while nothing changes, and keeps its rhythm when something does', async () => {
  const world = openWorld();
  const { start, health } = await balanced(world);
  const id = await start();
  world.answer(id);
  await world.clock.advance(10 * seconds);
  expect(await health()).toEqual(['healthy']);
  const asked = world.recorded.asked;
  await world.clock.advance(60 * minutes + 4 * seconds);
  expect(world.recorded.asked).toBe(asked);
  world.answer(id, false);
  await world.clock.advance(25 * seconds);
  expect(await health()).toEqual(['healthy']);
  await world.clock.advance(1 * seconds);
  expect(await health()).toEqual(['unhealthy']);
});

it('applies new thresholds from when they are set', async () => {
  const world = openWorld();
  const { start, health, group } = await balanced(world);
  const id = await start();
  world.answer(id);
  await world.clock.advance(10 * seconds);
  await world.call('ModifyTargetGroup', { TargetGroupArn: group, UnhealthyThresholdCount: 2 });
  world.answer(id, false);
  await world.clock.advance(20 * seconds);
  expect(await health()).toEqual(['unhealthy']);
});

it('may wait for an answer as long as its interval, unless it is an application load balancer', async () => {
  const world = openWorld();
  const { vpc } = await world.make.network();
  const created = (Protocol: string, HealthCheckTimeoutSeconds: number) =>
    refusal(
      world.call('CreateTargetGroup', {
        Name: `group-${Protocol.toLowerCase()}-${HealthCheckTimeoutSeconds}`,
        Protocol,
        Port: 6443,
        VpcId: vpc,
        TargetType: 'instance',
        HealthCheckProtocol: 'HTTPS',
        HealthCheckIntervalSeconds: 10,
        HealthCheckTimeoutSeconds,
      } as Parameters<typeof world.call<'CreateTargetGroup'>>[1]),
    );
  expect(await created('TCP', 10)).toBe('accepted');
  expect(await created('TCP', 11)).toBe('ValidationError');
  expect(await created('HTTPS', 9)).toBe('accepted');
  expect(await created('HTTPS', 10)).toBe('ValidationError');
});

it('routes to healthy targets, or to all when none is healthy', async () => {
  const world = openWorld();
  const { start, served } = await balanced(world);
  await world.clock.advance(2 * minutes);
  const [first, second] = [await start(), await start()];
  expect(served()).toEqual([first, second]);
  world.answer(second);
  await world.clock.advance(10 * seconds);
  expect(served()).toEqual([second]);
});

it('drains deregistered targets, and drops terminated ones', async () => {
  const world = openWorld();
  const { group, start, health, served } = await balanced(world);
  await world.clock.advance(2 * minutes);
  const [first, second] = [await start(), await start()];
  for (const id of [first, second]) world.answer(id);
  await world.clock.advance(10 * seconds);
  await world.call('DeregisterTargets', { TargetGroupArn: group, Targets: [{ Id: first }] });
  expect(await health()).toEqual(['draining', 'healthy']);
  expect(served()).toEqual([second]);
  await world.clock.advance(5 * minutes);
  expect(await health()).toEqual(['healthy']);
  await world.call('TerminateInstances', { InstanceIds: [second] });
  expect(await health()).toEqual(['unused']);
  await world.clock.advance(1 * minutes);
  expect(await health()).toEqual([]);
  const asked = world.recorded.asked;
  await world.clock.advance(1 * minutes);
  expect(world.recorded.asked).toBe(asked);
});

it('accepts only running instances of its VPC', async () => {
  const world = openWorld();
  const { group, privateSubnet } = await balanced(world);
  const pending = await world.make.instance(privateSubnet);
  const foreign = await world.make.instance((await world.make.network()).privateSubnet);
  const register = (Id: string) => refusal(world.call('RegisterTargets', { TargetGroupArn: group, Targets: [{ Id }] }));
  expect(await register(pending)).toBe('InvalidTarget');
  await world.clock.advance(20 * seconds);
  expect(await register(pending)).toBe('accepted');
  expect(await register(foreign)).toBe('InvalidTarget');
});

it('does not reach a target in a zone without its own subnet, unless cross-zone is enabled', async () => {
  const world = openWorld();
  const { vpc, group, balancer } = await balanced(world);
  const elsewhere = await world.make.subnet(vpc, '10.0.128.0/18', {}, 'us-east-1b');
  const id = await world.make.instance(elsewhere);
  await world.clock.advance(20 * seconds);
  await world.call('RegisterTargets', { TargetGroupArn: group, Targets: [{ Id: id }] });
  const read = async () =>
    (await world.call('DescribeTargetHealth', { TargetGroupArn: group })).TargetHealthDescriptions[0]?.TargetHealth;
  expect(await read()).toEqual({ State: 'unused', Reason: 'Target.NotInUse' });
  world.answer(id);
  await world.call('ModifyLoadBalancerAttributes', {
    LoadBalancerArn: balancer,
    Attributes: [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }],
  });
  expect(await read()).toEqual({ State: 'initial', Reason: 'Elb.InitialHealthChecking' });
  await world.clock.advance(10 * seconds);
  expect(await read()).toEqual({ State: 'healthy' });
});

it('leaves its interfaces in the subnets for a while after its deletion', async () => {
  const world = openWorld();
  const { vpc, publicSubnet, gateway, balancer, group, listener } = await balanced(world);
  const interfaces = async () =>
    (await world.call('DescribeNetworkInterfaces', { Filters: [{ Name: 'description', Values: ['ELB net/api/*'] }] }))
      .NetworkInterfaces.length;
  expect(await interfaces()).toBe(1);
  await world.call('DeleteLoadBalancer', { LoadBalancerArn: balancer });
  await world.call('DeleteLoadBalancer', { LoadBalancerArn: balancer });
  expect(world.recorded.listening.has(listener)).toBe(false);
  await world.call('DeleteTargetGroup', { TargetGroupArn: group });
  expect(await refusal(world.call('DeleteSubnet', { SubnetId: publicSubnet }))).toBe('DependencyViolation');
  expect(await refusal(world.call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc }))).toBe(
    'DependencyViolation',
  );
  await world.restart();
  await world.clock.advance(30 * seconds);
  expect(await interfaces()).toBe(0);
  await world.call('DeleteSubnet', { SubnetId: publicSubnet });
});

it('keeps its address when a listener is recreated', async () => {
  const world = openWorld();
  const { balancer, group, listener } = await balanced(world);
  const placeOf = async (arn: string) => {
    const { Listeners } = await world.call('DescribeListeners', { ListenerArns: [arn] });
    return Listeners[0]!.Endpoint.Port;
  };
  const before = await placeOf(listener);
  await world.call('DeleteListener', { ListenerArn: listener });
  const other = await world.make.listener(balancer, group, 6444);
  const again = await world.make.listener(balancer, group, 6443);
  expect(again).not.toBe(listener);
  expect(await placeOf(again)).toBe(before);
  expect(await placeOf(other)).not.toBe(before);
});

it('is found by name and port, or by the address of its listener', async () => {
  const world = openWorld();
  const { balancer, listener } = await balanced(world);
  await world.clock.advance(2 * minutes);
  const [described] = (await world.call('DescribeLoadBalancers', { LoadBalancerArns: [balancer] })).LoadBalancers;
  const [{ Endpoint } = { Endpoint: { Host: '', Port: 0 } }] = (
    await world.call('DescribeListeners', { LoadBalancerArn: balancer })
  ).Listeners;
  expect(Endpoint.Host).toBe('127.0.0.1');
  expect(world.account.endpoint(Endpoint.Host, Endpoint.Port)?.listenerArn).toBe(listener);
  expect(world.account.endpoint(described!.DNSName, 6443)?.listenerArn).toBe(listener);
  expect(world.account.endpoint(described!.DNSName, 443)).toBeUndefined();
});

it('cannot be deleted while deletion protection is on', async () => {
  const world = openWorld();
  const { balancer } = await balanced(world);
  const protect = (Value: string) =>
    world.call('ModifyLoadBalancerAttributes', {
      LoadBalancerArn: balancer,
      Attributes: [{ Key: 'deletion_protection.enabled', Value }],
    });
  await protect('true');
  expect(await refusal(world.call('DeleteLoadBalancer', { LoadBalancerArn: balancer }))).toBe('OperationNotPermitted');
  await protect('false');
  await world.call('DeleteLoadBalancer', { LoadBalancerArn: balancer });
});

it('needs an internet gateway to be internet-facing', async () => {
  const world = openWorld();
  const subnet = await world.make.subnet(await world.make.vpc(), '10.0.0.0/20');
  expect(await refusal(world.make.loadBalancer('api', [subnet]))).toBe('InvalidSubnet');
  await world.make.loadBalancer('api', [subnet], 'internal');
});
