import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { awaitingAnnotation } from '../../kinds/infrastructure-aws/engine/step.ts';
import { type BehaviourOptions, wellBehaved } from '../../simulation/aws/index.ts';
import { seeds } from '../seeds.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const isReady = (world: World) => () => cluster(world)?.status?.ready === true;
const isGone = (world: World) => () => world.find('AWSCluster', 'demo') === undefined;
const mutating = (world: World) =>
  world.account.calls().reduce((sum, { mutating: changes, calls }) => sum + (changes ? calls : 0), 0);
const launched = async (world: World) => {
  await world.until(() => world.live('instance').length > 0);
  // Describe calls lag.
  await world.run(30);
  const { Reservations } = await world.account.call('eu-west-1', 'DescribeInstances', {});
  return Reservations[0]!.Instances[0]!;
};
const census = (world: World) => {
  const counts: Record<string, number> = {};
  for (const { type } of world.account.list()) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
};
const complete = {
  vpc: 1,
  subnet: 6,
  'internet-gateway': 1,
  'elastic-ip': 3,
  natgateway: 3,
  'route-table': 6,
  'security-group': 4,
  'load-balancer': 1,
  'target-group': 1,
  listener: 1,
};

describe('an AWSCluster on the simulated account', () => {
  it('becomes ready with all resources, and deletes all of them', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    expect(census(world)).toMatchObject(complete);
    const { spec, status } = cluster(world);
    expect(spec?.controlPlaneEndpoint).toEqual({ host: expect.any(String), port: expect.any(Number) });
    expect(spec?.network?.subnets).toHaveLength(6);
    expect(Object.keys(status?.failureDomains ?? {})).toEqual(['eu-west-1a', 'eu-west-1b', 'eu-west-1c']);
    expect(status?.conditions?.filter((one) => one.status !== 'True')).toEqual([]);
    // AWS owns the network interfaces of a load balancer.
    for (const { tags } of world.account.list().filter(({ type }) => type !== 'network-interface'))
      expect(tags).toMatchObject({
        'capstan.dev/installation': 'here',
        'capstan.dev/cluster-uid': 'uid-of-demo',
        'sigs.k8s.io/cluster-api-provider-aws/cluster/demo': 'owned',
      });
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([...seeds(12), 50, 53])('raises no alarm while nothing is wrong (seed %i)', async (seed) => {
    const world = createWorld({ seed });
    addCluster(world);
    await world.until(isReady(world));
    // A ready cluster needs no further changes.
    const done = mutating(world);
    await world.run(600);
    world.enqueue('AWSCluster', 'demo');
    await world.run(60);
    expect(mutating(world)).toBe(done);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.alarms).toEqual([]);
  });

  it('keeps and does not claim a load balancer of another owner', async () => {
    const world = createWorld();
    const call: World['account']['call'] = (region, action, input) => world.account.call(region, action, input);
    const { Vpc } = await call('eu-west-1', 'CreateVpc', { CidrBlock: '10.9.0.0/16', TagSpecifications: [] });
    await world.run(30);
    const { Subnet } = await call('eu-west-1', 'CreateSubnet', {
      VpcId: Vpc.VpcId,
      CidrBlock: '10.9.0.0/24',
      AvailabilityZone: 'eu-west-1a',
      TagSpecifications: [],
    });
    await world.run(30);
    await call('eu-west-1', 'CreateLoadBalancer', {
      Name: 'shared',
      Type: 'network',
      Scheme: 'internal',
      Subnets: [Subnet.SubnetId],
      Tags: [],
    });
    addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', name: 'shared' } });
    await world.run(300);
    const { status } = cluster(world);
    expect(status?.conditions?.find(({ type }) => type === 'LoadBalancerReady')).toMatchObject({
      reason: 'LoadBalancerFailed',
      message: expect.stringContaining("is not this cluster's: give another spec.controlPlaneLoadBalancer.name"),
    });
    expect(status?.networkStatus).not.toHaveProperty('apiServerElb');
    expect(world.live('listener')).toEqual([]);
  });

  it('routes private subnets through the NAT gateway of their zone', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    const { subnets = [] } = cluster(world).spec?.network ?? {};
    const { RouteTables } = await world.account.call('eu-west-1', 'DescribeRouteTables', {});
    const { NatGateways } = await world.account.call('eu-west-1', 'DescribeNatGateways', {});
    const zoneOf = (id: string | undefined) => subnets.find(({ resourceID }) => resourceID === id)?.availabilityZone;
    const through = subnets
      .filter(({ isPublic }) => !isPublic)
      .map(({ availabilityZone, routeTableId }) => {
        const { Routes = [] } = RouteTables.find(({ RouteTableId }) => RouteTableId === routeTableId) ?? {};
        const gateway = NatGateways.find((one) => Routes.some(({ NatGatewayId }) => NatGatewayId === one.NatGatewayId));
        return { of: availabilityZone, through: zoneOf(gateway?.SubnetId) };
      });
    expect(through).toEqual(['eu-west-1a', 'eu-west-1b', 'eu-west-1c'].map((zone) => ({ of: zone, through: zone })));
  });

  it('does nothing while nothing changes', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    const before = { writes: world.writes, calls: mutating(world) };
    await world.run(600);
    expect({ writes: world.writes, calls: mutating(world) }).toEqual(before);
  });

  it('describes only what it waits for, and nothing when it is ready', async () => {
    const world = createWorld();
    addCluster(world);
    const asked = () => {
      const counts = world.account.calls().map(({ action, calls }): [string, number] => [action, calls]);
      return Object.fromEntries(counts.filter(([, calls]) => calls > 0));
    };
    const isWaiting = () => awaitingAnnotation in (cluster(world).metadata.annotations ?? {});
    await world.until(isWaiting);
    const before = asked();
    await world.run(50);
    const more = Object.entries(asked()).filter(([action, calls]) => calls !== before[action]);
    expect(more.map(([action]) => action)).toEqual(['DescribeNatGateways']);
    await world.until(isReady(world));
    const whenReady = asked();
    world.enqueue('AWSCluster', 'demo');
    await world.run(1);
    expect(asked()).toEqual(whenReady);
  });

  it.each(seeds(6))('creates no duplicate and no orphan while describe calls are stale (seed %i)', async (seed) => {
    const world = createWorld({ seed, behaviour: { inconsistency: 20_000, staleReads: 0.6, shortPages: 0.3 } });
    addCluster(world);
    await world.until(isReady(world));
    expect(census(world)).toMatchObject(complete);
    await world.run(120);
    expect(census(world)).toMatchObject(complete);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    await world.run(60);
    expect(world.account.list()).toEqual([]);
  });

  it.each(seeds(12))('survives a crash between any two calls (seed %i)', async (seed) => {
    const world = createWorld({ seed, behaviour: { inconsistency: 5_000, staleReads: 0.5 } });
    addCluster(world);
    for (let crash = 0; crash < 12; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 5) % 7));
      await world.run(8);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isReady(world));
    expect(census(world)).toMatchObject(complete);
    world.remove('AWSCluster', 'demo');
    for (let crash = 0; crash < 8; crash += 1) {
      world.crashAfter(1 + ((seed + crash * 3) % 5));
      await world.run(8);
    }
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([1, 4, 9, 20, 45, 90])('is deleted completely %i s after its creation began', async (seconds) => {
    const world = createWorld({ seed: seconds, behaviour: { inconsistency: 5_000, staleReads: 0.5 } });
    addCluster(world);
    await world.run(seconds);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    await world.run(60);
    expect(world.account.list()).toEqual([]);
  });
});

it('is deleted as fast as AWS allows, even right after its creation', async () => {
  const world = createWorld({ speed: 1000 });
  addCluster(world);
  await world.until(isReady(world));
  world.remove('AWSCluster', 'demo');
  await world.until(isGone(world), 30);
});

it.each(seeds(12))('leaves nothing behind in a fast account with stale reads (seed %i)', async (seed) => {
  const behaviour = { inconsistency: 20_000, staleReads: 0.6, shortPages: 0.3 };
  const delays = { natGatewayAvailable: 100, natGatewayDeleted: 100, loadBalancerActive: 100, loadBalancerResolves: 0 };
  const world = createWorld({ seed, behaviour: { ...behaviour, delays } });
  addCluster(world);
  await world.run(seed * 2);
  world.remove('AWSCluster', 'demo');
  await world.until(isGone(world));
  await world.run(60);
  expect(world.account.list()).toEqual([]);
});

// A describe call that misses a resource seen before is no proof that it is gone.
it.each([1000, 1012, 1024, 1036, 1048])('leaves no network when it is deleted at its start (seed %i)', async (seed) => {
  const world = createWorld({ seed, behaviour: { inconsistency: 5_000, staleReads: 0.5 } });
  addCluster(world);
  await world.run(1);
  world.remove('AWSCluster', 'demo');
  await world.until(isGone(world));
  await world.run(60);
  expect(world.account.list()).toEqual([]);
});

describe('a network with special settings', () => {
  const withVpc = async (vpc: Record<string, unknown>, behaviour?: BehaviourOptions) => {
    const world = createWorld({ ...(behaviour && { behaviour }) });
    addCluster(world, { network: { vpc } });
    await world.until(isReady(world));
    return world;
  };

  it('empties the default security group of its own VPC only', async () => {
    const behaviour = { inconsistency: 5_000, staleReads: 0.5 };
    const world = await withVpc({ emptyRoutesDefaultVPCSecurityGroup: true }, behaviour);
    await world.run(70);
    const { SecurityGroups } = await world.account.call('eu-west-1', 'DescribeSecurityGroups', {
      Filters: [{ Name: 'group-name', Values: ['default'] }],
    });
    const own = cluster(world).spec?.network?.vpc?.id;
    expect(SecurityGroups).toHaveLength(2);
    for (const { VpcId, IpPermissions, IpPermissionsEgress } of SecurityGroups)
      expect([IpPermissions.length, IpPermissionsEgress.length]).toEqual(VpcId === own ? [0, 0] : [1, 1]);
    const before = mutating(world);
    await world.run(180);
    expect(mutating(world)).toBe(before);
  });

  it.each([
    { rule: 'by ID', ipamPool: { id: 'ipam-pool-0a', netmaskLength: 20 }, block: '10.192.0.0/20' },
    { rule: 'by name', ipamPool: { name: 'networks' }, block: '10.128.0.0/16' },
  ])('gets its CIDR block from an IPAM pool $rule', async ({ ipamPool, block }) => {
    const behaviour = { inconsistency: 5_000, staleReads: 0.5, ipamPools: { 'ipam-pool-0a': '10.192.0.0/12' } };
    const world = await withVpc({ ipamPool }, behaviour);
    const { vpc, subnets } = cluster(world).spec?.network ?? {};
    expect(vpc?.cidrBlock).toBe(block);
    const inside = ipaddr.parseCIDR(block);
    for (const { cidrBlock = '' } of subnets ?? []) expect(ipaddr.parseCIDR(cidrBlock)[0].match(inside)).toBe(true);
    expect(census(world)).toMatchObject(complete);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([1, 2, 3])('extends to Wavelength and local zones, and is deleted completely (seed %i)', async (seed) => {
    const zone = (id: string, availabilityZone: string, isPublic: boolean, block: number) => ({
      id,
      availabilityZone,
      isPublic,
      cidrBlock: `10.0.${block}.0/24`,
    });
    const world = createWorld({ seed, behaviour: { inconsistency: 5_000, staleReads: 0.5 } });
    const subnets = [
      zone('public', 'us-east-1b', true, 1),
      zone('private', 'us-east-1b', false, 2),
      zone('carrier', 'us-east-1-wl1-bos-wlz-1', true, 3),
      zone('carrier-private', 'us-east-1-wl1-bos-wlz-1', false, 4),
      zone('local', 'us-east-1-bos-1a', true, 5),
    ];
    addCluster(world, { region: 'us-east-1', network: { subnets } });
    world.crashAfter(4 * seed);
    await world.run(20);
    world.crashAfter(Number.POSITIVE_INFINITY);
    await world.until(isReady(world));
    const [carrier, ...more] = world.live('carrier-gateway');
    expect(more).toEqual([]);
    // An edge zone has no NAT gateway.
    expect(world.live('natgateway')).toHaveLength(1);
    const { vpc, subnets: filled } = cluster(world).spec?.network ?? {};
    expect(vpc?.carrierGatewayId).toBe(carrier);
    const { RouteTables } = await world.account.call('us-east-1', 'DescribeRouteTables', {
      Filters: [{ Name: 'vpc-id', Values: [vpc?.id ?? ''] }],
    });
    await world.run(30);
    const wayOut = (id: string) => {
      const subnet = filled?.find((one) => one.id === id);
      const table = RouteTables.find(({ RouteTableId }) => RouteTableId === subnet?.routeTableId);
      const { GatewayId, NatGatewayId, CarrierGatewayId } = table!.Routes.find(
        ({ DestinationCidrBlock }) => DestinationCidrBlock === '0.0.0.0/0',
      )!;
      return (CarrierGatewayId ?? NatGatewayId ?? GatewayId)?.split('-')[0];
    };
    expect(['public', 'private', 'carrier', 'carrier-private', 'local'].map(wayOut)).toEqual([
      'igw',
      'nat',
      'cagw',
      'nat',
      'igw',
    ]);
    expect(Object.keys(cluster(world).status?.failureDomains ?? {})).toEqual(['us-east-1b']);
    addMachine(world, 'one', { controlPlane: false, spec: { publicIP: true, subnet: { id: 'carrier' } } });
    await world.until(() => world.get<AWSMachine>('AWSMachine', 'one').status?.ready === true);
    expect(world.get<AWSMachine>('AWSMachine', 'one').status?.addresses).toContainEqual({
      type: 'ExternalIP',
      address: expect.any(String),
    });
    world.remove('AWSMachine', 'one');
    await world.until(() => world.find('AWSMachine', 'one') === undefined);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it.each([
    { rule: 'of the VPC', network: { vpc: { cidrBlock: '10.4.5.6/16' } }, subnets: 6 },
    {
      rule: 'of its subnets',
      network: {
        subnets: [
          { id: 'public', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.1.17/24', isPublic: true },
          { id: 'private', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.2.33/24', isPublic: false },
        ],
      },
      subnets: 2,
    },
    {
      rule: 'of another VPC block',
      network: { vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.9.9/18' }] } },
      subnets: 9,
    },
  ])('normalises a CIDR block with host bits: $rule', async ({ network, subnets }) => {
    const world = createWorld();
    addCluster(world, { network });
    await world.until(isReady(world));
    await world.run(60);
    const before = mutating(world);
    world.enqueue('AWSCluster', 'demo');
    await world.run(300);
    expect(mutating(world)).toBe(before);
    expect(world.live('subnet')).toHaveLength(subnets);
    expect(cluster(world).status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it('may consist of public subnets only', async () => {
    const world = createWorld();
    const subnets = [{ id: 'public', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.1.0/24', isPublic: true }];
    addCluster(world, { network: { subnets } });
    await world.until(isReady(world));
    expect(world.live('natgateway')).toEqual([]);
    expect(Object.keys(cluster(world).status?.failureDomains ?? {})).toEqual(['eu-west-1a']);
    addMachine(world, 'one', { spec: { publicIP: true } });
    await world.until(() => world.get<AWSMachine>('AWSMachine', 'one').status?.ready === true);
  });

  it('must have a public subnet', async () => {
    const world = createWorld();
    const subnets = [{ id: 'private', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.1.0/24', isPublic: false }];
    addCluster(world, { network: { subnets } });
    await world.run(120);
    const condition = cluster(world).status?.conditions?.find(({ type }) => type === 'SubnetsReady');
    expect(condition?.message).toBe('expected at least 1 public subnet but got 0');
  });

  it('reports a missing IPAM pool, and creates nothing', async () => {
    const world = createWorld();
    world.account.remove('ipam-pool', 'networks');
    addCluster(world, { network: { vpc: { ipamPool: { name: 'networks' } } } });
    await world.run(60);
    expect(world.account.list()).toEqual([]);
    const condition = cluster(world).status?.conditions?.find(({ type }) => type === 'VpcReady');
    expect(condition?.message).toMatch(/no IPv4 IPAM pool is named networks/);
    world.account.restore('ipam-pool', 'networks');
    await world.until(isReady(world));
  });

  it('names the instances in its subnets by resource name', async () => {
    const world = await withVpc({ privateDnsHostnameTypeOnLaunch: 'resource-name' });
    const { Subnets } = await world.account.call('eu-west-1', 'DescribeSubnets', {
      Filters: [{ Name: 'vpc-id', Values: [cluster(world).spec?.network?.vpc?.id ?? ''] }],
    });
    expect(Subnets.map((subnet) => subnet.PrivateDnsNameOptionsOnLaunch.HostnameType)).toEqual(
      Array(6).fill('resource-name'),
    );
    addMachine(world, 'one');
    const { InstanceId, PrivateDnsName } = await launched(world);
    expect(PrivateDnsName).toBe(`${InstanceId}.eu-west-1.compute.internal`);
  });
});

describe('the name of the load balancer', () => {
  it.each([
    { rule: 'must resolve by default', check: {}, waits: true },
    { rule: 'must resolve when the check is enabled', check: { dnsResolutionCheck: 'Enabled' }, waits: true },
    { rule: 'may be unresolved when the check is off', check: { dnsResolutionCheck: 'None' }, waits: false },
  ])('$rule', async ({ check, waits }) => {
    const world = createWorld({ behaviour: { ...wellBehaved, delays: { loadBalancerResolves: 300_000 } } });
    addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', ...check } });
    await world.run(300);
    expect(isReady(world)()).toBe(!waits);
    const condition = cluster(world).status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
    if (waits) expect(condition).toMatchObject({ status: 'False', reason: 'WaitForDNSNameResolve' });
    await world.run(200);
    expect(isReady(world)()).toBe(true);
    expect(Object.keys(cluster(world).spec?.controlPlaneEndpoint ?? {})).toEqual(['host', 'port']);
  });
});

it('keeps the load balancer in its subnet, whichever other subnets the zone has', async () => {
  const of = (id: string, block: number, isPublic: boolean, zone = 'a') => ({
    id,
    availabilityZone: `eu-west-1${zone}`,
    cidrBlock: `10.0.${block}.0/24`,
    isPublic,
  });
  const subnets = [of('public', 1, true), of('private', 2, false)];
  const world = createWorld();
  addCluster(world, { network: { subnets } });
  await world.until(isReady(world));
  const object = cluster(world);
  const network = {
    ...object.spec?.network,
    subnets: [of('public-first', 3, true), ...(object.spec?.network?.subnets ?? []), of('public-b', 4, true, 'b')],
  };
  world.put({ ...object, spec: { ...object.spec, network } });
  const gateways = world.live('natgateway');
  await world.run(300);
  expect(world.live('natgateway')).toEqual(gateways);
  expect(cluster(world).status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
  const { subnetIds } = cluster(world).status?.networkStatus?.apiServerElb ?? {};
  const named = cluster(world).spec?.network?.subnets ?? [];
  expect(subnetIds?.map((id) => named.find(({ resourceID }) => resourceID === id)?.id)).toEqual(['public', 'public-b']);
});

it('updates the health checks of its target group with the spec', async () => {
  const world = createWorld();
  addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', healthCheckProtocol: 'HTTPS' } });
  await world.until(isReady(world));
  await world.run(70);
  const before = mutating(world);
  const object = cluster(world);
  const controlPlaneLoadBalancer = {
    ...object.spec?.controlPlaneLoadBalancer,
    healthCheck: { intervalSeconds: 20, timeoutSeconds: 10, thresholdCount: 3, unhealthyThresholdCount: 4 },
  };
  world.put({ ...object, spec: { ...object.spec, controlPlaneLoadBalancer } });
  await world.run(120);
  const { TargetGroups } = await world.account.call('eu-west-1', 'DescribeTargetGroups', {});
  expect(TargetGroups).toMatchObject([
    {
      HealthCheckProtocol: 'HTTPS',
      HealthCheckPath: '/readyz',
      HealthCheckPort: 'traffic-port',
      HealthCheckIntervalSeconds: 20,
      HealthCheckTimeoutSeconds: 10,
      HealthyThresholdCount: 3,
      UnhealthyThresholdCount: 4,
    },
  ]);
  expect(cluster(world).status?.conditions?.filter(({ status }) => status !== 'True')).toEqual([]);
  expect(mutating(world)).toBe(before + 1);
});

describe('an AWSCluster with a given endpoint', () => {
  const read = (world: World, name: string) => world.get<AWSCluster>('AWSCluster', name);

  it('creates nothing next to the load balancer that serves it', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    const before = mutating(world);
    const [balancer] = world.live('load-balancer');
    addCluster(world, { ...cluster(world).spec }, 'moved');
    await world.run(1200);
    expect(mutating(world)).toBe(before);
    const { metadata, status } = read(world, 'moved');
    expect(metadata.annotations).toBeUndefined();
    const ready = status?.conditions?.find(({ type }) => type === 'LoadBalancerReady');
    expect(ready).toMatchObject({ status: 'False', severity: 'Error', reason: 'LoadBalancerFailed' });
    expect(balancer).toContain(`/${/is load balancer (\S+), which/.exec(ready?.message ?? '')?.[1]}/`);
    world.remove('AWSCluster', 'moved');
    await world.until(() => world.find('AWSCluster', 'moved') === undefined);
    expect(world.live('load-balancer')).toEqual([balancer]);
  });

  it('creates a load balancer where none serves it', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    const controlPlaneEndpoint = { host: 'api.example.com', port: 443 };
    addCluster(world, { ...cluster(world).spec, controlPlaneEndpoint }, 'other');
    await world.until(() => read(world, 'other').status?.ready === true);
    expect(read(world, 'other').spec?.controlPlaneEndpoint).toEqual(controlPlaneEndpoint);
    expect(world.live('load-balancer')).toHaveLength(2);
  });
});

describe('an AWSCluster that is refused', () => {
  const cases = [
    {
      rule: 'because of an application load balancer',
      spec: { controlPlaneLoadBalancer: { loadBalancerType: 'alb' } },
      type: 'LoadBalancerReady',
      says: /loadBalancerType to classic or nlb/,
      repair: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb' } },
    },
    {
      rule: 'because of IPv6 in a network without',
      spec: { network: { subnets: [{ id: 'six', isIpv6: true }] } },
      type: 'VpcReady',
      says: /spec.network.subnets\[0\].isIpv6: needs spec.network.vpc.ipv6, which is not set/,
      repair: { network: {} },
    },
    {
      rule: 'because of a missing identity',
      spec: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'other' } },
      type: 'PrincipalCredentialRetrieved',
      says: /does not exist/,
      repair: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'default' } },
    },
    {
      rule: 'because of an identity of another kind',
      spec: { identityRef: { kind: 'AWSClusterStaticIdentity', name: 'keys' } },
      type: 'PrincipalUsageAllowed',
      says: /not supported/,
      repair: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'default' } },
    },
  ];
  it.each(cases)('$rule creates nothing, reports why, and continues once it is corrected', async ({
    spec,
    type,
    says,
    repair,
  }) => {
    const world = createWorld();
    addCluster(world, spec);
    await world.run(60);
    expect(mutating(world)).toBe(0);
    const conditions = cluster(world).status?.conditions;
    expect(conditions?.find((one) => one.type === type)).toMatchObject({
      status: 'False',
      message: expect.stringMatching(says),
    });
    expect(conditions?.find((one) => one.type === 'Ready')?.status).toBe('False');
    const object = cluster(world);
    world.put({ ...object, spec: { ...object.spec, ...repair } });
    await world.until(isReady(world));
  });

  it('is deleted without any call', async () => {
    const world = createWorld();
    addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'alb' } });
    await world.run(10);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world), 60);
    expect(mutating(world)).toBe(0);
  });
});

describe('an AWSCluster in a region that does not exist', () => {
  const nowhere = async () => {
    const world = createWorld();
    addCluster(world, { region: 'mars-north-1' });
    await world.run(60);
    expect(cluster(world).status?.conditions?.find(({ type }) => type === 'VpcReady')).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/UnknownEndpoint/),
    });
    return world;
  };

  it('is deleted at once', async () => {
    const world = await nowhere();
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world), 60);
    expect(mutating(world)).toBe(0);
  });

  it('is kept while the regions cannot be listed', async () => {
    const world = await nowhere();
    world.account.faults.add({ action: 'DescribeRegions', code: 'UnauthorizedOperation' });
    world.remove('AWSCluster', 'demo');
    await world.run(300);
    expect(world.find('AWSCluster', 'demo')).toBeDefined();
    world.account.faults.clear();
    await world.until(isGone(world), 60);
  });

  it('is kept while an existing region is unreadable', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    world.account.faults.add({ action: 'DescribeVpcs', code: 'UnauthorizedOperation' });
    world.remove('AWSCluster', 'demo');
    await world.run(300);
    expect(world.find('AWSCluster', 'demo')).toBeDefined();
    world.account.faults.clear();
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });
});

describe('an AWSCluster with optional parts', () => {
  it('disassociates its route tables from subnets that are not its own', async () => {
    const world = createWorld({ behaviour: wellBehaved });
    addCluster(world);
    await world.until(isReady(world));
    const { account } = world;
    const { RouteTables } = await account.call('eu-west-1', 'DescribeRouteTables', {});
    const { RouteTableId, VpcId } = RouteTables.find(({ Tags }) => Tags.length > 0)!;
    await account.call('eu-west-1', 'AssociateVpcCidrBlock', { VpcId, CidrBlock: '100.64.0.0/16' });
    const { Subnet } = await account.call('eu-west-1', 'CreateSubnet', {
      VpcId,
      CidrBlock: '100.64.0.0/24',
      AvailabilityZone: 'eu-west-1a',
      TagSpecifications: [],
    });
    const { SubnetId } = Subnet;
    await account.call('eu-west-1', 'AssociateRouteTable', { RouteTableId, SubnetId });
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.live('route-table').length === 0);
    expect(world.live('subnet')).toEqual([SubnetId]);
    await account.call('eu-west-1', 'DeleteSubnet', { SubnetId });
    await world.until(isGone(world));
  });

  it.each([
    'disabled',
    'enabled',
  ] as const)('has a bastion while the spec enables one, with instance metadata tags %s in the account', async (tags) => {
    const world = createWorld({ behaviour: { instanceMetadataTags: tags } });
    const ami = world.account.addImage('eu-west-1', { name: 'bastion', architecture: 'x86_64' });
    addCluster(world, { bastion: { enabled: true, ami } });
    await world.until(isReady(world));
    expect(world.live('instance')).toHaveLength(1);
    expect(cluster(world).status?.bastion?.publicIp).toEqual(expect.any(String));
    const object = cluster(world);
    world.put({ ...object, spec: { ...object.spec, bastion: { enabled: false } } });
    await world.until(() => world.live('instance').length === 0);
    await world.until(() => cluster(world).status?.bastion === undefined);
    expect(cluster(world).status?.conditions?.map(({ type }) => type)).not.toContain('BastionHostReady');
  });

  it('stays ready while its bastion is stopped', async () => {
    const world = createWorld();
    const ami = world.account.addImage('eu-west-1', { name: 'bastion', architecture: 'x86_64' });
    addCluster(world, { bastion: { enabled: true, ami } });
    await world.until(isReady(world));
    await world.run(600);
    world.account.halt(cluster(world).status?.bastion?.id ?? '');
    world.enqueue('AWSCluster', 'demo');
    await world.until(() => cluster(world).status?.bastion?.instanceState === 'stopped');
    expect(cluster(world).status?.conditions?.filter((one) => one.status !== 'True')).toEqual([]);
    expect(world.alarms).toEqual([]);
    // No polling for a state that may last for weeks.
    await world.run(600);
    const { passes } = world;
    await world.run(600);
    expect(world.passes - passes).toBe(0);
    expect(world.live('instance')).toHaveLength(1);
  });

  describe.each([
    {},
    { inconsistency: 8_000, staleReads: 0.6 },
  ])('with a bastion, where describe calls lag %o', (behaviour) => {
    const bastioned = async (instanceType: string, during?: (world: World) => void) => {
      const world = createWorld({ behaviour });
      const ami = world.account.addImage('eu-west-1', { name: 'bastion', architecture: 'x86_64' });
      during?.(world);
      addCluster(world, { bastion: { enabled: true, instanceType, ami } });
      return world;
    };
    const change = (world: World, bastion: object) => {
      const { spec, ...object } = cluster(world);
      world.put({ ...object, spec: { ...spec, bastion: { ...spec?.bastion, ...bastion } } } as never);
    };
    const conditionOf = (world: World) =>
      cluster(world).status?.conditions?.find(({ type }) => type === 'BastionHostReady');
    const types = async (world: World) => {
      const { Reservations } = await world.account.call('eu-west-1', 'DescribeInstances', {});
      const all = Reservations.flatMap(({ Instances }) => Instances);
      return all.filter(({ State }) => State.Name === 'running').map(({ InstanceType }) => InstanceType);
    };
    const isUp = (world: World) => () => conditionOf(world)?.status === 'True';

    it.each([
      { rule: 'launches another type after a refusal', code: 'InsufficientInstanceCapacity', within: 60 },
      { rule: 'launches another type when a launch came to nothing', code: 'InternalError', within: 300 },
    ])('$rule', async ({ code, within }) => {
      const world = await bastioned('t3.micro', ({ account }) =>
        account.faults.add({ action: 'RunInstances', type: 't3.micro', code }),
      );
      await world.until(
        () =>
          conditionOf(world)?.severity !== undefined && world.events.some((one) => one.includes('FailedCreateBastion')),
      );
      await world.run(200);
      change(world, { instanceType: 't3.small' });
      await world.until(isUp(world), within);
      await world.run(300);
      expect(await types(world)).toEqual(['t3.small']);
    });

    it('launches none of another type while the first launch may have succeeded', async () => {
      const world = await bastioned('t3.micro', ({ account }) =>
        account.faults.add({ action: 'RunInstances', code: 'InternalError', afterEffect: true, count: 1 }),
      );
      await world.until(() => world.live('instance').length > 0);
      change(world, { instanceType: 't3.small' });
      await world.until(isUp(world));
      await world.run(600);
      expect(await types(world)).toEqual(['t3.micro']);
    });

    it('launches another one after the first was terminated at once', async () => {
      const world = await bastioned('t3.micro');
      await world.until(isUp(world));
      const [id = ''] = world.live('instance');
      await world.account.call('eu-west-1', 'TerminateInstances', { InstanceIds: [id] });
      world.enqueue('AWSCluster', 'demo');
      await world.until(() => world.live('instance').some((other) => other !== id), 180);
      await world.until(isUp(world), 120);
      await world.run(300);
      expect(await types(world)).toEqual(['t3.micro']);
    });

    it('launches another one when it was disabled for ten seconds', async () => {
      const world = await bastioned('t3.micro');
      await world.until(isUp(world));
      const [id] = world.live('instance');
      change(world, { enabled: false });
      await world.run(10);
      change(world, { enabled: true });
      await world.until(() => world.live('instance').some((other) => other !== id), 240);
      await world.until(isUp(world), 120);
      await world.run(300);
      expect(await types(world)).toEqual(['t3.micro']);
    });
  });

  it.each([
    { action: 'CreateNatGateway', code: 'NatGatewayLimitExceeded', type: 'natgateway', count: 3 },
    { action: 'CreateRouteTable', code: 'RouteTableLimitExceeded', type: 'route-table', count: 6 },
    { action: 'CreateNatGateway', code: 'IdempotentParameterMismatch', type: 'natgateway', count: 3 },
    { action: 'CreateRouteTable', code: 'IdempotentParameterMismatch', type: 'route-table', count: 6 },
  ] as const)('is created once with other tags after $action was refused with $code', async (fault) => {
    const world = createWorld();
    world.account.faults.add({ action: fault.action, code: fault.code });
    addCluster(world);
    await world.until(() => world.events.some((one) => one.includes(`Failed${fault.action.replace('Nat', 'NAT')}`)));
    const { spec, ...object } = cluster(world);
    world.put({ ...object, spec: { ...spec, additionalTags: { team: 'payments' } } } as never);
    await world.run(60);
    world.account.faults.clear();
    await world.until(isReady(world));
    await world.run(300);
    expect(world.live(fault.type)).toHaveLength(fault.count);
  });

  it('replaces a NAT gateway that was deleted right after its creation', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(() => world.live('natgateway').length === 3);
    const [NatGatewayId = ''] = world.live('natgateway');
    await world.account.call('eu-west-1', 'DeleteNatGateway', { NatGatewayId });
    await world.until(isReady(world), 1500);
    expect(world.live('natgateway')).toHaveLength(3);
  });

  it('has an internal second load balancer and additional listeners', async () => {
    const world = createWorld();
    addCluster(world, {
      controlPlaneLoadBalancer: { loadBalancerType: 'nlb', additionalListeners: [{ port: 22623 }] },
      secondaryControlPlaneLoadBalancer: { name: 'demo-inside', loadBalancerType: 'nlb', scheme: 'internal' },
    });
    await world.until(isReady(world));
    expect(census(world)).toMatchObject({ 'load-balancer': 2, listener: 3, 'target-group': 3 });
    expect(cluster(world).status?.networkStatus?.secondaryAPIServerELB?.scheme).toBe('internal');
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it('has subnets in secondary CIDR blocks, which hold nothing else', async () => {
    const world = createWorld();
    addCluster(world, { network: { vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.0.0/16' }] } } });
    await world.until(isReady(world));
    expect(census(world)).toMatchObject({ subnet: 9, natgateway: 3, 'load-balancer': 1 });
    expect(cluster(world).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'SecondaryCidrsReady', status: 'True' }),
    );
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it('carries as many tags as the preflight admits', async () => {
    const world = createWorld();
    const additionalTags = Object.fromEntries(Array.from({ length: 42 }, (_, i) => [`team/${i}`, 'a']));
    addCluster(world, { additionalTags, bastion: { enabled: true } });
    await world.until(isReady(world));
    const counts = world.account.list().map(({ tags }) => Object.keys(tags).length);
    expect(Math.max(...counts)).toBe(50);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it('creates subnets with names for IDs, and fills in the IDs from EC2', async () => {
    const world = createWorld();
    const subnets = ['a', 'b'].flatMap((zone, i) =>
      [true, false].map((isPublic, j) => ({
        id: `subnet-${zone}-${isPublic ? 'public' : 'private'}`,
        availabilityZone: `eu-west-1${zone}`,
        cidrBlock: `10.0.${16 * (2 * i + j)}.0/20`,
        isPublic,
      })),
    );
    const inside = subnets.filter(({ isPublic }) => isPublic).map(({ id }) => id);
    addCluster(world, { network: { subnets }, controlPlaneLoadBalancer: { loadBalancerType: 'nlb', subnets: inside } });
    await world.until(isReady(world));
    const filled = cluster(world).spec?.network?.subnets;
    expect(filled?.map(({ id, cidrBlock }) => [id, cidrBlock])).toEqual(subnets.map((one) => [one.id, one.cidrBlock]));
    expect(filled?.map(({ resourceID }) => resourceID).sort()).toEqual(world.live('subnet').sort());
    await world.run(600);
    expect(cluster(world).spec?.network?.subnets).toEqual(filled);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.account.list()).toEqual([]);
  });

  it('reports a subnet whose block another one has', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    const { spec, ...object } = cluster(world);
    const [first, ...others] = spec!.network!.subnets!;
    const extra = { id: 'extra', availabilityZone: 'eu-west-1a', isPublic: true };
    const subnets = [first, ...others, { ...extra, cidrBlock: '10.0.0.0/17' }];
    world.put({ ...object, spec: { ...spec, network: { ...spec!.network, subnets } } } as AWSCluster);
    const report = () => cluster(world).status?.conditions?.find(({ type }) => type === 'SubnetsReady');
    // At first, a lagging describe call may have missed its own subnet.
    await world.run(30);
    expect(report()).toMatchObject({ status: 'False', reason: 'SubnetsCreationStarted' });
    await world.run(120);
    expect(report()).toMatchObject({
      status: 'False',
      reason: 'SubnetsReconciliationFailed',
      message: expect.stringMatching(/^CreateSubnet: InvalidSubnet.Conflict: .*10\.0\.0\.0\/17/),
    });
    world.put({
      ...cluster(world),
      spec: { ...spec, network: { ...spec!.network, subnets: [first, ...others] } },
    } as AWSCluster);
    await world.until(() => report()?.status === 'True');
  });

  it('reports unsupported settings', async () => {
    const world = createWorld();
    addCluster(world, { s3Bucket: { name: 'bucket', presignedURLDuration: '1h' } });
    await world.until(isReady(world));
    const report = cluster(world).status?.conditions?.find(({ type }) => type === 'SpecActedOn');
    expect(report).toMatchObject({
      status: 'False',
      message: expect.stringMatching(/s3Bucket: The bucket for Ignition/),
    });
  });

  it('repairs changes by other clients', async () => {
    const world = createWorld();
    addCluster(world);
    await world.until(isReady(world));
    const region = 'eu-west-1';
    const { SecurityGroups } = await world.account.call(region, 'DescribeSecurityGroups', {
      Filters: [{ Name: 'group-name', Values: ['demo-node'] }],
    });
    const [group] = SecurityGroups;
    await world.account.call(region, 'RevokeSecurityGroupIngress', {
      GroupId: group!.GroupId,
      IpPermissions: group!.IpPermissions,
    });
    const strange = { IpProtocol: 'tcp', FromPort: 1, ToPort: 1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] };
    await world.account.call(region, 'AuthorizeSecurityGroupIngress', {
      GroupId: group!.GroupId,
      IpPermissions: [strange],
    });
    const isNoted = () => awaitingAnnotation in (cluster(world).metadata.annotations ?? {});
    expect(isNoted()).toBe(true);
    const object = cluster(world);
    world.put({ ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, touched: '' } } });
    await world.run(30);
    // The record already says that nothing is pending.
    expect(isNoted()).toBe(false);
    const after = await world.account.call(region, 'DescribeSecurityGroups', { GroupIds: [group!.GroupId] });
    const ports = after.SecurityGroups[0]!.IpPermissions.map(({ FromPort }) => FromPort);
    expect(ports).not.toContain(1);
    expect(ports).toContain(10250);
  });

  it('waits for an endpoint when it has no load balancer', async () => {
    const world = createWorld();
    addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } });
    await world.until(
      () =>
        cluster(world).status?.conditions?.some(({ reason }) => reason === 'WaitForExternalControlPlaneEndpoint') ??
        false,
    );
    expect(cluster(world).status?.ready).toBe(false);
    const object = cluster(world);
    world.put({ ...object, spec: { ...object.spec, controlPlaneEndpoint: { host: 'api.example.org', port: 6443 } } });
    await world.until(isReady(world));
    expect(world.live('load-balancer')).toEqual([]);
  });

  it.each([
    { host: 'api.example.org' },
    { host: 'api.example.org', port: 0 },
    { port: 443 },
  ])('waits for the other half of an endpoint: %o', async (half) => {
    const world = createWorld();
    addCluster(world, { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' }, controlPlaneEndpoint: half });
    await world.run(900);
    expect(cluster(world).status?.ready).toBe(false);
    expect(cluster(world).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'LoadBalancerReady', reason: 'WaitForExternalControlPlaneEndpoint' }),
    );
    const object = cluster(world);
    const whole = { host: 'api.example.org', port: 443 };
    world.put({ ...object, spec: { ...object.spec, controlPlaneEndpoint: whole } });
    await world.until(isReady(world));
    expect(cluster(world).spec?.controlPlaneEndpoint).toEqual(whole);
  });

  it('adds the port of its load balancer to a user’s endpoint host', async () => {
    const world = createWorld();
    addCluster(world, { controlPlaneEndpoint: { host: 'api.example.org' } });
    await world.until(isReady(world));
    expect(cluster(world).spec?.controlPlaneEndpoint).toEqual({ host: 'api.example.org', port: expect.any(Number) });
  });
});

describe('an AWSCluster in an unmanaged network', () => {
  const bring = async () => {
    const world = createWorld({ behaviour: { inconsistency: 0 } });
    const region = 'eu-west-1';
    const call = world.account.call;
    const none = { TagSpecifications: [] };
    const { Vpc } = await call(region, 'CreateVpc', { CidrBlock: '10.7.0.0/16', ...none });
    const { InternetGateway } = await call(region, 'CreateInternetGateway', none);
    await call(region, 'AttachInternetGateway', {
      InternetGatewayId: InternetGateway.InternetGatewayId,
      VpcId: Vpc.VpcId,
    });
    const subnets: string[] = [];
    for (const [index, zone] of ['eu-west-1a', 'eu-west-1b', 'eu-west-1a', 'eu-west-1b'].entries()) {
      const { Subnet } = await call(region, 'CreateSubnet', {
        VpcId: Vpc.VpcId,
        CidrBlock: `10.7.${index}.0/24`,
        AvailabilityZone: zone,
        ...none,
      });
      subnets.push(Subnet.SubnetId);
    }
    const { RouteTable } = await call(region, 'CreateRouteTable', { VpcId: Vpc.VpcId, ...none });
    const RouteTableId = RouteTable.RouteTableId;
    await call(region, 'CreateRoute', {
      RouteTableId,
      DestinationCidrBlock: '0.0.0.0/0',
      GatewayId: InternetGateway.InternetGatewayId,
    });
    for (const SubnetId of subnets.slice(0, 2)) await call(region, 'AssociateRouteTable', { RouteTableId, SubnetId });
    return { world, vpc: Vpc.VpcId, subnets };
  };

  it('uses the network, creates only its own resources, and leaves the network unchanged', async () => {
    const { world, vpc, subnets } = await bring();
    const unmanaged = world.live();
    addCluster(world, { network: { vpc: { id: vpc }, subnets: subnets.map((id) => ({ id })) } });
    await world.until(isReady(world));
    expect(cluster(world).spec?.network?.subnets?.map(({ isPublic }) => isPublic)).toEqual([true, true, false, false]);
    expect(Object.keys(cluster(world).status?.failureDomains ?? {})).toEqual(['eu-west-1a', 'eu-west-1b']);
    expect(census(world)).toMatchObject({ vpc: 1, subnet: 4, 'security-group': 4, 'load-balancer': 1 });
    expect(census(world)).not.toHaveProperty('natgateway');
    const tags = world.account.list().find(({ id }) => id === subnets[0])?.tags;
    expect(tags).toEqual({ 'kubernetes.io/cluster/demo': 'shared', 'kubernetes.io/role/elb': '1' });
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world));
    expect(world.live()).toEqual(unmanaged);
  });

  it('sets no additional tags on the network', async () => {
    const { world, vpc, subnets } = await bring();
    const before = Object.fromEntries(world.account.list().map(({ id, tags }) => [id, tags]));
    const network = { vpc: { id: vpc }, subnets: subnets.map((id) => ({ id })) };
    addCluster(world, { network, additionalTags: { team: 'a' } });
    await world.until(isReady(world));
    await world.run(120);
    const tagged = world.account.list().filter(({ tags }) => tags.team !== undefined);
    expect(tagged.map(({ type }) => type)).toContain('security-group');
    expect(tagged.filter(({ id }) => id in before)).toEqual([]);
  });

  it('reports why its load balancer fails where it may not tag the subnets either', async () => {
    const { world, vpc, subnets } = await bring();
    world.account.faults.add({ action: 'CreateTags', code: 'UnauthorizedOperation' });
    world.account.faults.add({ action: 'CreateLoadBalancer', code: 'TooManyLoadBalancers', message: 'no more' });
    addCluster(world, { network: { vpc: { id: vpc }, subnets: subnets.map((id) => ({ id })) } });
    await world.run(120);
    expect(world.events).toContainEqual(expect.stringMatching('^FailedCreateLoadBalancer: CreateLoadBalancer'));
    expect(world.alarms).toContainEqual(expect.stringMatching('^LoadBalancerReady: LoadBalancerFailed: .*no more'));
  });

  it('becomes ready without permission to tag the subnets, records Events, and tags them once permitted', async () => {
    const create = async (isDenied: boolean) => {
      const { world, vpc, subnets } = await bring();
      const fault = isDenied && world.account.faults.add({ action: 'CreateTags', code: 'UnauthorizedOperation' });
      const began = world.now();
      addCluster(world, { network: { vpc: { id: vpc }, subnets: subnets.map((id) => ({ id })) } });
      await world.until(isReady(world));
      return { world, subnets, took: world.now() - began, fault };
    };
    const undisturbed = await create(false);
    const { world, subnets, took, fault } = await create(true);
    expect(took - undisturbed.took).toBeLessThan(20_000);
    expect(cluster(world).status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
    expect(world.events.filter((event) => event.startsWith('FailedTagSubnet: CreateTags'))).not.toEqual([]);
    await world.run(2 * 3600);
    const { writes } = world;
    await world.run(24 * 3600);
    expect(world.writes).toBe(writes);
    if (fault) world.account.faults.clear(fault.id);
    world.enqueue('AWSCluster', 'demo');
    await world.run(120);
    const tagged = world.account.list().filter(({ tags }) => tags['kubernetes.io/cluster/demo'] === 'shared');
    expect(tagged.map(({ id }) => id).sort()).toEqual([...subnets].sort());
  });

  it('is completed again when it is applied again', async () => {
    const { world, vpc, subnets } = await bring();
    const network = { vpc: { id: vpc }, subnets: subnets.map((id) => ({ id })) };
    addCluster(world, { network });
    await world.until(isReady(world));
    await world.run(120);
    const filled = cluster(world).spec?.network;
    expect(filled?.subnets?.map(({ zoneType }) => zoneType)).toEqual(Array(4).fill('availability-zone'));
    const object = cluster(world);
    world.put({ ...object, spec: { ...object.spec, network } });
    await world.run(120);
    expect(cluster(world).spec?.network).toEqual(filled);
  });

  it.each([
    { rule: 'without subnets', spec: (vpc: string) => ({ vpc: { id: vpc } }), type: 'SubnetsReady' },
    {
      rule: 'with a subnet in another VPC',
      spec: (vpc: string) => ({ vpc: { id: vpc }, subnets: [{ id: 'subnet-0123456789abcdef0' }] }),
      type: 'SubnetsReady',
    },
    { rule: 'that does not exist', spec: () => ({ vpc: { id: 'vpc-0123456789abcdef0' } }), type: 'VpcReady' },
  ])('reports what is wrong $rule, and creates nothing', async ({ spec, type }) => {
    const { world, vpc } = await bring();
    const before = world.live();
    addCluster(world, { network: spec(vpc) });
    await world.run(60);
    expect(cluster(world).status?.conditions?.find((one) => one.type === type)).toMatchObject({
      status: 'False',
      severity: 'Error',
    });
    expect(world.live()).toEqual(before);
  });
});
