import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const isReady = (world: World) => () => cluster(world)?.status?.ready === true;
const region = 'eu-west-1';

const zoneWith = (name: string, isPublic: boolean, index: number, more: object = {}) => ({
  id: name,
  availabilityZone: `${region}a`,
  cidrBlock: `10.0.${index}.0/24`,
  isPublic,
  ...more,
});

/** Both stages, and what is left of the account. */
const untilGone = async (world: World) => {
  world.remove('AWSCluster', 'demo');
  await world.until(() => world.find('AWSCluster', 'demo') === undefined);
  return world.account.list();
};

const routesOf = async (world: World, isPublic: boolean) => {
  const subnet = cluster(world).spec?.network?.subnets?.find((one) => one.isPublic === isPublic && one.isIpv6);
  const { RouteTables } = await world.account.call(region, 'DescribeRouteTables', {
    RouteTableIds: [subnet?.routeTableId ?? ''],
  });
  return Object.fromEntries(
    RouteTables[0]!.Routes.map((route) => [
      route.DestinationIpv6CidrBlock ?? route.DestinationCidrBlock,
      (route.EgressOnlyInternetGatewayId ?? route.NatGatewayId ?? route.GatewayId)?.split('-')[0],
    ]),
  );
};

describe('an AWSCluster with IPv6', () => {
  it.each([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
  ])('is built in both families over crashes, and nothing is left of it (%i)', async (seed) => {
    const world = createWorld({ seed });
    addCluster(world, { network: { vpc: { ipv6: {} } }, controlPlaneLoadBalancer: { loadBalancerType: 'nlb' } });
    world.crashAfter(4 * seed + 3);
    await world.run(20);
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isReady(world));
    const { vpc, subnets = [] } = cluster(world).spec?.network ?? {};
    expect(vpc?.ipv6).toEqual({
      cidrBlock: expect.stringMatching(/^2600:1f18:[0-9a-f:]+::\/56$/),
      poolId: 'Amazon',
      egressOnlyInternetGatewayId: world.live('egress-only-internet-gateway')[0],
    });
    expect(world.live('egress-only-internet-gateway')).toHaveLength(1);
    const blocks = subnets.map(({ ipv6CidrBlock }) => ipv6CidrBlock);
    expect(new Set(blocks).size).toBe(6);
    expect(blocks[0]).toBe(vpc?.ipv6?.cidrBlock?.replace('/56', '/64'));
    const { Subnets } = await world.account.call(region, 'DescribeSubnets', {
      SubnetIds: subnets.map(({ resourceID }) => resourceID ?? ''),
    });
    expect(Subnets.every(({ AssignIpv6AddressOnCreation }) => AssignIpv6AddressOnCreation)).toBe(true);
    expect(Subnets.map(({ EnableDns64 }) => EnableDns64).toSorted()).toEqual([false, false, false, true, true, true]);
    const whole = vpc?.ipv6?.cidrBlock ?? '';
    expect(await routesOf(world, true)).toMatchObject({ '0.0.0.0/0': 'igw', '::/0': 'igw', [whole]: 'local' });
    expect(await routesOf(world, false)).toMatchObject({
      '0.0.0.0/0': 'nat',
      '::/0': 'eigw',
      '64:ff9b::/96': 'nat',
    });
    const { networkStatus, conditions } = cluster(world).status ?? {};
    expect(networkStatus?.apiServerElb?.loadBalancerIPAddressType).toBe('dualstack');
    expect(networkStatus?.securityGroups?.['apiserver-lb']?.ingressRule).toContainEqual(
      expect.objectContaining({ description: 'Kubernetes API from the VPC', ipv6CidrBlocks: [whole] }),
    );
    expect(conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
    expect(conditions?.map(({ type }) => type)).toContain('EgressOnlyInternetGatewayReady');
    expect(await untilGone(world)).toEqual([]);
  });

  it('gives its machines addresses of both families', async () => {
    const world = createWorld();
    const balancer = { loadBalancerType: 'nlb', targetGroupIPType: 'ipv6' };
    addCluster(world, { network: { vpc: { ipv6: {} } }, controlPlaneLoadBalancer: balancer });
    await world.until(isReady(world));
    addMachine(world, 'one', {
      controlPlane: true,
      spec: { assignPrimaryIPv6: 'enabled', instanceMetadataOptions: { httpProtocolIpv6: 'enabled' } },
    });
    await world.until(() => world.get<AWSMachine>('AWSMachine', 'one').status?.ready === true);
    const internal = world
      .get<AWSMachine>('AWSMachine', 'one')
      .status?.addresses?.filter(({ type }) => type === 'InternalIP')
      .map(({ address }) => address);
    expect(internal).toEqual([expect.stringMatching(/^10\./), expect.stringMatching(/^2600:1f18:/)]);
    const { Reservations } = await world.account.call(region, 'DescribeInstances', {});
    expect(Reservations[0]?.Instances[0]?.MetadataOptions.HttpProtocolIpv6).toBe('enabled');
    // Only an instance with a primary address can be a target of IPv6.
    const { TargetGroups } = await world.account.call(region, 'DescribeTargetGroups', {});
    expect(TargetGroups.map(({ IpAddressType }) => IpAddressType)).toEqual(['ipv6']);
    const { TargetHealthDescriptions } = await world.account.call(region, 'DescribeTargetHealth', {
      TargetGroupArn: TargetGroups[0]!.TargetGroupArn,
    });
    expect(TargetHealthDescriptions).toHaveLength(1);
    world.remove('AWSMachine', 'one');
    await world.until(() => world.find('AWSMachine', 'one') === undefined);
    expect(await untilGone(world)).toEqual([]);
  });

  it.each([
    {
      rule: 'of a pool of the account',
      ipv6: { poolId: 'ipv6pool-ec2-1', cidrBlock: '2001:db8:77::/56' },
      block: '2001:db8:77::/56',
      poolId: 'ipv6pool-ec2-1',
    },
    { rule: 'of an IPAM pool', ipv6: { ipamPool: { name: 'six', netmaskLength: 52 } }, block: '2001:db8::/52' },
  ])('takes the block $rule, and gives subnets that ask a part of it', async ({ ipv6, block, poolId }) => {
    const world = createWorld();
    const subnets = [
      zoneWith('out', true, 1),
      zoneWith('in', false, 2, { isIpv6: true }),
      zoneWith('own', false, 3, { isIpv6: true, ipv6CidrBlock: block.replace(/\/\d+$/, '/64') }),
    ];
    addCluster(world, { network: { vpc: { ipv6 }, subnets } });
    await world.until(isReady(world));
    const { vpc, subnets: filled = [] } = cluster(world).spec?.network ?? {};
    expect(vpc?.ipv6).toMatchObject({ cidrBlock: block, ...(poolId && { poolId }) });
    expect(filled.map(({ isIpv6, ipv6CidrBlock }) => isIpv6 && ipv6CidrBlock)).toEqual([
      undefined,
      block.replace(/::\/\d+$/, block.startsWith('2001:db8:77') ? ':1::/64' : ':0:1::/64'),
      block.replace(/\/\d+$/, '/64'),
    ]);
    // Not every subnet of the load balancer has IPv6.
    expect(cluster(world).status?.networkStatus?.apiServerElb?.loadBalancerIPAddressType).toBe('ipv4');
    expect(await untilGone(world)).toEqual([]);
  });

  it('asks for no egress-only gateway without IPv6', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    expect(await untilGone(world)).toEqual([]);
    expect(world.account.calls().filter(({ action }) => action.includes('EgressOnly'))).toEqual([]);
  });
});
