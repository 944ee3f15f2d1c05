import { expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';
import { overlaps, parseBlock } from './cidr.ts';

const seconds = 1000;

it('shows a route with a deleted target as a black hole', async () => {
  const world = openWorld();
  const { vpc, publicSubnet, gateway } = await world.make.network();
  const nat = await world.make.natGateway(publicSubnet, await world.make.address());
  const table = await world.make.routeTable(vpc);
  await world.call('CreateRoute', { RouteTableId: table, DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: nat });
  await world.call('CreateRoute', { RouteTableId: table, DestinationCidrBlock: '8.8.8.8/32', GatewayId: gateway });
  const states = async () =>
    (await world.call('DescribeRouteTables', { RouteTableIds: [table] })).RouteTables[0]?.Routes.map(
      ({ State }) => State,
    );
  await world.clock.advance(90 * seconds);
  expect(await states()).toEqual(['active', 'active', 'active']);
  await world.call('DeleteNatGateway', { NatGatewayId: nat });
  await world.clock.advance(60 * seconds);
  await world.call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc });
  expect(await states()).toEqual(['active', 'blackhole', 'blackhole']);
});

it('takes minutes to create and delete a NAT gateway', async () => {
  const world = openWorld();
  const { publicSubnet } = await world.make.network();
  const nat = await world.make.natGateway(publicSubnet, await world.make.address());
  const state = async () =>
    (await world.call('DescribeNatGateways', { Filter: [{ Name: 'nat-gateway-id', Values: [nat] }] })).NatGateways[0]
      ?.State;
  expect(await state()).toBe('pending');
  await world.clock.advance(89 * seconds);
  expect(await state()).toBe('pending');
  await world.clock.advance(1 * seconds);
  expect(await state()).toBe('available');
  await world.call('DeleteNatGateway', { NatGatewayId: nat });
  expect(await state()).toBe('deleting');
  await world.restart(60 * seconds);
  expect(await state()).toBe('deleted');
  await world.restart(3600 * seconds);
  await world.clock.advance(1 * seconds);
  expect(await state()).toBeUndefined();
});

it('associates more CIDR blocks with a VPC, and disassociates those without subnets', async () => {
  const world = openWorld();
  const vpc = await world.make.vpc();
  const associate = (CidrBlock: string) => world.call('AssociateVpcCidrBlock', { VpcId: vpc, CidrBlock });
  expect(await refusal(associate('10.0.128.0/20'))).toBe('InvalidVpc.Range');
  await associate('100.64.0.0/16');
  const subnet = await world.make.subnet(vpc, '100.64.0.0/20');
  const blocks = async () => (await world.call('DescribeVpcs', { VpcIds: [vpc] })).Vpcs[0]!.CidrBlockAssociationSet;
  const [primary, secondary] = await blocks();
  const disassociate = (AssociationId = '') => refusal(world.call('DisassociateVpcCidrBlock', { AssociationId }));
  expect(await disassociate(primary?.AssociationId)).toBe('OperationNotPermitted');
  expect(await disassociate(secondary?.AssociationId)).toBe('DependencyViolation');
  await world.call('DeleteSubnet', { SubnetId: subnet });
  expect(await disassociate(secondary?.AssociationId)).toBe('accepted');
  expect((await blocks()).map(({ CidrBlock }) => CidrBlock)).toEqual(['10.0.0.0/16']);
});

it.each([
  { cidr: '10.0.0.0/8', code: 'InvalidVpc.Range' },
  { cidr: '10.0.0.0/29', code: 'InvalidVpc.Range' },
  { cidr: '10.0.0.0', code: 'InvalidParameterValue' },
  { cidr: '10.0.0.256/16', code: 'InvalidParameterValue' },
  { cidr: '10.0.5.7/16', code: 'accepted' },
])('answers a VPC of $cidr with $code', async ({ cidr, code }) => {
  const world = openWorld();
  expect(await refusal(world.call('CreateVpc', { CidrBlock: cidr, TagSpecifications: [] }))).toBe(code);
});

it('does not restore a deleted default VPC', async () => {
  const world = openWorld();
  const [vpc] = (await world.call('DescribeVpcs', {})).Vpcs;
  for (const { SubnetId } of (await world.call('DescribeSubnets', {})).Subnets)
    await world.call('DeleteSubnet', { SubnetId });
  const [gateway] = (await world.call('DescribeInternetGateways', {})).InternetGateways;
  const InternetGatewayId = gateway!.InternetGatewayId;
  await world.call('DetachInternetGateway', { InternetGatewayId, VpcId: vpc!.VpcId });
  await world.call('DeleteInternetGateway', { InternetGatewayId });
  await world.call('DeleteVpc', { VpcId: vpc!.VpcId });
  await world.restart();
  expect((await world.call('DescribeVpcs', {})).Vpcs).toEqual([]);
});

it.each([
  { a: '10.0.0.0/16', b: '10.0.255.0/24', meet: true },
  { a: '10.0.255.0/24', b: '10.0.0.0/16', meet: true },
  { a: '10.0.0.0/24', b: '10.0.1.0/24', meet: false },
  { a: '0.0.0.0/0', b: '255.255.255.255/32', meet: true },
])('$a and $b overlap: $meet', ({ a, b, meet }) => {
  expect(overlaps(parseBlock(a)!, parseBlock(b)!)).toBe(meet);
});
