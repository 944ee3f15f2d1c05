import { expect, it } from 'vitest';
import type { CloudInput } from '../../kinds/ports/cloud/index.ts';
import { openWorld, refusal } from './account.fixture.ts';

const seconds = 1000;
const minutes = 60 * seconds;

it('boots a guest when it runs, halts it when it is terminated, and disappears after an hour', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet, {
    UserData: Buffer.from('#cloud-config').toString('base64'),
    IamInstanceProfile: { Name: 'nodes.cluster-api-provider-aws.sigs.k8s.io' },
    tags: { Name: 'one' },
  });
  expect(await world.state(id)).toBe('pending');
  expect(world.account.instance(id)).toBeUndefined();
  await world.clock.advance(16 * seconds);
  expect(await world.state(id)).toBe('running');
  expect(world.recorded.booted).toEqual([
    {
      instanceId: id,
      region: 'us-east-1',
      zone: 'us-east-1a',
      instanceType: 't3.large',
      vcpus: 2,
      memoryMiB: 8192,
      architecture: 'x86_64',
      imageName: expect.stringMatching(/^capa-ami-ubuntu-24\.04-v1\.35\.0-\d+$/),
      userData: '#cloud-config',
      privateIp: expect.stringMatching(/^10\.0\.\d+\.\d+$/),
      privateDnsName: expect.stringMatching(/^ip-10-0-\d+-\d+\.ec2\.internal$/),
      profile: 'nodes.cluster-api-provider-aws.sigs.k8s.io',
      tags: { Name: 'one' },
    },
  ]);
  await world.call('TerminateInstances', { InstanceIds: [id] });
  expect(world.recorded.halted).toEqual([id]);
  expect(await world.state(id)).toBe('shutting-down');
  await world.clock.advance(1 * minutes);
  expect(await world.state(id)).toBe('terminated');
  const { Reservations } = await world.call('DescribeInstances', { InstanceIds: [id] });
  expect(Reservations[0]?.Instances[0]).not.toHaveProperty('VpcId');
  expect(world.recorded.events).toEqual(
    ['pending', 'running', 'shutting-down', 'terminated'].map((state) => `${id} ${state}`),
  );
  expect(world.recorded.forgotten).toEqual([]);
  await world.clock.advance(61 * minutes);
  expect(world.recorded.forgotten).toEqual([id]);
  expect(await refusal(world.call('DescribeInstances', { InstanceIds: [id] }))).toBe('InvalidInstanceID.NotFound');
});

it('divides every delay by the speed', async () => {
  const world = openWorld({ speed: 60 });
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet);
  await world.clock.advance(300);
  expect(await world.state(id)).toBe('running');
});

it('passes binary user data to the guest as bytes', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const gzip = Uint8Array.from([0x1f, 0x8b, 0x08, 0x00, 0xff]);
  await world.make.instance(privateSubnet, { UserData: Buffer.from(gzip).toString('base64') });
  await world.clock.advance(20 * seconds);
  expect(world.recorded.booted[0]?.userData).toEqual(gzip);
});

it('can be terminated by an outside caller', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet);
  world.account.terminate(id);
  await world.clock.advance(1 * minutes);
  expect(await world.state(id)).toBe('terminated');
  expect(() => world.account.terminate(id)).toThrow(/does not exist/);
  expect(world.recorded.booted).toEqual([]);
});

it('carries network interfaces that workloads attach, with their own groups, until it is terminated', async () => {
  const world = openWorld();
  const { vpc, privateSubnet } = await world.make.network();
  const { GroupId } = await world.call('CreateSecurityGroup', {
    VpcId: vpc,
    GroupName: 'pods',
    Description: 'pods',
    TagSpecifications: [],
  });
  const id = await world.make.instance(privateSubnet);
  expect(() => world.account.attach(id, [GroupId])).toThrow(/does not exist/);
  await world.clock.advance(20 * seconds);
  const added = world.account.attach(id, [GroupId]);
  const { Reservations } = await world.call('DescribeInstances', { InstanceIds: [id] });
  const { NetworkInterfaces, SecurityGroups } = Reservations[0]!.Instances[0]!;
  expect(NetworkInterfaces.map(({ Attachment }) => Attachment)).toEqual([
    { DeviceIndex: 0, AttachTime: '2026-01-01T00:00:00.000Z' },
    { DeviceIndex: 1, AttachTime: '2026-01-01T00:00:20.000Z' },
  ]);
  expect(NetworkInterfaces[1]).toMatchObject({ NetworkInterfaceId: added, Groups: [{ GroupId }] });
  expect(SecurityGroups).not.toContainEqual(expect.objectContaining({ GroupId }));
  expect(await refusal(world.call('DeleteSecurityGroup', { GroupId }))).toBe('DependencyViolation');
  world.account.terminate(id);
  await world.clock.advance(1 * minutes);
  await world.call('DeleteSecurityGroup', { GroupId });
  expect(world.account.list().map((one) => one.id)).not.toContain(added);
});

it('gets a public address in a subnet that maps one, and a public name where the VPC has DNS host names', async () => {
  const world = openWorld();
  const { vpc, publicSubnet, gateway } = await world.make.network();
  await world.call('ModifySubnetAttribute', { SubnetId: publicSubnet, MapPublicIpOnLaunch: { Value: true } });
  await world.call('ModifyVpcAttribute', { VpcId: vpc, EnableDnsHostnames: { Value: true } });
  const id = await world.make.instance(publicSubnet);
  await world.clock.advance(20 * seconds);
  const { Reservations } = await world.call('DescribeInstances', { InstanceIds: [id] });
  const instance = Reservations[0]!.Instances[0]!;
  expect(instance.PublicDnsName).toBe(`ec2-${instance.PublicIpAddress!.replaceAll('.', '-')}.compute-1.amazonaws.com`);
  expect(await refusal(world.call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc }))).toBe(
    'DependencyViolation',
  );
});

it('draws addresses from its subnet until none is left, and returns them', async () => {
  const world = openWorld();
  const subnet = await world.make.subnet(await world.make.vpc(), '10.0.0.0/28');
  const ids: string[] = [];
  for (let n = 0; n < 11; n++) ids.push(await world.make.instance(subnet));
  const { Reservations } = await world.call('DescribeInstances', { InstanceIds: ids });
  const addresses = Reservations.map(({ Instances }) => Instances[0]!.PrivateIpAddress);
  expect(new Set(addresses).size).toBe(11);
  expect(await refusal(world.make.instance(subnet))).toBe('InsufficientFreeAddressesInSubnet');
  await world.call('TerminateInstances', { InstanceIds: [ids[0]!] });
  await world.clock.advance(1 * minutes);
  await world.make.instance(subnet);
});

it('uses the default VPC when no subnet is named', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  await world.make.instance(privateSubnet);
  const [image] = (await world.call('DescribeImages', { Filters: [{ Name: 'architecture', Values: ['x86_64'] }] }))
    .Images;
  const { Instances } = await world.call('RunInstances', {
    ImageId: image!.ImageId,
    InstanceType: 't3.large',
    MinCount: 1,
    MaxCount: 1,
    ClientToken: 'default',
    UserData: '',
    Placement: { AvailabilityZone: 'us-east-1b' },
    TagSpecifications: [],
  });
  expect(Instances[0]).toMatchObject({
    Placement: { AvailabilityZone: 'us-east-1b' },
    PrivateIpAddress: expect.stringMatching(/^172\.31\./),
  });
});

it.each([
  { rule: 'removed type', kind: 'instance-type', name: 't3.large', code: 'InvalidParameterValue' },
  { rule: 'removed image', kind: 'image', name: 'v1.35.0', code: 'InvalidAMIID.Malformed' },
  {
    rule: 'removed profile',
    kind: 'instance-profile',
    name: 'nodes.cluster-api-provider-aws.sigs.k8s.io',
    code: 'InvalidParameterValue',
  },
  { rule: 'removed key pair', kind: 'key-pair', name: 'default', code: 'InvalidKeyPair.NotFound' },
] as const)('refuses a launch with a $rule until it is back, across restarts', async ({ kind, name, code }) => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const launch = () =>
    world.make.instance(privateSubnet, {
      KeyName: 'default',
      IamInstanceProfile: { Name: 'nodes.cluster-api-provider-aws.sigs.k8s.io' },
    });
  await launch();
  world.account.remove(kind, name);
  await world.restart();
  expect(await refusal(launch())).toBe(code);
  world.account.restore(kind, name);
  await launch();
});

it.each([
  {
    rule: 'user data over 16 KB',
    change: { UserData: Buffer.alloc(16_385).toString('base64') },
    code: 'InvalidParameterValue',
  },
  { rule: 'user data that is not base64', change: { UserData: '#cloud-config' }, code: 'InvalidUserData.Malformed' },
  { rule: 'a type of another architecture', change: { InstanceType: 'm7g.large' }, code: 'InvalidParameterValue' },
  {
    rule: 'a root volume smaller than the image',
    change: { BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 1 } }] },
    code: 'InvalidBlockDeviceMapping',
  },
  {
    rule: 'provisioned volumes without IOPS',
    change: { BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, VolumeType: 'io1' } }] },
    code: 'MissingParameter',
  },
  ...[
    {
      rule: 'IOPS of a volume with a fixed number',
      VolumeType: 'gp2',
      Iops: 3000,
      code: 'InvalidParameterCombination',
    },
    { rule: 'too few IOPS', VolumeType: 'gp3', Iops: 100, code: 'InvalidParameterValue' },
    { rule: 'too many IOPS for the size', VolumeType: 'io1', Iops: 2000, code: 'InvalidParameterValue' },
    { rule: 'too much throughput for the IOPS', VolumeType: 'gp3', Throughput: 1000, code: 'InvalidParameterValue' },
    { rule: 'a root volume on a hard disk', VolumeType: 'st1', VolumeSize: 125, code: 'InvalidParameterValue' },
  ].map(({ rule, code, ...Ebs }) => ({
    rule,
    change: { BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, ...Ebs } }] },
    code,
  })),
  {
    rule: 'a partition without a placement group',
    change: { Placement: { PartitionNumber: 1 } },
    code: 'InvalidParameterCombination',
  },
  {
    rule: 'memory encryption that the type does not have',
    change: { CpuOptions: { AmdSevSnp: 'enabled' } },
    code: 'InvalidParameterCombination',
  },
  {
    rule: 'network interfaces together with a subnet',
    change: { NetworkInterfaces: [{ DeviceIndex: 0 }] },
    code: 'InvalidParameterCombination',
  },
  {
    rule: 'tags for a resource type that the launch does not create',
    change: { TagSpecifications: [{ ResourceType: 'vpc', Tags: [] }] },
    code: 'InvalidParameterValue',
  },
  {
    rule: 'more than 50 tags',
    change: {
      TagSpecifications: [
        { ResourceType: 'instance', Tags: Array.from({ length: 51 }, (_, n) => ({ Key: `k${n}`, Value: '' })) },
      ],
    },
    code: 'TagLimitExceeded',
  },
  {
    rule: 'more groups than an interface accepts',
    change: { SecurityGroupIds: 'many' },
    code: 'SecurityGroupsPerInterfaceLimitExceeded',
  },
  { rule: 'a security group of another VPC', change: { SecurityGroupIds: 'foreign' }, code: 'InvalidParameter' },
])('refuses $rule', async ({ change, code }) => {
  const world = openWorld();
  const { vpc, privateSubnet } = await world.make.network();
  const groups = async (wanted: unknown): Promise<{ SecurityGroupIds?: string[] }> => {
    if (wanted === 'foreign')
      return { SecurityGroupIds: [await world.make.securityGroup(await world.make.vpc(), 'foreign')] };
    if (wanted !== 'many') return {};
    const many: string[] = [];
    for (let n = 0; n < 6; n++) many.push(await world.make.securityGroup(vpc, `group-${n}`));
    return { SecurityGroupIds: many };
  };
  const input = { ...change, ...(await groups((change as { SecurityGroupIds?: unknown }).SecurityGroupIds)) };
  expect(await refusal(world.make.instance(privateSubnet, input as object))).toBe(code);
});

it('refuses more vCPUs than the quota, without counting terminated instances', async () => {
  const world = openWorld({ behaviour: { quotas: { vcpus: 4 } } });
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet);
  await world.make.instance(privateSubnet);
  expect(await refusal(world.make.instance(privateSubnet))).toBe('VcpuLimitExceeded');
  await world.call('TerminateInstances', { InstanceIds: [id] });
  await world.clock.advance(1 * minutes);
  await world.restart();
  await world.make.instance(privateSubnet);
  expect(await refusal(world.make.instance(privateSubnet))).toBe('VcpuLimitExceeded');
});

it('does not offer newer types in the oldest zone', async () => {
  const world = openWorld();
  const vpc = await world.make.vpc();
  const subnet = await world.make.subnet(vpc, '10.0.0.0/20', {}, 'us-east-1e');
  expect(await refusal(world.make.instance(subnet))).toBe('Unsupported');
  const filters = [{ Name: 'instance-type', Values: ['t3.large'] }];
  const { InstanceTypeOfferings } = await world.call('DescribeInstanceTypeOfferings', {
    LocationType: 'availability-zone',
    Filters: filters,
  });
  expect(InstanceTypeOfferings.map(({ Location }) => Location)).not.toContain('us-east-1e');
});

it('refuses tags for an interface that the launch does not create', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const launch = (TagSpecifications: CloudInput<'RunInstances'>['TagSpecifications']) =>
    refusal(
      world.make.instance(privateSubnet, {
        SubnetId: undefined,
        NetworkInterfaces: [{ DeviceIndex: 0, NetworkInterfaceId: 'eni-0123456789abcdef0' }],
        TagSpecifications,
      } as Partial<CloudInput<'RunInstances'>>),
    );
  const of = (ResourceType: string) => ({ ResourceType, Tags: [{ Key: 'a', Value: 'b' }] });
  expect(await launch([of('network-interface')])).toBe('InvalidParameterValue');
  expect(await launch([of('instance')])).toBe('InvalidNetworkInterfaceID.NotFound');
});

it('refuses instance metadata tags whose keys cannot be part of a path', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const MetadataOptions = { HttpTokens: 'required', HttpEndpoint: 'enabled', InstanceMetadataTags: 'enabled' } as const;
  const launch = (tags: Record<string, string>) => world.make.instance(privateSubnet, { MetadataOptions, tags });
  expect(await refusal(launch({ 'example.com/of': 'somebody' }))).toBe('InvalidParameterValue');
  expect(await refusal(launch({ _index: 'x' }))).toBe('InvalidParameterValue');
  expect(await refusal(launch({ of: 'somebody' }))).toBe('accepted');
  const InstanceId = await world.make.instance(privateSubnet, { tags: { 'example.com/of': 'somebody' } });
  const show = world.call('ModifyInstanceMetadataOptions', { InstanceId, InstanceMetadataTags: 'enabled' });
  expect(await refusal(show)).toBe('InvalidParameterValue');
});

it('refuses metadata options while the metadata service is disabled', async () => {
  const world = openWorld();
  const { privateSubnet } = await world.make.network();
  const launch = (options: object) =>
    world.make.instance(privateSubnet, { MetadataOptions: { HttpEndpoint: 'disabled', ...options } });
  expect(await refusal(launch({ HttpTokens: 'required' }))).toBe('InvalidParameterCombination');
  expect(await refusal(launch({ HttpPutResponseHopLimit: 2 }))).toBe('InvalidParameterCombination');
  const InstanceId = await launch({});
  const change = (options: object) => world.call('ModifyInstanceMetadataOptions', { InstanceId, ...options });
  expect(await refusal(change({ HttpEndpoint: 'disabled', HttpTokens: 'required' }))).toBe(
    'InvalidParameterCombination',
  );
  expect(await refusal(change({ HttpEndpoint: 'enabled', HttpTokens: 'required' }))).toBe('accepted');
});
