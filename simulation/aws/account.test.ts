import { expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';
import { regionNames } from './regions.ts';

const minutes = 60_000;

it('lists resources in order of creation, without AWS defaults and without deleted ones', async () => {
  const world = openWorld();
  const { vpc, publicSubnet, privateSubnet, gateway } = await world.make.network();
  const address = await world.make.address();
  const nat = await world.make.natGateway(publicSubnet, address);
  const instance = await world.make.instance(privateSubnet, { tags: { Name: 'one' } });
  const gone = await world.make.instance(privateSubnet);
  const balancer = await world.make.loadBalancer('api', [publicSubnet]);
  await world.call('TerminateInstances', { InstanceIds: [gone] });
  await world.clock.advance(5 * minutes);
  expect(world.account.list().map(({ type, state, zone }) => [type, state, zone])).toEqual([
    ['vpc', 'available', ''],
    ['internet-gateway', 'attached', ''],
    ['subnet', 'available', 'us-east-1a'],
    ['subnet', 'available', 'us-east-1a'],
    ['elastic-ip', 'associated', ''],
    ['natgateway', 'available', 'us-east-1a'],
    ['network-interface', 'in-use', 'us-east-1a'],
    ['instance', 'running', 'us-east-1a'],
    ['network-interface', 'in-use', 'us-east-1a'],
    ['volume', 'in-use', 'us-east-1a'],
    ['load-balancer', 'active', 'us-east-1a'],
    ['network-interface', 'in-use', 'us-east-1a'],
  ]);
  const ids = world.account.list().map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining([vpc, gateway, address, nat, instance, balancer]));
  expect(world.account.list().find(({ id }) => id === instance)?.tags).toEqual({ Name: 'one' });

  await world.call('TerminateInstances', { InstanceIds: [instance] });
  await world.call('DeleteLoadBalancer', { LoadBalancerArn: balancer });
  await world.call('DeleteNatGateway', { NatGatewayId: nat });
  await world.clock.advance(5 * minutes);
  await world.call('ReleaseAddress', { AllocationId: address });
  await world.call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc });
  await world.call('DeleteInternetGateway', { InternetGatewayId: gateway });
  for (const SubnetId of [publicSubnet, privateSubnet]) await world.call('DeleteSubnet', { SubnetId });
  await world.call('DeleteVpc', { VpcId: vpc });
  expect(world.account.list()).toEqual([]);
  expect((await world.call('DescribeVpcs', {})).Vpcs.map(({ IsDefault }) => IsDefault)).toEqual([true]);
});

it('lets only a running instance with a profile read its secrets', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const secret = (Name: string) =>
    world.call('CreateSecret', {
      Name,
      ClientRequestToken: 'a'.repeat(32),
      SecretBinary: Buffer.from('payload').toString('base64'),
      Tags: [],
    });
  await secret('aws.cluster.x-k8s.io/one-0');
  await secret('other');
  const profile = { IamInstanceProfile: { Name: 'nodes.cluster-api-provider-aws.sigs.k8s.io' } };
  const trusted = await world.make.instance(privateSubnet, profile);
  const unowned = await world.make.instance(privateSubnet);
  const read = (id: string, name: string) => {
    const bytes = world.account.readSecret(id, name);
    return bytes && Buffer.from(bytes).toString();
  };
  expect(read(trusted, 'aws.cluster.x-k8s.io/one-0')).toBeUndefined();
  await world.clock.advance(1 * minutes);
  expect(read(trusted, 'aws.cluster.x-k8s.io/one-0')).toBe('payload');
  expect(read(trusted, 'other')).toBeUndefined();
  expect(read(trusted, 'aws.cluster.x-k8s.io/one-1')).toBeUndefined();
  expect(read(unowned, 'aws.cluster.x-k8s.io/one-0')).toBeUndefined();
  world.account.deleteSecret(unowned, 'aws.cluster.x-k8s.io/one-0');
  expect(read(trusted, 'aws.cluster.x-k8s.io/one-0')).toBe('payload');
  world.account.deleteSecret(trusted, 'aws.cluster.x-k8s.io/one-0');
  expect(read(trusted, 'aws.cluster.x-k8s.io/one-0')).toBeUndefined();
  expect(world.account.list().filter(({ type }) => type === 'secret')).toHaveLength(1);
});

it('lets only instances with a profile reach parameters, and creates no parameter twice', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const put = (Name: string, Value = Buffer.from('payload').toString('base64')) =>
    world.call('PutParameter', { Name, Value, Type: 'SecureString', Tags: [{ Key: 'a', Value: 'b' }] });
  await put('/cluster.x-k8s.io/one-0');
  await put('/other');
  expect(await refusal(put('/other'))).toBe('ParameterAlreadyExists');
  expect(await refusal(put('/large', 'x'.repeat(4097)))).toBe('ValidationException');
  const profile = { IamInstanceProfile: { Name: 'nodes.cluster-api-provider-aws.sigs.k8s.io' } };
  const trusted = await world.make.instance(privateSubnet, profile);
  const unowned = await world.make.instance(privateSubnet);
  await world.clock.advance(1 * minutes);
  await world.restart();
  const read = (id: string, name: string) => {
    const bytes = world.account.readSecret(id, name);
    return bytes && Buffer.from(bytes).toString();
  };
  expect(read(trusted, '/cluster.x-k8s.io/one-0')).toBe('payload');
  expect(read(trusted, '/other')).toBeUndefined();
  expect(read(unowned, '/cluster.x-k8s.io/one-0')).toBeUndefined();
  world.account.deleteSecret(trusted, '/cluster.x-k8s.io/one-0');
  expect(world.account.list().filter(({ type }) => type === 'parameter')).toHaveLength(1);
  const tags = { ResourceType: 'Parameter', ResourceId: '/other' } as const;
  expect(await world.call('ListTagsForResource', tags)).toEqual({ TagList: [{ Key: 'a', Value: 'b' }] });
  await world.call('DeleteParameter', { Name: '/other' });
  expect(await refusal(world.call('ListTagsForResource', tags))).toBe('InvalidResourceId');
});

it('keeps regions apart', async () => {
  const world = openWorld();
  const vpc = await world.make.vpc();
  expect(await refusal(world.account.call('eu-west-1', 'DescribeVpcs', { VpcIds: [vpc] }))).toBe(
    'InvalidVpcID.NotFound',
  );
  const zones = await world.account.call('eu-west-1', 'DescribeAvailabilityZones', {});
  expect(zones.AvailabilityZones.map(({ ZoneId }) => ZoneId)).toEqual(['euw1-az1', 'euw1-az2', 'euw1-az3']);
});

it('does not expose its own records', async () => {
  const world = openWorld();
  const vpc = await world.make.vpc({ a: '1' });
  const read = () => world.call('DescribeVpcs', { VpcIds: [vpc] });
  const first = await read();
  first.Vpcs[0]!.Tags[0]!.Value = 'changed';
  first.Vpcs[0]!.CidrBlockAssociationSet.length = 0;
  expect(await read()).not.toEqual(first);
});

it.each([
  { version: '1.22.17', found: true },
  { version: '1.35.0', found: true },
  { version: '1.36.0-rc.1', found: true },
  { version: '1.21.9', found: false },
  { version: '1.35', found: false },
  { version: '2.0.0', found: false },
])('has an image for $version: $found', async ({ version, found }) => {
  const world = openWorld();
  const { Images } = await world.call('DescribeImages', {
    Owners: ['819546954734'],
    Filters: [{ Name: 'name', Values: [`capa-ami-ubuntu-24.04-?${version}-*`] }],
  });
  expect(Images.length > 0).toBe(found);
});

it('has plain Ubuntu images', async () => {
  const world = openWorld();
  const { Images } = await world.call('DescribeImages', {
    Owners: ['099720109477'],
    Filters: [{ Name: 'name', Values: ['ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-*'] }],
  });
  expect(new Set(Images.map(({ Architecture, OwnerId }) => `${Architecture} ${OwnerId}`))).toEqual(
    new Set(['x86_64 099720109477']),
  );
});

it('has several builds of an image, in no order', async () => {
  const world = openWorld();
  const { Images } = await world.call('DescribeImages', {
    Owners: ['819546954734'],
    Filters: [
      { Name: 'name', Values: ['capa-ami-ubuntu-24.04-?1.35.0-*'] },
      { Name: 'architecture', Values: ['arm64'] },
    ],
  });
  const dates = Images.map(({ CreationDate }) => CreationDate);
  expect(new Set(Images.map(({ Name }) => Name)).size).toBe(dates.length);
  const newest = [...dates].sort().at(-1);
  expect([dates[0], dates.at(-1)]).not.toContain(newest);
});

it('knows the instance profiles that CAPA creates', async () => {
  const world = openWorld();
  const get = (InstanceProfileName: string) => refusal(world.call('GetInstanceProfile', { InstanceProfileName }));
  expect(await get('control-plane.cluster-api-provider-aws.sigs.k8s.io')).toBe('accepted');
  expect(await get('nobody')).toBe('NoSuchEntity');
});

it.each(regionNames)('has at least three zones in %s, with a default subnet in each', async (name) => {
  const { account } = openWorld();
  const { AvailabilityZones } = await account.call(name, 'DescribeAvailabilityZones', {
    Filters: [{ Name: 'zone-type', Values: ['availability-zone'] }],
  });
  expect(AvailabilityZones.length).toBeGreaterThanOrEqual(3);
  const { Subnets } = await account.call(name, 'DescribeSubnets', {
    Filters: [{ Name: 'default-for-az', Values: ['true'] }],
  });
  expect(Subnets.map(({ AvailabilityZone }) => AvailabilityZone)).toEqual(
    AvailabilityZones.map(({ ZoneName }) => ZoneName),
  );
  expect(account.list()).toEqual([]);
});
