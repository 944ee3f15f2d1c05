import { describe, expect, it } from 'vitest';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { CloudAction, CloudInput } from '../../kinds/ports/cloud/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { addCluster, addMachine, createWorld, type World } from './world.ts';

const region = 'eu-west-1';
const cluster = (world: World) => world.get<AWSCluster>('AWSCluster', 'demo');
const isReady = (world: World) => () => cluster(world).status?.ready === true;
const call = <A extends CloudAction>(world: World, action: A, input: CloudInput<A>) =>
  world.account.uncounted(region, action, input);
const conditionOf = ({ status }: KubeObject, type: string) =>
  (status as AWSCluster['status'])?.conditions?.find((condition) => condition.type === type);
const balancers = async (world: World) =>
  (await call(world, 'DescribeClassicLoadBalancers', {})).LoadBalancerDescriptions;
const attributesOf = async (world: World, LoadBalancerName: string) =>
  (await call(world, 'DescribeClassicLoadBalancerAttributes', { LoadBalancerName })).LoadBalancerAttributes;
const tagsOf = async (world: World, name: string) => {
  const { TagDescriptions } = await call(world, 'DescribeClassicLoadBalancerTags', { LoadBalancerNames: [name] });
  return Object.fromEntries(TagDescriptions[0]!.Tags.map(({ Key, Value }) => [Key, Value]));
};
const groupsOf = ({ status }: AWSCluster) => status?.networkStatus?.securityGroups ?? {};

const begin = (spec: Record<string, unknown> = {}) => {
  const world = createWorld();
  addCluster(world, { controlPlaneLoadBalancer: undefined, ...spec });
  return world;
};
const built = async (spec: Record<string, unknown> = {}) => {
  const world = begin(spec);
  await world.until(isReady(world));
  return world;
};

describe('a cluster that names no type of load balancer', () => {
  it('gets a classic one with the defaults of the AWS provider', async () => {
    const world = await built();
    const [balancer, ...others] = await balancers(world);
    expect(others).toEqual([]);
    const group = groupsOf(cluster(world))['apiserver-lb']!.id;
    const isPublic = ({ isPublic }: { isPublic?: boolean | undefined }) => isPublic === true;
    const subnets = cluster(world)
      .spec?.network?.subnets?.filter(isPublic)
      .map(({ resourceID }) => resourceID);
    expect(balancer).toMatchObject({
      Scheme: 'internet-facing',
      Subnets: subnets,
      SecurityGroups: [group],
      HealthCheck: { Target: 'TCP:6443', Interval: 10, Timeout: 5, HealthyThreshold: 5, UnhealthyThreshold: 3 },
      ListenerDescriptions: [
        { Listener: { Protocol: 'TCP', LoadBalancerPort: 6443, InstanceProtocol: 'TCP', InstancePort: 6443 } },
      ],
    });
    expect(balancer?.LoadBalancerName).toMatch(/^demo-apiserver-[0-9a-f]{8}$/);
    expect(await attributesOf(world, balancer!.LoadBalancerName)).toEqual({
      CrossZoneLoadBalancing: { Enabled: false },
      ConnectionSettings: { IdleTimeout: 600 },
    });
    expect(await tagsOf(world, balancer!.LoadBalancerName)).toMatchObject({
      Name: 'demo-apiserver',
      'sigs.k8s.io/cluster-api-provider-aws/cluster/demo': 'owned',
      'sigs.k8s.io/cluster-api-provider-aws/role': 'apiserver',
      'capstan.dev/installation': 'here',
    });
  });

  it('is reached at it, once its name resolves', async () => {
    const world = begin();
    await world.until(() => conditionOf(cluster(world), 'LoadBalancerReady')?.reason === 'WaitForDNSNameResolve');
    expect(cluster(world).spec?.controlPlaneEndpoint).toBeUndefined();
    await world.until(isReady(world));
    const [balancer] = await balancers(world);
    const { LoadBalancerDescriptions } = await call(world, 'DescribeClassicLoadBalancers', {
      LoadBalancerNames: [balancer!.LoadBalancerName],
    });
    const { Host, Port } = LoadBalancerDescriptions[0]!.ListenerDescriptions[0]!.Endpoint!;
    expect(cluster(world).spec?.controlPlaneEndpoint).toEqual({ host: Host, port: Port });
  });

  it('reports it in its status', async () => {
    const world = await built();
    const [balancer] = await balancers(world);
    expect(cluster(world).status?.networkStatus?.apiServerElb).toEqual({
      name: balancer!.LoadBalancerName,
      dnsName: balancer!.DNSName,
      scheme: 'internet-facing',
      loadBalancerType: 'classic',
      loadBalancerIPAddressType: 'ipv4',
      availabilityZones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'],
      subnetIds: balancer!.Subnets.toSorted(),
      securityGroupIds: balancer!.SecurityGroups,
      attributes: { crossZoneLoadBalancing: false, idleTimeout: 600_000_000_000 },
      healthChecks: {
        target: 'TCP:6443',
        interval: 10_000_000_000,
        timeout: 5_000_000_000,
        healthyThreshold: 5,
        unhealthyThreshold: 3,
      },
      listeners: [{ protocol: 'TCP', port: 6443, instanceProtocol: 'TCP', instancePort: 6443 }],
      tags: await tagsOf(world, balancer!.LoadBalancerName),
    });
    const conditions = cluster(world).status?.conditions?.filter(({ status }) => status !== 'True');
    expect(conditions).toEqual([]);
    expect(cluster(world).status?.failureDomains).toEqual({
      'eu-west-1a': { controlPlane: true },
      'eu-west-1b': { controlPlane: true },
      'eu-west-1c': { controlPlane: true },
    });
  });

  it('opens the API servers to the load balancer only, which has its own group', async () => {
    const world = await built();
    expect(groupsOf(cluster(world)).lb?.ingressRule).toEqual([]);
    const rule = groupsOf(cluster(world)).controlplane?.ingressRule?.find(({ fromPort }) => fromPort === 6443);
    expect(rule?.sourceSecurityGroupRoles).toEqual(['apiserver-lb', 'controlplane', 'node']);
  });

  it('asks nothing of the second version of the API', async () => {
    const world = await built();
    const asked = world.account.calls().map(({ action }) => action);
    expect(asked.filter((action) => /TargetGroup|Listeners$/.test(action))).toEqual([]);
  });

  it('leaves nothing behind', async () => {
    const world = await built();
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect(await balancers(world)).toEqual([]);
    expect(world.account.list()).toEqual([]);
  });
});

describe('the fields of a classic load balancer', () => {
  it('are all acted on', async () => {
    const world = begin({
      controlPlaneLoadBalancer: {
        loadBalancerType: 'classic',
        name: 'team-api',
        scheme: 'internal',
        crossZoneLoadBalancing: true,
        healthCheckProtocol: 'HTTPS',
        healthCheck: { intervalSeconds: 20, timeoutSeconds: 8, thresholdCount: 2, unhealthyThresholdCount: 4 },
        ingressRules: [
          { description: 'office', protocol: 'tcp', fromPort: 6443, toPort: 6443, cidrBlocks: ['10.9.0.0/16'] },
        ],
      },
      additionalTags: { team: 'a' },
    });
    await world.until(isReady(world));
    const isPublic = ({ isPublic }: { isPublic?: boolean | undefined }) => isPublic === true;
    const subnets = cluster(world).spec?.network?.subnets?.filter((one) => !isPublic(one));
    expect(await balancers(world)).toMatchObject([
      {
        LoadBalancerName: 'team-api',
        Scheme: 'internal',
        Subnets: subnets?.map(({ resourceID }) => resourceID),
        HealthCheck: {
          Target: 'HTTPS:6443/readyz',
          Interval: 20,
          Timeout: 8,
          HealthyThreshold: 2,
          UnhealthyThreshold: 4,
        },
      },
    ]);
    expect((await attributesOf(world, 'team-api')).CrossZoneLoadBalancing).toEqual({ Enabled: true });
    expect(await tagsOf(world, 'team-api')).toMatchObject({ team: 'a' });
    const open = groupsOf(cluster(world))['apiserver-lb']?.ingressRule?.flatMap(({ cidrBlocks }) => cidrBlocks ?? []);
    expect(open).toContain('10.9.0.0/16');
    expect(open).not.toContain('0.0.0.0/0');
  });

  it('may change while it stands', async () => {
    const world = await built({ additionalTags: { team: 'a' } });
    const [{ LoadBalancerName: name, VPCId } = { LoadBalancerName: '', VPCId: '' }] = await balancers(world);
    const { GroupId } = await call(world, 'CreateSecurityGroup', {
      GroupName: 'more',
      Description: 'more',
      VpcId: VPCId,
      TagSpecifications: [],
    });
    const before = cluster(world);
    world.put({
      ...before,
      spec: {
        ...before.spec,
        additionalTags: { cost: 'b' },
        controlPlaneLoadBalancer: {
          ...before.spec?.controlPlaneLoadBalancer,
          crossZoneLoadBalancing: true,
          additionalSecurityGroups: [GroupId],
          healthCheck: { intervalSeconds: 30 },
        },
      },
    });
    await world.run(300);
    const [balancer] = await balancers(world);
    expect(balancer?.HealthCheck).toMatchObject({ Interval: 30, Timeout: 5 });
    expect(balancer?.SecurityGroups).toContain(GroupId);
    expect((await attributesOf(world, name)).CrossZoneLoadBalancing).toEqual({ Enabled: true });
    const tags = await tagsOf(world, name);
    expect(tags).toMatchObject({ cost: 'b' });
    expect(tags).not.toHaveProperty('team');
  });

  it('changes while a subnet cannot be created', async () => {
    const subnets = [
      { id: 'in', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.64.0/18' },
      { id: 'out', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.0.0/20', isPublic: true },
    ];
    const world = await built({ network: { subnets } });
    world.account.faults.add({ action: 'CreateSubnet', code: 'InsufficientFreeAddressesInSubnet' });
    const before = cluster(world);
    const more = { id: 'more', availabilityZone: 'eu-west-1b', cidrBlock: '10.0.16.0/20', isPublic: true };
    world.put({
      ...before,
      spec: {
        ...before.spec,
        network: { ...before.spec?.network, subnets: [...(before.spec?.network?.subnets ?? []), more] },
        controlPlaneLoadBalancer: { ...before.spec?.controlPlaneLoadBalancer, healthCheck: { intervalSeconds: 30 } },
      },
    });
    await world.run(300);
    const [balancer] = await balancers(world);
    expect(balancer).toMatchObject({ HealthCheck: { Interval: 30 }, AvailabilityZones: ['eu-west-1a'] });
  });

  it('stands in the subnets that it names', async () => {
    const world = await built({
      network: {
        subnets: [
          { id: 'in', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.64.0/18' },
          { id: 'out', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.0.0/20', isPublic: true },
          { id: 'more', availabilityZone: 'eu-west-1b', cidrBlock: '10.0.16.0/20', isPublic: true },
        ],
      },
      controlPlaneLoadBalancer: { subnets: ['more'] },
    });
    const [balancer] = await balancers(world);
    expect(balancer?.AvailabilityZones).toEqual(['eu-west-1b']);
    expect(cluster(world).status?.failureDomains).toEqual({ 'eu-west-1a': { controlPlane: false } });
  });
});

describe('a classic load balancer', () => {
  it('of the same name and another owner stays, and is reported', async () => {
    const world = createWorld();
    const { Vpc } = await call(world, 'CreateVpc', { CidrBlock: '10.9.0.0/16', TagSpecifications: [] });
    const { Subnet } = await call(world, 'CreateSubnet', {
      VpcId: Vpc.VpcId,
      CidrBlock: '10.9.0.0/20',
      AvailabilityZone: 'eu-west-1a',
      TagSpecifications: [],
    });
    await call(world, 'CreateClassicLoadBalancer', {
      LoadBalancerName: 'taken',
      Listeners: [{ Protocol: 'TCP', LoadBalancerPort: 80, InstanceProtocol: 'TCP', InstancePort: 80 }],
      Scheme: 'internal',
      Subnets: [Subnet.SubnetId],
      SecurityGroups: [],
      Tags: [],
    });
    addCluster(world, { controlPlaneLoadBalancer: { name: 'taken' } });
    await world.until(() => conditionOf(cluster(world), 'LoadBalancerReady')?.severity === 'Error');
    expect(conditionOf(cluster(world), 'LoadBalancerReady')?.message).toBe(
      "a load balancer named taken exists and is not this cluster's: give another spec.controlPlaneLoadBalancer.name",
    );
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect((await balancers(world)).map(({ LoadBalancerName }) => LoadBalancerName)).toEqual(['taken']);
  });

  it('is made again after a deletion by hand, until the endpoint is known', async () => {
    const world = begin();
    await world.until(() => world.account.list().some(({ type }) => type === 'load-balancer'));
    await world.run(10);
    const [{ LoadBalancerName } = { LoadBalancerName: '' }] = await balancers(world);
    await call(world, 'DeleteClassicLoadBalancer', { LoadBalancerName });
    await world.until(isReady(world));
    expect((await balancers(world)).map((one) => one.LoadBalancerName)).toEqual([LoadBalancerName]);
  });

  it('has a network load balancer beside it, if a second one is asked for', async () => {
    const world = await built({
      secondaryControlPlaneLoadBalancer: { name: 'inside', loadBalancerType: 'nlb', scheme: 'internal' },
    });
    const { LoadBalancers } = await call(world, 'DescribeLoadBalancers', {});
    expect(LoadBalancers).toMatchObject([{ LoadBalancerName: 'inside', Scheme: 'internal' }]);
    const [balancer] = await balancers(world);
    expect(balancer?.Scheme).toBe('internet-facing');
    const { apiServerElb, secondaryAPIServerELB } = cluster(world).status?.networkStatus ?? {};
    expect([apiServerElb?.loadBalancerType, secondaryAPIServerELB?.loadBalancerType]).toEqual(['classic', 'nlb']);
    addMachine(world, 'one');
    await world.until(() => world.get<AWSMachine>('AWSMachine', 'one').status?.ready === true);
    const id = world.get<AWSMachine>('AWSMachine', 'one').spec?.instanceID;
    await world.run(30);
    expect((await balancers(world))[0]?.Instances).toEqual([{ InstanceId: id }]);
    const TargetGroupArn = (await call(world, 'DescribeTargetGroups', {})).TargetGroups[0]!.TargetGroupArn;
    const { TargetHealthDescriptions } = await call(world, 'DescribeTargetHealth', { TargetGroupArn });
    expect(TargetHealthDescriptions.map(({ Target }) => Target.Id)).toEqual([id]);
    world.remove('AWSMachine', 'one');
    await world.until(() => world.find('AWSMachine', 'one') === undefined);
    world.remove('AWSCluster', 'demo');
    await world.until(() => world.find('AWSCluster', 'demo') === undefined);
    expect(world.account.list()).toEqual([]);
  });
});

describe('a control plane machine', () => {
  const started = async () => {
    const world = await built();
    addMachine(world, 'one');
    const machine = () => world.get<AWSMachine>('AWSMachine', 'one');
    await world.until(() => conditionOf(machine(), 'ELBAttached')?.status === 'True');
    const registered = async () => (await balancers(world))[0]?.Instances.map(({ InstanceId }) => InstanceId);
    return { world, machine, registered };
  };

  it('is registered once it runs', async () => {
    const { machine, registered } = await started();
    expect(await registered()).toEqual([machine().spec?.instanceID]);
  });

  it('is deregistered as soon as its Machine is deleted, and keeps running', async () => {
    const { world, machine, registered } = await started();
    const owner = world.get('Machine', 'one');
    const deletionTimestamp = new Date(world.now()).toISOString();
    world.put({ ...owner, metadata: { ...owner.metadata, finalizers: ['x'], deletionTimestamp } });
    await world.until(() => conditionOf(machine(), 'ELBAttached')?.reason === 'ELBDetached');
    expect(await registered()).toEqual([]);
    expect(machine().status?.instanceState).toBe('running');
  });

  it('is deregistered before its instance is terminated', async () => {
    const { world } = await started();
    world.remove('AWSMachine', 'one');
    await world.until(() => world.find('AWSMachine', 'one') === undefined);
    const order = world.account.calls().filter(({ action }) => /^(Deregister|Terminate)/.test(action));
    expect(order.map(({ action, errors }) => `${action} ${errors}`)).toEqual([
      'DeregisterInstancesFromLoadBalancer 0',
      'TerminateInstances 0',
    ]);
  });

  it('is registered again after it was taken out by hand', async () => {
    const { world, machine, registered } = await started();
    const [{ LoadBalancerName } = { LoadBalancerName: '' }] = await balancers(world);
    const Instances = [{ InstanceId: machine().spec?.instanceID ?? '' }];
    await call(world, 'DeregisterInstancesFromLoadBalancer', { LoadBalancerName, Instances });
    const owner = machine();
    world.put({
      ...owner,
      metadata: { ...owner.metadata, annotations: { ...owner.metadata.annotations, again: '1' } },
    });
    await world.run(60);
    expect(await registered()).toEqual([machine().spec?.instanceID]);
  });
});
