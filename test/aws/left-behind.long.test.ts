/** What the controllers inside a cluster made in AWS, and left in its network when the cluster went. */
import { describe, expect, it } from 'vitest';
import { createNetwork } from '../../cli/cloud-network.ts';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { CloudAction, CloudInput, Tag } from '../../kinds/ports/cloud/index.ts';
import { addCluster, createWorld, type World } from './world.ts';

const region = 'eu-west-1';
const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const call = <A extends CloudAction>(world: World, action: A, input: CloudInput<A>) =>
  world.account.uncounted(region, action, input);
const tags = (of: Record<string, string>): Tag[] => Object.entries(of).map(([Key, Value]) => ({ Key, Value }));

const byManager = { 'kubernetes.io/cluster/demo': 'owned', 'kubernetes.io/service-name': 'default/web' };
const byController = { 'elbv2.k8s.aws/cluster': 'demo', 'ingress.k8s.aws/stack': 'default/web' };

interface Place {
  vpc: string;
  subnets: string[];
}
const placeOf = (world: World): Place => {
  const { vpc, subnets = [] } = cluster(world).spec!.network!;
  return { vpc: vpc!.id!, subnets: subnets.filter(({ isPublic }) => isPublic).map(({ resourceID }) => resourceID!) };
};

const addGroup = async (world: World, { vpc }: Place, name: string, of: Record<string, string>) => {
  const { GroupId } = await call(world, 'CreateSecurityGroup', {
    GroupName: name,
    Description: name,
    VpcId: vpc,
    TagSpecifications: Object.keys(of).length > 0 ? [{ ResourceType: 'security-group', Tags: tags(of) }] : [],
  });
  return GroupId;
};
const addBalancer = async (world: World, place: Place, name: string, of: Record<string, string>) => {
  const group = await addGroup(world, place, `k8s-elb-${name}`, { 'kubernetes.io/cluster/demo': 'owned' });
  await call(world, 'CreateClassicLoadBalancer', {
    LoadBalancerName: name,
    Listeners: [{ Protocol: 'TCP', LoadBalancerPort: 80, InstanceProtocol: 'TCP', InstancePort: 30080 }],
    Scheme: 'internet-facing',
    Subnets: place.subnets.slice(0, 1),
    SecurityGroups: [group],
    Tags: tags(of),
  });
};
const addNetworkBalancer = async (world: World, { vpc, subnets }: Place, name: string, of: Record<string, string>) => {
  const Tags = tags(of);
  const target = { Name: name, Protocol: 'TCP', Port: 30080, VpcId: vpc, TargetType: 'instance', Tags } as const;
  await call(world, 'CreateTargetGroup', target as CloudInput<'CreateTargetGroup'>);
  await call(world, 'CreateLoadBalancer', {
    Name: name,
    Type: 'network',
    Scheme: 'internet-facing',
    Subnets: subnets.slice(0, 1),
    Tags,
  });
};

const built = async (annotations: Record<string, string> = {}) => {
  const world = createWorld();
  addCluster(world);
  await world.until(() => cluster(world).status?.ready === true);
  const { metadata, ...others } = cluster(world);
  world.put({ ...others, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } });
  return world;
};
const isGone = (world: World) => () => !world.find('AWSCluster', 'demo');
const messages = (world: World): string =>
  (cluster(world).status?.conditions ?? []).map(({ message = '' }) => message).join('\n');

describe('the deletion of a network', () => {
  it('takes along what Services and Ingresses left in it', async () => {
    const world = await built();
    await addBalancer(world, placeOf(world), 'a1b2', byManager);
    await addNetworkBalancer(world, placeOf(world), 'k8s-web', byController);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world), 1200);
    expect(world.live()).toEqual([]);
    expect(world.events.some((event) => event.startsWith('RemovingLeftBehind'))).toBe(true);
    expect(world.alarms).toEqual([]);
  });

  it('asks for nothing of the kind where nothing blocks it', async () => {
    const world = await built();
    const asked = () => world.account.calls().find(({ action }) => action === 'AddTags')?.calls ?? 0;
    const before = asked();
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world), 1200);
    expect(asked()).toBe(before);
  });

  it.each<{ rule: string; annotations?: Record<string, string>; of?: Record<string, string>; group?: string }>([
    { rule: 'its user keeps', annotations: { 'aws.cluster.x-k8s.io/external-resource-gc': 'false' } },
    {
      rule: 'is of no task that its user names',
      annotations: { 'aws.cluster.x-k8s.io/external-resource-tasks-gc': 'target-group,security-group' },
    },
    { rule: 'serves no Service', of: { 'kubernetes.io/cluster/demo': 'owned' } },
    { rule: 'is of another cluster, too', of: { ...byManager, 'kubernetes.io/cluster/other': 'owned' } },
    {
      rule: 'another cluster of this installation has',
      of: { ...byManager, 'capstan.dev/installation': 'here', 'capstan.dev/cluster-uid': 'another' },
    },
    { rule: 'another installation has', of: { ...byManager, 'capstan.dev/installation': 'there' } },
  ])('leaves alone what $rule, and names what is in the way', async ({ annotations, of = byManager }) => {
    const world = await built(annotations);
    await addBalancer(world, placeOf(world), 'a1b2', of);
    world.remove('AWSCluster', 'demo');
    await world.run(900);
    expect((await call(world, 'DescribeClassicLoadBalancers', {})).LoadBalancerDescriptions).toHaveLength(1);
    expect(messages(world)).toMatch(/In the way, and not Capstan's to remove: network interface eni-/);
  });
});

describe('the deletion of a cluster in a network of its user', () => {
  const shared = async (annotations: Record<string, string> = {}) => {
    const world = createWorld({ behaviour: { inconsistency: 0 } });
    const network = await createNetwork((action, input) => call(world, action as never, input as never), {
      region,
      name: 'shared',
      cidr: '10.1.0.0/16',
      zones: 1,
    });
    const subnets = [...network.publicSubnets, ...network.privateSubnets].map((id) => ({ id }));
    addCluster(world, { network: { vpc: { id: network.vpc }, subnets } });
    await world.until(() => cluster(world).status?.ready === true);
    const { metadata, ...others } = cluster(world);
    world.put({ ...others, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } });
    return { world, place: { vpc: network.vpc, subnets: network.publicSubnets } };
  };
  const left = (world: World) => world.live('load-balancer').length + world.live('classic-load-balancer').length;

  it('takes along what Services left in it, and nothing else', async () => {
    const { world, place } = await shared();
    await addBalancer(world, place, 'a1b2', byManager);
    await addNetworkBalancer(world, place, 'k8s-web', byController);
    await addNetworkBalancer(world, place, 'mine', {});
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world), 1200);
    expect(left(world)).toBe(1);
    expect(world.live('vpc')).toEqual([place.vpc]);
    expect(world.alarms).toEqual([]);
  });

  it('leaves alone what may serve another cluster of its name there, and says so', async () => {
    const { world, place } = await shared();
    await addBalancer(world, place, 'a1b2', byManager);
    const Filters = [{ Name: 'name', Values: ['capa-ami-ubuntu-24.04-?1.35.0-*'] }];
    await call(world, 'RunInstances', {
      ImageId: (await call(world, 'DescribeImages', { Filters })).Images[0]!.ImageId,
      InstanceType: 't3.medium',
      ClientToken: 'theirs',
      MinCount: 1,
      MaxCount: 1,
      SubnetId: place.subnets[0]!,
      TagSpecifications: [{ ResourceType: 'instance', Tags: tags({ 'kubernetes.io/cluster/demo': 'owned' }) }],
    } as unknown as CloudInput<'RunInstances'>);
    await world.run(60);
    world.remove('AWSCluster', 'demo');
    await world.until(isGone(world), 1200);
    expect(left(world)).toBe(1);
    expect(world.events.join()).toMatch(/ServicesLeftBehind: .*classic load balancer a1b2.*machines/);
  });

  it('waits while the account refuses, and says what and how to go on', async () => {
    const { world, place } = await shared();
    await addBalancer(world, place, 'a1b2', byManager);
    world.account.faults.add({ action: 'AddClassicLoadBalancerTags', code: 'AccessDenied' });
    world.remove('AWSCluster', 'demo');
    await world.run(900);
    expect(messages(world)).toMatch(
      /Services left in the network to be gone: classic load balancer a1b2, .*: AddClassicLoadBalancerTags: AccessDenied.*external-resource-gc=false/,
    );
    world.account.faults.clear();
    await world.until(isGone(world), 1200);
    expect(left(world)).toBe(0);
  });
});
