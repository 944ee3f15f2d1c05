/** A network that Capstan makes for a cluster of EKS, from its creation to its deletion. */
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import { wellBehaved } from '../../simulation/aws/index.ts';
import { remains } from './checks.ts';
import { eksOf, withoutWorkers } from './eks.fixture.ts';
import { example } from './manifests.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

let world: World;
afterEach(() => world.end());

const { call, applied, manifest: existing } = eksOf(() => world);
const name = 'default_eks';
const plane = () => world.find('AWSManagedControlPlane', 'eks');
const isAvailable = () => world.condition('Cluster', 'eks', 'Available')?.status === 'True';
const states = () => (plane()?.status?.conditions ?? []).filter(({ type }) => type !== 'EKSControlPlaneCreating');
const messageOf = (type: string) => world.condition('AWSManagedControlPlane', 'eks', type)?.message ?? '';

/** The example's objects, whose network is left to Capstan. `spec`: of the control plane. */
const manifest = (spec: object = {}, workers = false): KubeObject[] =>
  example('eks.yaml')
    .filter(({ kind }) => workers || !kind.endsWith('MachinePool'))
    .map((object) => {
      if (object.kind !== 'AWSManagedControlPlane') return object;
      const { network: _, ...given } = object.spec as { network: object };
      return { ...object, spec: { ...given, ...spec } };
    });

const open = async (options: WorldOptions = {}): Promise<string[]> => {
  world = await createWorld(options);
  return world.live().map(({ id }) => id);
};
/** What is left of the cluster, in the account and in the store. */
const left = (before: readonly string[]) =>
  remains(world).filter((one) => !before.some((id) => one.endsWith(` ${id}`)));
const goes = async (before: readonly string[]): Promise<void> => {
  await world.remove('Cluster', 'eks');
  await world.until('nothing remains', () => left(before).length === 0 && plane() === undefined, 60);
};

describe('a network that Capstan makes for EKS', () => {
  it('has private and public subnets in three zones, bears the cluster and its workers, and goes', async () => {
    const before = await open();
    await applied(manifest({ additionalTags: { team: 'blue' } }, true));
    await world.until('available', isAvailable, 60);
    await world.until('workers', () => world.find('MachinePool', 'eks-workers')?.status?.readyReplicas === 2, 30);
    const { vpc, subnets = [] } = plane()!.spec!.network!;
    expect(vpc).toMatchObject({ cidrBlock: '10.0.0.0/16', tags: { 'kubernetes.io/cluster/default_eks': 'owned' } });
    expect(subnets.map(({ availabilityZone, isPublic }) => [availabilityZone, isPublic])).toEqual(
      ['a', 'b', 'c'].flatMap((zone) => [true, false].map((isPublic) => [`eu-central-1${zone}`, isPublic])),
    );
    expect(states().filter(({ status }) => status !== 'True')).toMatchObject([{ type: 'EKSControlPlaneUpdating' }]);
    const { cluster } = await call('DescribeCluster', { name });
    expect(cluster.resourcesVpcConfig.subnetIds).toEqual(subnets.map(({ resourceID }) => resourceID));
    const groups = plane()!.status!.networkStatus!.securityGroups as Record<string, { id: string }>;
    expect(cluster.resourcesVpcConfig.securityGroupIds).toEqual([groups['node-eks-additional']!.id]);
    expect(groups.cluster!.id).toBe(cluster.resourcesVpcConfig.clusterSecurityGroupId);
    expect(Object.keys(groups).sort()).toEqual(['cluster', 'node', 'node-eks-additional']);
    const { Subnets } = await call('DescribeSubnets', { SubnetIds: [subnets[1]!.resourceID!] });
    const tags = Object.fromEntries(Subnets[0]!.Tags.map(({ Key, Value }) => [Key, Value]));
    expect(tags).toMatchObject({
      'kubernetes.io/cluster/default_eks': 'owned',
      'kubernetes.io/role/internal-elb': '1',
      'sigs.k8s.io/cluster-api-provider-aws/cluster/eks': 'owned',
      team: 'blue',
    });
    for (const type of ['load-balancer', 'target-group']) expect(world.live(type)).toEqual([]);
    await goes(before);
    expect(world.errors).toEqual([]);
  });

  it('costs few reads while nothing changes', async () => {
    await open();
    await applied(manifest());
    await world.until('available', isAvailable, 60);
    await world.pass(30);
    const reads = () => Object.values(world.calls(false)).reduce((sum, count) => sum + count, 0);
    const since = reads();
    await world.pass(60);
    expect((reads() - since) / 6).toBeLessThanOrEqual(15);
    expect(world.calls(true)).toMatchObject({ CreateVpc: 1, CreateSubnet: 6, CreateNatGateway: 3, CreateCluster: 1 });
  });

  it('says that an account has no room for a VPC, and goes on when it has', async () => {
    const before = await open({ behaviour: { ...wellBehaved, quotas: { vpcs: 2 } } });
    const { VpcId } = (await call('CreateVpc', { CidrBlock: '10.9.0.0/16', TagSpecifications: [] })).Vpc;
    await applied(manifest());
    await world.until('refused', () => messageOf('VpcReady').includes('VpcLimitExceeded'), 20);
    expect(messageOf('Ready')).toContain('VpcLimitExceeded');
    expect(world.calls(true)).not.toHaveProperty('CreateCluster');
    await call('DeleteVpc', { VpcId });
    await world.until('available', isAvailable, 60);
    await goes(before);
  });

  it.each([10, 25, 40, 60])('has no part twice when its worker is killed after %i changes', async (effects) => {
    const before = await open();
    await applied(manifest());
    world.crashAfter(world.effects + effects);
    await world.until('available', isAvailable, 60);
    const counts = ['vpc', 'internet-gateway', 'natgateway', 'cluster'].map(
      (type) => world.live(type).filter(({ id }) => !before.includes(id)).length,
    );
    expect(counts).toEqual([1, 1, 3, 1]);
    world.crashAfter(world.effects + effects);
    await goes(before);
  });

  it.each([1, 3, 6])('goes when it is deleted %i minutes after it was asked for', async (minutes) => {
    const before = await open();
    await applied(manifest());
    await world.pass(minutes);
    await goes(before);
    expect(world.errors).toEqual([]);
  });

  it('goes when EKS refuses to make the cluster, and all of it is made by another attempt', async () => {
    const before = await open({ workflows: true });
    const { id } = world.system.account.faults.add({ action: 'CreateCluster', code: 'AccessDenied' });
    await applied(manifest());
    const phase = () => world.all('ClusterOperation')[0]?.status?.phase;
    await world.until('undone', () => phase() === 'TornDown', 120);
    expect(world.live().filter((one) => !before.includes(one.id))).toEqual([]);
    expect(plane()?.spec?.network).toBeUndefined();
    expect(messageOf('EKSControlPlaneReady')).not.toBe('');
    world.system.account.faults.clear(id);
    await world.patch('Cluster', 'eks', { metadata: { annotations: { 'capstan.dev/retry': '1' } } });
    await world.until('available', isAvailable, 60);
    await goes(before);
  });

  it.each([
    { of: 'that Capstan made', isOurs: true },
    { of: 'of the user', isOurs: false },
  ])('loses the load balancers of Services with the cluster, in a network $of', async ({ isOurs }) => {
    const before = await open();
    await applied(isOurs ? manifest() : withoutWorkers(await existing()));
    await world.until('available', isAvailable, 60);
    const isThere = ({ id }: { id: string }) => !before.includes(id);
    const Tags = [
      { Key: 'kubernetes.io/cluster/default_eks', Value: 'owned' },
      { Key: 'kubernetes.io/service-name', Value: 'default/web' },
    ];
    const Subnets = (await call('DescribeCluster', { name })).cluster.resourcesVpcConfig.subnetIds.slice(0, 1);
    await call('CreateLoadBalancer', {
      Name: 'web',
      Type: 'network',
      Scheme: 'internal',
      Subnets,
      SecurityGroups: [],
      Tags,
    });
    await world.remove('Cluster', 'eks');
    await world.until('gone', () => plane() === undefined, 60);
    expect(world.live('load-balancer')).toEqual([]);
    expect(world.live('vpc').filter(isThere)).toHaveLength(isOurs ? 0 : 1);
  });

  it('is as the spec says', async () => {
    const before = await open();
    const network = {
      vpc: { cidrBlock: '10.8.0.0/16', availabilityZoneUsageLimit: 2 },
      additionalControlPlaneIngressRules: [
        { description: 'from the office', protocol: 'tcp', fromPort: 443, toPort: 443, cidrBlocks: ['192.0.2.0/24'] },
      ],
    };
    await applied(manifest({ network, restrictPrivateSubnets: true, bastion: { enabled: true } }));
    await world.until('available', isAvailable, 60);
    const subnets = plane()!.spec!.network!.subnets!;
    const inside = subnets.filter(({ isPublic }) => !isPublic).map(({ resourceID }) => resourceID);
    const { cluster } = await call('DescribeCluster', { name });
    expect(cluster.resourcesVpcConfig.subnetIds).toEqual(inside);
    expect(inside).toHaveLength(2);
    const [GroupId = ''] = cluster.resourcesVpcConfig.securityGroupIds ?? [];
    const { SecurityGroups } = await call('DescribeSecurityGroups', { GroupIds: [GroupId] });
    expect(SecurityGroups[0]!.IpPermissions.map(({ FromPort }) => FromPort).sort()).toEqual([22, 443]);
    expect(plane()?.status?.bastion).toMatchObject({ instanceState: 'running' });
    await goes(before);
  });
});
