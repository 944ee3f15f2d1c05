/** Preflight reads: regions, offerings, key pairs, profiles, quotas. */
import { describe, expect, it } from 'vitest';
import type { CloudAction, CloudInput } from '../../kinds/ports/cloud/index.ts';
import { openWorld } from './account.fixture.ts';

const refusalOf = async (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

describe('a lookup that fails', () => {
  it.each([
    ['DescribeKeyPairs', { KeyNames: ['default', 'nobody'] }, 'InvalidKeyPair.NotFound'],
    ['GetInstanceProfile', { InstanceProfileName: 'nobody' }, 'NoSuchEntity'],
    ['DescribeInstanceTypes', { InstanceTypes: ['t3.large', 'm9.none'] }, 'InvalidInstanceType'],
    ['GetServiceQuota', { ServiceCode: 'ec2', QuotaCode: 'L-NONE' }, 'NoSuchResourceException'],
    ['DescribeRegions', { RegionNames: ['eu-north-9'] }, 'InvalidParameterValue'],
  ] satisfies [CloudAction, object, string][])('%s %j: %s', async (action, input, code) => {
    const world = openWorld({ behaviour: { keyPairs: ['default'] } });
    expect(await refusalOf(world.call(action, input as CloudInput<typeof action>))).toBe(code);
  });

  it('reports a region that does not exist as unreachable', async () => {
    const { account } = openWorld();
    expect(await refusalOf(account.call('eu-north-9', 'DescribeVpcs', {}))).toBe('UnknownEndpoint');
  });
});

describe('regions', () => {
  it('are those of the partition, with their opt-in status', async () => {
    const { account } = openWorld();
    const { Regions } = await account.call('us-east-1', 'DescribeRegions', { AllRegions: true });
    const status = new Map(Regions.map(({ RegionName, OptInStatus }) => [RegionName, OptInStatus]));
    expect(status.get('eu-west-1')).toBe('opt-in-not-required');
    expect(status.get('af-south-1')).toBe('opted-in');
    expect(status.has('us-gov-west-1')).toBe(false);
    const gov = await account.call('us-gov-west-1', 'DescribeRegions', {});
    expect(gov.Regions.map(({ RegionName }) => RegionName)).toEqual(['us-gov-east-1', 'us-gov-west-1']);
  });
});

describe('instance type offerings', () => {
  const offered = async (region: string, type: string): Promise<string[]> => {
    const { InstanceTypeOfferings } = await openWorld().account.call(region, 'DescribeInstanceTypeOfferings', {
      LocationType: 'availability-zone',
      Filters: [{ Name: 'instance-type', Values: [type] }],
    });
    return InstanceTypeOfferings.map(({ Location }) => Location);
  };
  it.each([
    { rule: 'cover every zone for most types', region: 'eu-west-1', type: 'm5.large', zones: ['a', 'b', 'c'] },
    { rule: 'may lack the newest types in a region', region: 'us-west-1', type: 'm8g.large', zones: [] },
    { rule: 'may lack the newest types in a zone', region: 'ap-northeast-1', type: 'm8g.large', zones: ['c', 'd'] },
    { rule: 'lack unknown types everywhere', region: 'eu-west-1', type: 'm9.none', zones: [] },
  ])('$rule', async ({ region, type, zones }) =>
    expect(await offered(region, type)).toEqual(zones.map((letter) => region + letter)));
  it('are few in an edge zone, and old in an old zone', async () => {
    expect(await offered('us-east-1', 'm6i.large')).toEqual(
      ['a', 'b', 'c', 'd', 'f'].map((zone) => `us-east-1${zone}`),
    );
    expect(await offered('us-east-1', 't3.large')).toEqual(
      expect.arrayContaining(['us-east-1-bos-1a', 'us-east-1-wl1-bos-wlz-1']),
    );
    expect(await offered('us-east-1', 't2.large')).toEqual(expect.arrayContaining(['us-east-1e']));
  });
  it('reject a type that is not offered', async () => {
    const { account } = openWorld();
    const { Subnets } = await account.call('ap-northeast-1', 'DescribeSubnets', {});
    const launch = async (zone: string) => {
      const { Images } = await account.call('ap-northeast-1', 'DescribeImages', {
        Filters: [
          { Name: 'name', Values: ['capa-ami-ubuntu-24.04-?1.35.0-*'] },
          { Name: 'architecture', Values: ['arm64'] },
        ],
      });
      return refusalOf(
        account.call('ap-northeast-1', 'RunInstances', {
          ImageId: Images[0]!.ImageId,
          InstanceType: 'm8g.large',
          MinCount: 1,
          MaxCount: 1,
          ClientToken: zone,
          UserData: '',
          SubnetId: Subnets.find(({ AvailabilityZone }) => AvailabilityZone === zone)!.SubnetId,
          TagSpecifications: [],
        }),
      );
    };
    expect(await launch('ap-northeast-1a')).toBe('Unsupported');
    expect(await launch('ap-northeast-1c')).toBe('done');
  });
});

describe('quotas', () => {
  const quotas = { vpcs: 2, addresses: 1, vcpus: 4 };
  const limitOf = async (ServiceCode: 'ec2' | 'vpc', QuotaCode: string) => {
    const world = openWorld({ behaviour: { quotas } });
    return (await world.call('GetServiceQuota', { ServiceCode, QuotaCode })).Quota.Value;
  };
  it('are the applied values of the account', async () => {
    expect(await limitOf('vpc', 'L-F678F1CE')).toBe(2);
    expect(await limitOf('ec2', 'L-0263D0A3')).toBe(1);
    expect(await limitOf('ec2', 'L-1216C47A')).toBe(4);
  });
  it('are enforced', async () => {
    const world = openWorld({ behaviour: { quotas } });
    const vpc = () => refusalOf(world.call('CreateVpc', { CidrBlock: '10.0.0.0/16', TagSpecifications: [] }));
    // The default VPC counts.
    expect([await vpc(), await vpc()]).toEqual(['done', 'VpcLimitExceeded']);
    const address = () => refusalOf(world.call('AllocateAddress', { Domain: 'vpc', TagSpecifications: [] }));
    expect([await address(), await address()]).toEqual(['done', 'AddressLimitExceeded']);
  });
});

it('finds parameters by their tags', async () => {
  const world = openWorld();
  const put = (Name: string, Value: string) =>
    world.call('PutParameter', { Name, Value: 'x', Type: 'SecureString', Tags: [{ Key: 'of', Value }] });
  await put('/cluster.x-k8s.io/a-0', 'a');
  await put('/cluster.x-k8s.io/b-0', 'b');
  const { Parameters } = await world.call('DescribeParameters', {
    ParameterFilters: [{ Key: 'tag:of', Option: 'Equals', Values: ['a'] }],
  });
  expect(Parameters).toEqual([{ Name: '/cluster.x-k8s.io/a-0' }]);
});

describe('a search by tag', () => {
  const of = (Value: string) => [{ Key: 'of', Value }];
  const tagged = async () => {
    const world = openWorld();
    const { publicSubnet } = await world.make.network();
    for (const owner of ['a', 'b']) {
      await world.make.instance(publicSubnet, {
        TagSpecifications: [
          { ResourceType: 'instance', Tags: of(owner) },
          { ResourceType: 'volume', Tags: of(owner === 'a' ? 'b' : 'a') },
        ],
      });
      await world.make.loadBalancer(owner, [publicSubnet], 'internal', { of: owner });
    }
    const find = async (Values?: string[]) => {
      const { ResourceTagMappingList: found } = await world.call('GetResources', {
        TagFilters: [{ Key: 'of', ...(Values && { Values }) }],
      });
      return found.map(({ ResourceARN, Tags }) => `${Tags[0]!.Value} ${/:([a-z]+)\//.exec(ResourceARN)?.[1]}`);
    };
    return { world, find };
  };

  it.each([
    { rule: 'finds a resource with any value of the tag', values: undefined },
    { rule: 'finds a resource with one of several values', values: ['a', 'b'] },
    { rule: 'finds a resource once when a value is named twice', values: ['a', 'b', 'a'] },
  ])('$rule', async ({ values }) => {
    const { find } = await tagged();
    expect(await find(values)).toEqual([
      'a instance',
      'b volume',
      'a loadbalancer',
      'b instance',
      'a volume',
      'b loadbalancer',
    ]);
  });

  it('may find a part whose whole lacks the tag', async () => {
    const { find } = await tagged();
    expect(await find(['a'])).toEqual(['a instance', 'a loadbalancer', 'a volume']);
    expect(await find(['c'])).toEqual([]);
  });

  it('finds a tag that was added later, only in its own region', async () => {
    const { world, find } = await tagged();
    const { Volumes } = await world.call('DescribeVolumes', {});
    await world.call('CreateTags', { Resources: [Volumes[0]!.VolumeId], Tags: of('c') });
    expect(await find(['c'])).toEqual(['c volume']);
    const elsewhere = await world.account.call('eu-west-1', 'GetResources', {
      TagFilters: [{ Key: 'of', Values: ['c'] }],
    });
    expect(elsewhere.ResourceTagMappingList).toEqual([]);
  });
});
