import { expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';

const seconds = 1000;
const minutes = 60 * seconds;

const balanced = async (world: ReturnType<typeof openWorld>) => {
  const { publicSubnet, privateSubnet, ...network } = await world.make.network();
  const name = await world.make.classicLoadBalancer('api', [publicSubnet]);
  const shown = async () =>
    (await world.call('DescribeClassicLoadBalancers', { LoadBalancerNames: [name] })).LoadBalancerDescriptions[0]!;
  const check = { Target: 'TCP:6443', Interval: 10, Timeout: 5, HealthyThreshold: 2, UnhealthyThreshold: 3 };
  await world.call('ConfigureHealthCheck', { LoadBalancerName: name, HealthCheck: check });
  const start = async (): Promise<string> => {
    const id = await world.make.instance(privateSubnet);
    await world.clock.advance(16 * seconds);
    const Instances = [{ InstanceId: id }];
    await world.call('RegisterInstancesWithLoadBalancer', { LoadBalancerName: name, Instances });
    return id;
  };
  const served = () =>
    [...world.recorded.listening.values()].flatMap((listener) =>
      listener.healthyTargets().map(({ instanceId, port }) => `${instanceId}:${port}`),
    );
  return { ...network, publicSubnet, privateSubnet, name, shown, check, start, served };
};

it('has a name that resolves after a while, and forwards nothing before', async () => {
  const world = openWorld();
  const { shown, start, served } = await balanced(world);
  const resolves = async () => (await shown()).ListenerDescriptions[0]?.Endpoint?.Resolves;
  const id = await start();
  world.answer(id);
  await world.clock.advance(20 * seconds);
  expect(await resolves()).toBe(false);
  expect(served()).toEqual([]);
  await world.clock.advance(10 * seconds);
  expect(await resolves()).toBe(true);
  expect(served()).toEqual([`${id}:6443`]);
});

it('forwards to healthy instances, and to none when none is healthy', async () => {
  const world = openWorld();
  const { start, served } = await balanced(world);
  await world.clock.advance(1 * minutes);
  const [first, second] = [await start(), await start()];
  expect(served()).toEqual([]);
  world.answer(second);
  await world.clock.advance(20 * seconds);
  expect(served()).toEqual([`${second}:6443`]);
  world.answer(first);
  await world.clock.advance(20 * seconds);
  expect(served()).toEqual([`${first}:6443`, `${second}:6443`]);
  world.answer(second, false);
  await world.clock.advance(30 * seconds);
  expect(served()).toEqual([`${first}:6443`]);
});

it('checks as it is configured, from then on', async () => {
  const world = openWorld();
  const { start, served, check, name: LoadBalancerName } = await balanced(world);
  await world.clock.advance(1 * minutes);
  const id = await start();
  await world.call('ConfigureHealthCheck', { LoadBalancerName, HealthCheck: { ...check, HealthyThreshold: 4 } });
  world.answer(id);
  await world.clock.advance(30 * seconds);
  expect(served()).toEqual([]);
  await world.clock.advance(10 * seconds);
  expect(served()).toEqual([`${id}:6443`]);
  const asked = world.recorded.asked;
  await world.clock.advance(10 * minutes);
  expect(world.recorded.asked).toBe(asked);
});

it('forwards nothing to an instance in a zone where it does not stand', async () => {
  const world = openWorld();
  const { vpc, name: LoadBalancerName, served } = await balanced(world);
  const elsewhere = await world.make.subnet(vpc, '10.0.224.0/20', {}, 'us-east-1b');
  const id = await world.make.instance(elsewhere);
  await world.clock.advance(1 * minutes);
  const Instances = [{ InstanceId: id }];
  await world.call('RegisterInstancesWithLoadBalancer', { LoadBalancerName, Instances });
  world.answer(id);
  await world.clock.advance(1 * minutes);
  expect(served()).toEqual([]);
  await world.call('AttachLoadBalancerToSubnets', { LoadBalancerName, Subnets: [elsewhere] });
  await world.clock.advance(1 * minutes);
  expect(served()).toEqual([`${id}:6443`]);
});

it('forgets terminated instances', async () => {
  const world = openWorld();
  const { start, shown } = await balanced(world);
  const id = await start();
  await world.call('TerminateInstances', { InstanceIds: [id] });
  await world.clock.advance(1 * minutes);
  expect((await shown()).Instances).toEqual([]);
});

it('rejects an instance of another network', async () => {
  const world = openWorld();
  const { name: LoadBalancerName } = await balanced(world);
  const elsewhere = await world.make.network();
  const id = await world.make.instance(elsewhere.publicSubnet);
  const Instances = [{ InstanceId: id }];
  expect(await refusal(world.call('RegisterInstancesWithLoadBalancer', { LoadBalancerName, Instances }))).toBe(
    'InvalidInstance',
  );
});

it('keeps its subnet and its security group from being deleted, for a while after its deletion', async () => {
  const world = openWorld();
  const { vpc, publicSubnet, gateway } = await world.make.network();
  const group = await world.make.securityGroup(vpc, 'balancer');
  const LoadBalancerName = await world.make.classicLoadBalancer('api', [publicSubnet], { SecurityGroups: [group] });
  const used = async () => [
    await refusal(world.call('DeleteSubnet', { SubnetId: publicSubnet })),
    await refusal(world.call('DeleteSecurityGroup', { GroupId: group })),
    await refusal(world.call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc })),
  ];
  const violations = ['DependencyViolation', 'DependencyViolation', 'DependencyViolation'];
  expect(await used()).toEqual(violations);
  await world.call('DeleteClassicLoadBalancer', { LoadBalancerName });
  expect(await used()).toEqual(violations);
  await world.make.classicLoadBalancer('api', [publicSubnet]);
  await world.call('DeleteClassicLoadBalancer', { LoadBalancerName });
  await world.clock.advance(30 * seconds);
  expect(await used()).toEqual(['accepted', 'accepted', 'accepted']);
});

it('has a quota', async () => {
  const world = openWorld({ behaviour: { quotas: { classicLoadBalancers: 1 } } });
  const { publicSubnet } = await balanced(world);
  expect(await refusal(world.make.classicLoadBalancer('other', [publicSubnet]))).toBe('TooManyLoadBalancers');
});

it('serves at the same address after a restart', async () => {
  const world = openWorld();
  const { start, shown, served } = await balanced(world);
  const id = await start();
  world.answer(id);
  await world.clock.advance(1 * minutes);
  const before = await shown();
  world.recorded.listening.clear();
  await world.restart();
  expect(await shown()).toEqual(before);
  expect(served()).toEqual([`${id}:6443`]);
});
