/**
 * Checks of the whole cluster: region, identity, network, address ranges, quotas, load balancers.
 */
import { describe, expect, it } from 'vitest';
import { clusterUidTag, installationTag } from '../aws-cluster/tags.ts';
import { judgeAddressRanges } from './address-ranges.ts';
import {
  addressOf,
  factsOf,
  groupOf,
  inTemplate,
  judged,
  objects,
  quotaOf,
  refusal,
  type Situation,
  subnetOf,
  vpcOf,
} from './preflight.fixture.ts';

type Table = (Situation & { rule: string; says?: string; verdict?: 'pending' | 'absent' })[];
const follows = (table: Table) =>
  it.each(table)('$rule', ({ says, verdict: expected, ...situation }) => {
    const { verdict, message } = judged(situation);
    expect({ verdict, message: says === undefined ? message : message.slice(0, says.length) }).toEqual({
      verdict: expected ?? (says === undefined ? 'passed' : 'refused'),
      message: says ?? '',
    });
  });
const own = [
  { Key: installationTag, Value: 'here' },
  { Key: clusterUidTag, Value: 'uid-of-demo' },
];
const awsCluster = (spec: object): Situation['changed'] => ({ awsCluster: { spec } });
const me = 'AWSCluster default/demo';
const pods = (...cidrBlocks: string[]) => ({ cluster: { spec: { clusterNetwork: { pods: { cidrBlocks } } } } });
const listening = (bindPort: number, joined?: number) => ({
  initConfiguration: { localAPIEndpoint: { bindPort } },
  joinConfiguration: { controlPlane: { localAPIEndpoint: joined === undefined ? {} : { bindPort: joined } } },
});

describe('objects', () => {
  follows([
    {
      rule: 'that are not there yet are awaited',
      changed: { awsCluster: null },
      verdict: 'pending',
      says: 'Waiting for AWSCluster demo, which Cluster default/demo names',
    },
    {
      rule: 'and so are templates',
      changed: { workersTemplate: null },
      verdict: 'pending',
      says: 'Waiting for AWSMachineTemplate default/workers, which MachineDeployment default/workers names',
    },
    {
      rule: 'a classic load balancer is refused',
      changed: awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'classic' } }),
      says: `${me}: Classic load balancers are not supported: set spec.controlPlaneLoadBalancer.loadBalancerType to nlb`,
    },
    {
      rule: 'and so are bootstrap templates',
      changed: { workersConfig: null },
      verdict: 'pending',
      says: 'Waiting for KubeadmConfigTemplate default/workers, which MachineDeployment default/workers names',
    },
    {
      rule: 'a control plane with Ignition is refused',
      changed: { controlPlane: { spec: { kubeadmConfigSpec: { format: 'ignition' } } } },
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.format: Ignition is not supported: use cloud-config',
    },
    {
      rule: 'and so are workers with Ignition',
      changed: { workersConfig: inTemplate({ format: 'ignition' }) },
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.format: Ignition is not supported: use cloud-config',
    },
    { rule: 'cloud-config is not refused', changed: { workersConfig: inTemplate({ format: 'cloud-config' }) } },
    {
      rule: 'machines that fetch Ignition are refused',
      changed: { workersTemplate: inTemplate({ ignition: { version: '3.4' } }) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.ignition: Ignition is not supported: leave the field out',
    },
    {
      rule: 'external etcd is refused',
      changed: {
        controlPlane: {
          spec: { kubeadmConfigSpec: { clusterConfiguration: { etcd: { external: { endpoints: ['https://e'] } } } } },
        },
      },
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.clusterConfiguration.etcd.external: external etcd is not supported',
    },
    {
      rule: 'a network with IPv6 is refused',
      changed: awsCluster({ network: { vpc: { ipv6: {} } } }),
      says: `${me} spec.network.vpc.ipv6: IPv6 is not supported: leave the field out`,
    },
    {
      rule: 'IPv6 beside IPv4 is refused',
      changed: { cluster: { spec: { clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/16', 'fd01::/48'] } } } } },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: IPv6 is not supported: leave out fd01::/48',
    },
    {
      rule: 'services with IPv6 are refused',
      changed: { cluster: { spec: { clusterNetwork: { services: { cidrBlocks: ['fd02::/112'] } } } } },
      says: 'Cluster default/demo spec.clusterNetwork.services.cidrBlocks: IPv6 is not supported: leave out fd02::/112',
    },
    {
      rule: 'API servers at one port may have any',
      changed: { controlPlane: { spec: { kubeadmConfigSpec: listening(8443, 8443) } } },
    },
    {
      rule: 'API servers at two ports are refused',
      changed: { controlPlane: { spec: { kubeadmConfigSpec: listening(8443) } } },
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec: the first API server listens at 8443 and those that join at 6443: set the same localAPIEndpoint.bindPort',
    },
    {
      rule: 'a second listener at the port of the API is refused',
      changed: {
        cluster: { spec: { clusterNetwork: { apiServerPort: 443 } } },
        awsCluster: {
          spec: { controlPlaneLoadBalancer: { additionalListeners: [{ port: 6443 }, { port: 443 }] } },
        },
      },
      says: `${me} spec.controlPlaneLoadBalancer.additionalListeners[1].port: 443 is the port of the Kubernetes API: choose another`,
    },
    {
      rule: 'an identity that does not exist is refused',
      verdict: 'absent',
      changed: { identity: null },
      says: `${me}: AWSClusterControllerIdentity default does not exist: create it, or name another in spec.identityRef`,
    },
    {
      rule: 'an identity of another kind is refused',
      changed: awsCluster({ identityRef: { kind: 'AWSClusterRoleIdentity', name: 'x' } }),
      says: `${me}: AWSClusterRoleIdentity is not supported`,
    },
    {
      rule: 'an identity that the namespace may not use is refused',
      changed: { identity: { spec: { allowedNamespaces: { list: ['other'] } } } },
      says: `${me}: Namespace default may not use AWSClusterControllerIdentity default: allow it in spec.allowedNamespaces`,
    },
  ]);
});

describe('regions', () => {
  follows([
    { rule: 'must be named', changed: awsCluster({ region: null }), says: `${me} spec.region: it is not set` },
    {
      rule: 'must exist, whatever else cannot be read there',
      changed: awsCluster({ region: 'eu-north-9' }),
      answers: { DescribeKeyPairs: () => refusal('UnknownEndpoint') },
      says: `${me} spec.region: AWS has no region eu-north-9`,
    },
    {
      rule: 'must be enabled',
      answers: { DescribeRegions: () => ({ Regions: [{ RegionName: 'eu-west-1', OptInStatus: 'not-opted-in' }] }) },
      says: `${me} spec.region: the account has not enabled eu-west-1`,
    },
  ]);
});

describe('quotas', () => {
  const others = (count: number) => ({ Vpcs: Array.from({ length: count }, (_, i) => vpcOf(`vpc-${i}`)) });
  const addresses = (count: number) => ({ Addresses: Array.from({ length: count }, (_, i) => addressOf(`a-${i}`)) });
  const brought = {
    network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-00000001' }] },
  };
  follows([
    { rule: 'a last VPC may be had', answers: { DescribeVpcs: () => others(4) } },
    {
      rule: 'no VPC is left',
      answers: { DescribeVpcs: () => others(5) },
      says: `VPCs per region in eu-west-1: the quota is 5 and 5 are in use, and the cluster needs 1: raise quota L-F678F1CE, or remove a VPC, or bring one with spec.network.vpc.id of ${me}`,
    },
    {
      rule: 'its own VPC is not counted twice',
      answers: { DescribeVpcs: () => ({ Vpcs: [...others(4).Vpcs, { ...vpcOf('vpc-own'), Tags: own }] }) },
    },
    {
      rule: 'VPCs that other accounts share are not of this one’s quota',
      answers: { DescribeVpcs: () => ({ Vpcs: others(5).Vpcs.map((vpc) => ({ ...vpc, OwnerId: '444455556666' })) }) },
    },
    {
      rule: 'VPCs of the account itself are',
      answers: { DescribeVpcs: () => ({ Vpcs: others(5).Vpcs.map((vpc) => ({ ...vpc, OwnerId: '111122223333' })) }) },
      says: 'VPCs per region in eu-west-1: the quota is 5 and 5 are in use',
    },
    {
      rule: 'who brings a VPC needs none, and no addresses',
      changed: awsCluster(brought),
      answers: { DescribeAddresses: () => addresses(5), GetServiceQuota: () => quotaOf(10) },
    },
    { rule: 'one address a zone is left', answers: { DescribeAddresses: () => addresses(2) } },
    {
      rule: 'one address is missing',
      answers: { DescribeAddresses: () => addresses(3) },
      says: 'Elastic IP addresses in eu-west-1: the quota is 5 and 3 are in use, and the cluster needs 3: raise quota L-0263D0A3, or release some',
    },
    {
      rule: 'fewer zones need fewer addresses',
      changed: awsCluster({ network: { vpc: { availabilityZoneUsageLimit: 2 } } }),
      answers: { DescribeAddresses: () => addresses(3) },
    },
    {
      rule: 'addresses of a pool that the account brought do not count',
      changed: awsCluster({
        network: { vpc: { elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1', publicIpv4PoolFallbackOrder: 'none' } } },
      }),
      answers: { DescribeAddresses: () => addresses(5) },
    },
    {
      rule: 'machines with addresses of their own count',
      changed: { workersTemplate: inTemplate({ elasticIpPool: {} }) },
      answers: { DescribeAddresses: () => addresses(1) },
      says: 'Elastic IP addresses in eu-west-1: the quota is 5 and 1 are in use, and the cluster needs 5',
    },
    {
      rule: 'more virtual CPUs than the quota are refused',
      changed: { workers: { spec: { replicas: 30 } } },
      says: 'vCPUs of running On-Demand Standard instances in eu-west-1: the quota is 64, and the cluster needs 66: raise quota L-1216C47A, or lower spec.replicas, such as of MachineDeployment default/workers',
    },
    {
      rule: 'spot instances do not count',
      changed: { workers: { spec: { replicas: 30 } }, workersTemplate: inTemplate({ spotMarketOptions: {} }) },
    },
  ]);
});

describe('address ranges', () => {
  const services = (block: string) => ({
    cluster: { spec: { clusterNetwork: { services: { cidrBlocks: [block] } } } },
  });
  const subnets = (...blocks: string[]) =>
    awsCluster({
      network: { subnets: blocks.map((cidrBlock, i) => ({ id: `s${i}`, cidrBlock, availabilityZone: 'eu-west-1a' })) },
    });
  const vpc = (cidrBlock: string, more = {}) => awsCluster({ network: { vpc: { cidrBlock, ...more } } });
  const secondary = { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.0.0/16' }] };
  follows([
    {
      rule: 'pods and network',
      changed: pods('10.0.128.0/17'),
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 10.0.128.0/17 overlap the VPC 10.0.0.0/16 (AWSCluster default/demo spec.network.vpc.cidrBlock): change one',
    },
    {
      rule: 'pods and services',
      changed: services('192.168.128.0/24'),
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 192.168.0.0/16 overlap the services’ addresses 192.168.128.0/24',
    },
    {
      rule: 'services and network',
      changed: services('10.0.0.0/12'),
      says: 'Cluster default/demo spec.clusterNetwork.services.cidrBlocks: the services’ addresses 10.0.0.0/12 overlap the VPC 10.0.0.0/16',
    },
    {
      rule: 'the default of services counts',
      changed: vpc('10.100.0.0/16'),
      says: 'Cluster default/demo spec.clusterNetwork.services.cidrBlocks: the default of the services’ addresses 10.96.0.0/12 overlap the VPC 10.100.0.0/16',
    },
    {
      rule: 'pods may have addresses of a secondary block',
      changed: { ...pods('100.64.0.0/17'), ...vpc('10.0.0.0/16', secondary) },
    },
    {
      rule: 'pods may not go beyond a secondary block',
      changed: { ...pods('100.64.0.0/10'), ...vpc('10.0.0.0/16', secondary) },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 100.64.0.0/10 overlap the VPC’s secondary block',
    },
    {
      rule: 'the blocks of a VPC that was brought are its own',
      changed: {
        ...pods('172.31.0.0/16'),
        ...awsCluster({ network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-00000001' }] } }),
      },
      answers: { DescribeVpcs: () => ({ Vpcs: [vpcOf('vpc-1', '172.31.0.0/16')] }) },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 172.31.0.0/16 overlap VPC vpc-1 172.31.0.0/16 (AWSCluster default/demo spec.network.vpc.id)',
    },
    {
      rule: 'which block a pool gives is not known',
      changed: { ...pods('10.0.0.0/16'), ...awsCluster({ network: { vpc: { ipamPool: { id: 'ipam-pool-1' } } } }) },
    },
    { rule: 'subnets within the VPC beside each other', changed: subnets('10.0.0.0/24', '10.0.1.0/24') },
    {
      rule: 'subnets outside the VPC',
      changed: subnets('10.0.0.0/24', '10.1.0.0/24'),
      says: `${me} spec.network.subnets[1].cidrBlock: 10.1.0.0/24 is not within the VPC, 10.0.0.0/16`,
    },
    {
      rule: 'subnets over each other',
      changed: subnets('10.0.0.0/24', '10.0.0.128/25'),
      says: `${me} spec.network.subnets[1].cidrBlock: 10.0.0.128/25 overlaps 10.0.0.0/24 of spec.network.subnets[0]`,
    },
    {
      rule: 'subnets that are too small',
      changed: subnets('10.0.0.0/29'),
      says: `${me} spec.network.subnets[0].cidrBlock: 10.0.0.0/29 must be between a /16 and a /28`,
    },
    {
      rule: 'networks that are too large',
      changed: vpc('10.0.0.0/12'),
      says: `${me} spec.network.vpc.cidrBlock: 10.0.0.0/12 must be between a /16 and a /28`,
    },
    {
      rule: 'networks without room for their subnets',
      changed: vpc('10.0.0.0/26'),
      says: `${me} spec.network.vpc.cidrBlock: 10.0.0.0/26 has no room for subnets in every zone`,
    },
  ]);
});

describe('unmanaged networks', () => {
  const brought = (more: object = {}, subnets: object[] = [{ id: 'subnet-00000001' }]) =>
    awsCluster({ network: { vpc: { id: 'vpc-1' }, subnets, ...more } });
  const missing = (id: string) => ({
    DescribeSubnets: ({ SubnetIds }: { SubnetIds?: string[] }) =>
      SubnetIds?.includes(id) ? refusal('InvalidSubnetID.NotFound') : { Subnets: [subnetOf('subnet-00000001')] },
  });
  const tagged = (...names: string[]) => {
    const Tags = names.map((Key) => ({ Key, Value: 'shared' }));
    return { DescribeSubnets: () => ({ Subnets: [{ ...subnetOf('subnet-00000001'), Tags }] }) };
  };
  const filled = (count: number) => Array.from({ length: count }, (_, i) => `kubernetes.io/cluster/other-${i}`);
  follows([
    { rule: 'are used', changed: brought() },
    {
      rule: 'must exist',
      verdict: 'absent',
      changed: brought(),
      answers: { DescribeVpcs: () => refusal('InvalidVpcID.NotFound') },
      says: `${me} spec.network.vpc.id: VPC vpc-1 does not exist in eu-west-1`,
    },
    {
      rule: 'need their subnets listed',
      changed: brought({}, []),
      says: `${me} spec.network.subnets: there are none: list those of VPC vpc-1`,
    },
    {
      rule: 'must have the subnets',
      verdict: 'absent',
      changed: brought({}, [{ id: 'subnet-00000009' }]),
      answers: missing('subnet-00000009'),
      says: `${me} spec.network.subnets[0].id: subnet subnet-00000009 does not exist in eu-west-1`,
    },
    {
      rule: 'must have the subnets in them',
      changed: brought(),
      answers: { DescribeSubnets: () => ({ Subnets: [subnetOf('subnet-00000001', 'eu-west-1a', 'vpc-2')] }) },
      says: `${me} spec.network.subnets[0].id: subnet subnet-00000001 is in vpc-2, not in spec.network.vpc.id vpc-1`,
    },
    {
      rule: 'may have no room for the tags of the in-cluster cloud provider',
      changed: brought(),
      answers: tagged(...filled(50)),
    },
    {
      rule: 'must have the subnets where the spec says',
      changed: brought({}, [{ id: 'subnet-00000001', availabilityZone: 'eu-west-1b' }]),
      says: `${me} spec.network.subnets[0].availabilityZone: subnet subnet-00000001 is in eu-west-1a, not in eu-west-1b`,
    },
    {
      rule: 'have no subnet of that block',
      verdict: 'absent',
      changed: brought({}, [{ id: 'mine', cidrBlock: '10.0.9.0/24' }]),
      says: `${me} spec.network.subnets[0].id: mine is no subnet of VPC vpc-1`,
    },
    {
      rule: 'an id that EC2 would not give is the name of a subnet to make',
      changed: awsCluster({
        network: {
          subnets: ['subnet-first', 'subnet-1', 'subnet-0123456789abcdefg'].map((id, i) => ({
            id,
            cidrBlock: `10.0.${i}.0/24`,
            availabilityZone: 'eu-west-1a',
            isPublic: i === 0,
          })),
        },
        controlPlaneLoadBalancer: { subnets: ['subnet-first'] },
      }),
    },
    {
      rule: 'a load balancer names such a subnet',
      changed: awsCluster({
        network: { subnets: [{ id: 'subnet-a', cidrBlock: '10.0.0.0/24', availabilityZone: 'eu-west-1a' }] },
        controlPlaneLoadBalancer: { subnets: ['subnet-b'] },
      }),
      says: `${me} spec.controlPlaneLoadBalancer.subnets[0]: subnet-b is none of spec.network.subnets of ${me}`,
    },
    {
      rule: 'a subnet of another network needs that network',
      changed: awsCluster({ network: { subnets: [{ id: 'subnet-00000001' }] } }),
      says: `${me} spec.network.subnets[0].id: subnet-00000001 is in a VPC of your own: name that VPC in spec.network.vpc.id`,
    },
    {
      rule: 'a subnet that is made needs a zone that there is',
      changed: awsCluster({
        network: { subnets: [{ id: 'a', cidrBlock: '10.0.0.0/24', availabilityZone: 'eu-west-1x' }] },
      }),
      says: `${me} spec.network.subnets[0].availabilityZone: eu-west-1 has no zone eu-west-1x that is available: choose one of eu-west-1a, eu-west-1b, eu-west-1c`,
    },
    {
      rule: 'a subnet that a load balancer names must exist',
      verdict: 'absent',
      changed: awsCluster({ controlPlaneLoadBalancer: { subnets: ['subnet-00000009'] } }),
      answers: missing('subnet-00000009'),
      says: `${me} spec.controlPlaneLoadBalancer.subnets[0]: subnet subnet-00000009 does not exist`,
    },
    {
      rule: 'a subnet that a machine names must exist',
      verdict: 'absent',
      changed: { workersTemplate: inTemplate({ subnet: { id: 'subnet-00000009' } }) },
      answers: missing('subnet-00000009'),
      says: 'AWSMachineTemplate default/workers spec.template.spec.subnet.id: subnet subnet-00000009 does not exist',
    },
    {
      rule: 'security groups must exist',
      verdict: 'absent',
      changed: brought({ securityGroupOverrides: { node: 'sg-1' } }),
      answers: { DescribeSecurityGroups: () => refusal('InvalidGroup.NotFound') },
      says: `${me} spec.network.securityGroupOverrides.node: security group sg-1 does not exist in eu-west-1`,
    },
    ...(['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const).map((which) => ({
      rule: `security groups of the ${which} must exist`,
      verdict: 'absent' as const,
      changed: awsCluster({ [which]: { additionalSecurityGroups: ['sg-1'] } }),
      answers: { DescribeSecurityGroups: () => refusal('InvalidGroup.NotFound') },
      says: `${me} spec.${which}.additionalSecurityGroups[0]: security group sg-1 does not exist in eu-west-1`,
    })),
    {
      rule: 'security groups must be in it',
      changed: brought({ securityGroupOverrides: { node: 'sg-1' } }),
      answers: { DescribeSecurityGroups: () => ({ SecurityGroups: [groupOf('sg-1', 'vpc-2')] }) },
      says: `${me} spec.network.securityGroupOverrides.node: security group sg-1 is in vpc-2, not in vpc-1`,
    },
    {
      rule: 'security groups of machines must exist',
      verdict: 'absent',
      changed: { workersTemplate: inTemplate({ additionalSecurityGroups: [{ id: 'sg-1' }] }) },
      answers: { DescribeSecurityGroups: () => refusal('InvalidGroup.NotFound') },
      says: 'AWSMachineTemplate default/workers spec.template.spec.additionalSecurityGroups[0].id: security group sg-1 does not exist',
    },
    {
      rule: 'a failure domain has a subnet there',
      changed: { ...brought(), workers: { spec: { template: { spec: { failureDomain: 'eu-west-1c' } } } } },
      says: 'MachineDeployment default/workers spec.template.spec.failureDomain: there is no subnet in eu-west-1c: choose one of eu-west-1a',
    },
    {
      rule: 'fields that controllers filled in do not count',
      changed: {
        awsCluster: {
          metadata: { annotations: { 'capstan.dev/filled': JSON.stringify({ network: { vpc: { id: 'vpc-gone' } } }) } },
          spec: { network: { vpc: { id: 'vpc-gone' } } },
        },
      },
    },
  ]);
});

describe('load balancers', () => {
  const balancer = {
    LoadBalancerArn: 'arn:lb',
    LoadBalancerName: 'api',
    DNSName: '',
    Scheme: 'internal' as const,
    Type: 'network' as const,
    VpcId: 'vpc-1',
    State: { Code: 'active' as const },
    AvailabilityZones: [],
    SecurityGroups: [],
  };
  const taken = (Tags: { Key: string; Value: string }[]): Situation['answers'] => ({
    DescribeLoadBalancers: () => ({ LoadBalancers: [balancer] }),
    DescribeLoadBalancerTags: () => ({ TagDescriptions: [{ ResourceArn: 'arn:lb', Tags }] }),
  });
  const named = awsCluster({ controlPlaneLoadBalancer: { name: 'api' } });
  follows([
    {
      rule: 'a name that AWS keeps for itself is refused',
      changed: {
        awsCluster: { spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', name: 'internal-api' } } },
      },
      says: `${me} spec.controlPlaneLoadBalancer.name: AWS takes no name that begins with internal-: choose another`,
    },
    { rule: 'a name may be free', changed: named },
    { rule: 'a name may be the cluster’s already', changed: named, answers: taken(own) },
    {
      rule: 'a name in use by another owner is refused',
      changed: named,
      answers: taken([]),
      says: `${me} spec.controlPlaneLoadBalancer.name: a load balancer named api that is not this cluster's exists in eu-west-1: choose another name`,
    },
  ]);
});

it('address ranges of other families do not clash', () =>
  expect(judgeAddressRanges(factsOf({ changed: pods('192.168.0.0/16', 'fd00::/48') }))).toEqual([]));

it('standalone Machines are looked at, too', () => {
  const machine = {
    ...objects.workers,
    kind: 'Machine',
    metadata: { ...objects.workers.metadata, name: 'one' },
    spec: {
      clusterName: 'demo',
      version: 'v1.35.0',
      bootstrap: { configRef: { kind: 'KubeadmConfig', name: 'one' } },
      infrastructureRef: { kind: 'AWSMachine', name: 'one' },
    },
  };
  const awsMachine = { ...machine, kind: 'AWSMachine', spec: { instanceType: 't3.none' } };
  expect(judged({ more: [machine, awsMachine] }).message).toBe(
    'AWSMachine default/one spec.instanceType: instance type t3.none does not exist in eu-west-1: choose one that does',
  );
});
