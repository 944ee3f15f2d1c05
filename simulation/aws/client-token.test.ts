import { expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';

const minutes = 60_000;

it('starts a second instance for the same token in another zone', async () => {
  const world = openWorld();
  const vpc = await world.make.vpc();
  const here = await world.make.subnet(vpc, '10.0.0.0/20', {}, 'us-east-1a');
  const there = await world.make.subnet(vpc, '10.0.16.0/20', {}, 'us-east-1b');
  const first = await world.make.instance(here, { ClientToken: 'token' });
  const second = await world.make.instance(there, { ClientToken: 'token' });
  expect(second).not.toBe(first);
  expect(await world.make.instance(here, { ClientToken: 'token' })).toBe(first);
});

it.each([
  { rule: 'at once', wait: 1 * minutes },
  { rule: 'after the instance is no longer listed', wait: 3 * 60 * minutes },
])('is used up by a terminated instance: $rule', async ({ wait }) => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet, { ClientToken: 'token' });
  await world.call('TerminateInstances', { InstanceIds: [id] });
  await world.clock.advance(wait);
  await world.restart();
  expect(await refusal(world.make.instance(privateSubnet, { ClientToken: 'token' }))).toBe(
    'IdempotentInstanceTerminated',
  );
  expect(await refusal(world.make.instance(privateSubnet, { ClientToken: 'token', KeyName: 'other' }))).toBe(
    'IdempotentParameterMismatch',
  );
});

it('is bound to its parameters by a launch without capacity', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  world.account.faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity', count: 1 });
  const launch = (InstanceType: string) => world.make.instance(privateSubnet, { ClientToken: 'token', InstanceType });
  expect(await refusal(launch('t3.large'))).toBe('InsufficientInstanceCapacity');
  await world.restart();
  expect(await refusal(launch('m5.large'))).toBe('IdempotentParameterMismatch');
  const id = await launch('t3.large');
  expect(await launch('t3.large')).toBe(id);
});

it('is not bound by a launch with invalid parameters', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  expect(
    await refusal(world.make.instance(privateSubnet, { ClientToken: 'token', KeyName: 'k', InstanceType: 'm5.tiny' })),
  ).toBe('InvalidParameterValue');
  await world.make.instance(privateSubnet, { ClientToken: 'token' });
});

it('returns the instance when the response to its launch was lost', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  world.account.faults.add({ action: 'RunInstances', code: 'InternalError', afterEffect: true, count: 1 });
  expect(await refusal(world.make.instance(privateSubnet, { ClientToken: 'token' }))).toBe('InternalError');
  const id = await world.make.instance(privateSubnet, { ClientToken: 'token' });
  const { Reservations } = await world.call('DescribeInstances', {});
  expect(Reservations.map(({ Instances }) => Instances[0]?.InstanceId)).toEqual([id]);
});

it('prevents duplicate route tables and gateway endpoints', async () => {
  const world = openWorld();
  const vpc = await world.make.vpc();
  const table = (tags: string) =>
    world.call('CreateRouteTable', {
      VpcId: vpc,
      ClientToken: 'table',
      TagSpecifications: [{ ResourceType: 'route-table', Tags: [{ Key: 'a', Value: tags }] }],
    });
  const { RouteTable } = await table('1');
  expect((await table('1')).RouteTable.RouteTableId).toBe(RouteTable.RouteTableId);
  expect(await refusal(table('2'))).toBe('IdempotentParameterMismatch');
  const endpoint = (ServiceName: string) =>
    world.call('CreateVpcEndpoint', {
      VpcId: vpc,
      ServiceName,
      RouteTableIds: [RouteTable.RouteTableId],
      ClientToken: 'endpoint',
      TagSpecifications: [],
    });
  const { VpcEndpoint } = await endpoint('com.amazonaws.us-east-1.s3');
  expect((await endpoint('com.amazonaws.us-east-1.s3')).VpcEndpoint.VpcEndpointId).toBe(VpcEndpoint.VpcEndpointId);
  expect(await refusal(endpoint('com.amazonaws.us-east-1.dynamodb'))).toBe('IdempotentParameterMismatch');
  expect(await refusal(world.call('DeleteVpc', { VpcId: vpc }))).toBe('DependencyViolation');
  await world.call('DeleteVpcEndpoints', { VpcEndpointIds: [VpcEndpoint.VpcEndpointId] });
  await world.call('DeleteRouteTable', { RouteTableId: RouteTable.RouteTableId });
  await world.call('DeleteVpc', { VpcId: vpc });
});
