/**
 * Checks of the whole cluster: region, identity, network, address ranges, quotas, load balancers.
 */

import { describe, expect, it } from 'vitest';
import { referenceTo } from '../../references.fixture.ts';
import { clusterUidTag, installationTag } from '../engine/tags.ts';
import { judgeAddressRanges } from './address-ranges.ts';
import {
  addressOf,
  factsOf,
  type Given,
  groupOf,
  inTemplate,
  judged,
  objects,
  quotaOf,
  refusal,
  subnetOf,
  vpcOf,
} from './preflight.fixture.ts';

type Table = (Given & { rule: string; says?: string; verdict?: 'pending' | 'absent' })[];
const follows = (table: Table) =>
  it.each(table)('$rule', ({ says, verdict: expected, ...given }) => {
    const { verdict, message } = judged(given);
    expect({ verdict, message: says === undefined ? message : message.slice(0, says.length) }).toEqual({
      verdict: expected ?? (says === undefined ? 'passed' : 'refused'),
      message: says ?? '',
    });
  });
const own = [
  { Key: installationTag, Value: 'here' },
  { Key: clusterUidTag, Value: 'uid-of-demo' },
];
const awsCluster = (spec: object): Given['changed'] => ({ awsCluster: { spec } });
const me = 'AWSCluster default/demo';
const pods = (...cidrBlocks: string[]) => ({ cluster: { spec: { clusterNetwork: { pods: { cidrBlocks } } } } });
const listening = (bindPort: number, joined?: number) => ({
  initConfiguration: { localAPIEndpoint: { bindPort } },
  joinConfiguration: { controlPlane: { localAPIEndpoint: joined === undefined ? {} : { bindPort: joined } } },
});

const checked = (check: object, version = 'v1.35.0') => ({
  ...awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'classic', ...check } }),
  controlPlane: { spec: { version } },
  workers: { spec: { template: { spec: { version } } } },
});
const checkAt = `${me} spec.controlPlaneLoadBalancer.healthCheck`;

describe('the health check of a classic load balancer', () => {
  follows([
    { rule: 'may be absent', changed: checked({}) },
    {
      rule: 'may ask over TLS what Go 1.21 still answers',
      changed: checked({ healthCheckProtocol: 'SSL' }, 'v1.29.0'),
    },
    {
      rule: 'over TLS finds no cipher suite in newer versions',
      changed: checked({ healthCheckProtocol: 'SSL' }),
      says: `${checkAt}Protocol: an API server of v1.35.0 has no cipher suite in common with the SSL check of a classic load balancer: choose TCP`,
    },
    {
      rule: 'over HTTPS finds none either',
      changed: checked({ healthCheckProtocol: 'HTTPS' }, 'v1.30.0'),
      says: `${checkAt}Protocol: an API server of v1.30.0 has no cipher suite in common with the HTTPS check of a classic load balancer: choose TCP`,
    },
    {
      rule: 'gets only errors over HTTP',
      changed: checked({ healthCheckProtocol: 'HTTP' }),
      says: `${checkAt}Protocol: an API server answers HTTP with an error: choose TCP`,
    },
    {
      rule: 'has no other protocol',
      changed: checked({ healthCheckProtocol: 'UDP' }),
      says: `${checkAt}Protocol: a classic load balancer has no UDP check: choose TCP`,
    },
    {
      rule: 'ends before the next one begins',
      changed: checked({ healthCheck: { timeoutSeconds: 10 } }),
      says: `${checkAt}: a timeout of 10 seconds is not shorter than the interval of 10: lower timeoutSeconds, or raise intervalSeconds`,
    },
    {
      rule: 'lasts a minute at most',
      changed: checked({ healthCheck: { intervalSeconds: 120, timeoutSeconds: 61 } }),
      says: `${checkAt}.timeoutSeconds: a classic load balancer waits for at most 60 seconds: lower it`,
    },
  ]);
});

describe('references', () => {
  follows([
    {
      rule: 'that are missing are awaited',
      changed: { awsCluster: null },
      verdict: 'pending',
      says: 'Waiting for AWSCluster demo, which Cluster default/demo names',
    },
    {
      rule: 'to templates that are missing are awaited',
      changed: { workersTemplate: null },
      verdict: 'pending',
      says: 'Waiting for AWSMachineTemplate default/workers, which MachineDeployment default/workers names',
    },
    {
      rule: 'to an application load balancer are refused',
      changed: awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'alb' } }),
      says: `${me}: Application load balancers end TLS, and with it the client certificates of Kubernetes: set spec.controlPlaneLoadBalancer.loadBalancerType to classic or nlb`,
    },
    {
      rule: 'to a gateway load balancer are refused',
      changed: awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'elb' } }),
      says: `${me}: The AWS provider makes a gateway load balancer of this type, to which no client can connect`,
    },
    {
      rule: 'to bootstrap templates that are missing are awaited',
      changed: { workersConfig: null },
      verdict: 'pending',
      says: 'Waiting for KubeadmConfigTemplate default/workers, which MachineDeployment default/workers names',
    },
    {
      rule: 'to a control plane with Ignition are refused',
      changed: { controlPlane: { spec: { kubeadmConfigSpec: { format: 'ignition' } } } },
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.format: Ignition is not supported: use cloud-config',
    },
    {
      rule: 'to workers with Ignition are refused',
      changed: { workersConfig: inTemplate({ format: 'ignition' }) },
      says: 'KubeadmConfigTemplate default/workers spec.template.spec.format: Ignition is not supported: use cloud-config',
    },
    {
      rule: 'to workers with cloud-config are accepted',
      changed: { workersConfig: inTemplate({ format: 'cloud-config' }) },
    },
    {
      rule: 'to machines that fetch Ignition are refused',
      changed: { workersTemplate: inTemplate({ ignition: { version: '3.4' } }) },
      says: 'AWSMachineTemplate default/workers spec.template.spec.ignition: Ignition is not supported: leave the field out',
    },
    {
      rule: 'to external etcd are refused',
      changed: {
        controlPlane: {
          spec: { kubeadmConfigSpec: { clusterConfiguration: { etcd: { external: { endpoints: ['https://e'] } } } } },
        },
      },
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec.clusterConfiguration.etcd.external: external etcd is not supported',
    },
    {
      rule: 'to subnets with IPv6 in a network without are refused',
      changed: awsCluster({ network: { subnets: [{ id: 'six', isIpv6: true }] } }),
      says: `${me} spec.network.subnets[0].isIpv6: needs spec.network.vpc.ipv6, which is not set`,
    },
    {
      rule: 'to pods with IPv6 in a network without are refused',
      changed: { cluster: { spec: { clusterNetwork: { pods: { cidrBlocks: ['192.168.0.0/16', 'fd01::/48'] } } } } },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: fd01::/48 needs spec.network.vpc.ipv6, which is not set in the AWSCluster',
    },
    {
      rule: 'to services with IPv6 in a network without are refused',
      changed: { cluster: { spec: { clusterNetwork: { services: { cidrBlocks: ['fd02::/112'] } } } } },
      says: 'Cluster default/demo spec.clusterNetwork.services.cidrBlocks: fd02::/112 needs spec.network.vpc.ipv6, which is not set in the AWSCluster',
    },
    {
      rule: 'to IPv6 in a local zone are refused',
      changed: awsCluster({
        network: { vpc: { ipv6: {} }, subnets: [{ id: 'six', isIpv6: true, zoneType: 'local-zone' }] },
      }),
      says: `${me} spec.network.subnets[0].isIpv6: IPv6 is not supported with zone type "local-zone"`,
    },
    {
      rule: 'to a port that does not exist are refused',
      changed: awsCluster({ controlPlaneEndpoint: { host: 'api.example.com', port: 70_000 } }),
      says: `${me} spec.controlPlaneEndpoint.port: 70000 is no port: it must be between 1 and 65535, inclusive`,
    },
    {
      rule: 'to a port that only an older version of the Cluster admits are refused',
      changed: { cluster: { spec: { clusterNetwork: { apiServerPort: 70_000 } } } },
      says: 'Cluster default/demo spec.clusterNetwork.apiServerPort: 70000 is no port',
    },
    {
      rule: 'to API servers on one port may use any port',
      changed: { controlPlane: { spec: { kubeadmConfigSpec: listening(8443, 8443) } } },
    },
    {
      rule: 'to API servers on two ports are refused',
      changed: { controlPlane: { spec: { kubeadmConfigSpec: listening(8443) } } },
      says: 'KubeadmControlPlane default/demo-cp spec.kubeadmConfigSpec: the first API server listens at 8443 and those that join at 6443: set the same localAPIEndpoint.bindPort',
    },
    {
      rule: 'to a second listener on the API server port are refused',
      changed: {
        cluster: { spec: { clusterNetwork: { apiServerPort: 443 } } },
        awsCluster: {
          spec: { controlPlaneLoadBalancer: { additionalListeners: [{ port: 6443 }, { port: 443 }] } },
        },
      },
      says: `${me} spec.controlPlaneLoadBalancer.additionalListeners[1].port: 443 is the port of the Kubernetes API: choose another`,
    },
    {
      rule: 'of a host alone reach it at the listener of the load balancer',
      changed: awsCluster({ controlPlaneEndpoint: { host: 'api.example.com' } }),
    },
    {
      rule: 'of a port alone reach the load balancer that listens there',
      changed: {
        cluster: { spec: { clusterNetwork: { apiServerPort: 443 } } },
        awsCluster: { spec: { controlPlaneEndpoint: { port: 443 } } },
      },
    },
    {
      rule: 'of a port alone are refused where the load balancer does not listen',
      changed: awsCluster({ controlPlaneEndpoint: { port: 443 } }),
      says: `${me} spec.controlPlaneEndpoint.port: the load balancer listens at 6443, not at 443: set spec.clusterNetwork.apiServerPort of Cluster default/demo to 443, or leave the port out`,
    },
    {
      rule: 'to an endpoint that another controller sets are awaited',
      changed: awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } }),
    },
    {
      rule: 'of a host alone are refused without a load balancer',
      changed: awsCluster({
        controlPlaneLoadBalancer: { loadBalancerType: 'disabled' },
        controlPlaneEndpoint: { host: 'api.example.com' },
      }),
      says: `${me} spec.controlPlaneEndpoint.port: it is not set, and no load balancer has one to add: set it, too`,
    },
    {
      rule: 'of a port alone are refused without a load balancer',
      changed: awsCluster({
        controlPlaneLoadBalancer: { loadBalancerType: 'disabled' },
        controlPlaneEndpoint: { port: 6443 },
      }),
      says: `${me} spec.controlPlaneEndpoint.host: it is not set, and no load balancer has one to add: set it, too`,
    },
    {
      rule: 'to an identity that does not exist are refused',
      verdict: 'absent',
      changed: { identity: null },
      says: `${me}: AWSClusterControllerIdentity default does not exist: create it, or name another in spec.identityRef`,
    },
    {
      rule: 'to an identity of another kind are refused',
      changed: awsCluster({ identityRef: { kind: 'AWSClusterStaticIdentity', name: 'x' } }),
      says: `${me}: AWSClusterStaticIdentity is not supported`,
    },
    {
      rule: 'to an identity that the namespace may not use are refused',
      changed: { identity: { spec: { allowedNamespaces: { list: ['other'] } } } },
      says: `${me}: Namespace default may not use AWSClusterControllerIdentity default: allow it in spec.allowedNamespaces`,
    },
  ]);
});

describe('a region', () => {
  follows([
    { rule: 'must be set', changed: awsCluster({ region: null }), says: `${me} spec.region: it is not set` },
    {
      rule: 'must exist, whatever is unreadable there',
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
  const unmanaged = {
    network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-00000001' }] },
  };
  follows([
    { rule: 'admit the last VPC', answers: { DescribeVpcs: () => others(4) } },
    {
      rule: 'refuse a VPC above the quota',
      answers: { DescribeVpcs: () => others(5) },
      says: `VPCs per region in eu-west-1: the quota is 5 and 5 are in use, and the cluster needs 1: raise quota L-F678F1CE, or remove a VPC, or bring one with spec.network.vpc.id of ${me}`,
    },
    {
      rule: 'do not count the cluster’s own VPC twice',
      answers: { DescribeVpcs: () => ({ Vpcs: [...others(4).Vpcs, { ...vpcOf('vpc-own'), Tags: own }] }) },
    },
    {
      rule: 'do not count VPCs shared by other accounts',
      answers: { DescribeVpcs: () => ({ Vpcs: others(5).Vpcs.map((vpc) => ({ ...vpc, OwnerId: '444455556666' })) }) },
    },
    {
      rule: 'count VPCs of the account',
      answers: { DescribeVpcs: () => ({ Vpcs: others(5).Vpcs.map((vpc) => ({ ...vpc, OwnerId: '111122223333' })) }) },
      says: 'VPCs per region in eu-west-1: the quota is 5 and 5 are in use',
    },
    {
      rule: 'ignore an unmanaged VPC and its addresses',
      changed: awsCluster(unmanaged),
      answers: { DescribeAddresses: () => addresses(5), GetServiceQuota: () => quotaOf(10) },
    },
    { rule: 'admit one address per zone', answers: { DescribeAddresses: () => addresses(2) } },
    {
      rule: 'refuse a missing address',
      answers: { DescribeAddresses: () => addresses(3) },
      says: 'Elastic IP addresses in eu-west-1: the quota is 5 and 3 are in use, and the cluster needs 3: raise quota L-0263D0A3, or release some',
    },
    {
      rule: 'need fewer addresses for fewer zones',
      changed: awsCluster({ network: { vpc: { availabilityZoneUsageLimit: 2 } } }),
      answers: { DescribeAddresses: () => addresses(3) },
    },
    {
      rule: 'do not count addresses of a user’s own pool',
      changed: awsCluster({
        network: { vpc: { elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1', publicIpv4PoolFallbackOrder: 'none' } } },
      }),
      answers: { DescribeAddresses: () => addresses(5) },
    },
    {
      rule: 'count machines with an Elastic IP',
      changed: { workersTemplate: inTemplate({ elasticIpPool: {} }) },
      answers: { DescribeAddresses: () => addresses(1) },
      says: 'Elastic IP addresses in eu-west-1: the quota is 5 and 1 are in use, and the cluster needs 5',
    },
    {
      rule: 'refuse more vCPUs than the quota',
      changed: { workers: { spec: { replicas: 30 } } },
      says: 'vCPUs of running On-Demand Standard instances in eu-west-1: the quota is 64, and the cluster needs 66: raise quota L-1216C47A, or lower spec.replicas, such as of MachineDeployment default/workers',
    },
    {
      rule: 'count Spot Instances apart',
      changed: { workers: { spec: { replicas: 32 } }, workersTemplate: inTemplate({ spotMarketOptions: {} }) },
      answers: { GetServiceQuota: ({ QuotaCode }) => quotaOf(QuotaCode === 'L-34B43A08' ? 64 : 6) },
    },
    {
      rule: 'refuse more Spot Instances than their quota',
      changed: { workers: { spec: { replicas: 3 } }, workersTemplate: inTemplate({ marketType: 'Spot' }) },
      answers: { GetServiceQuota: ({ QuotaCode }) => quotaOf(QuotaCode === 'L-34B43A08' ? 5 : 64) },
      says: 'vCPUs of Standard Spot Instances in eu-west-1: the quota is 5, and the cluster needs 6: raise quota L-34B43A08, or lower spec.replicas, such as of MachineDeployment default/workers',
    },
    {
      rule: 'refuse no Spot Instances that are bought on demand instead',
      changed: {
        workers: { spec: { replicas: 3 } },
        workersTemplate: {
          spec: {
            template: {
              metadata: { annotations: { 'capstan.dev/spot-fallback': 'OnDemand' } },
              spec: { marketType: 'Spot' },
            },
          },
        },
      },
      answers: { GetServiceQuota: ({ QuotaCode }) => quotaOf(QuotaCode === 'L-34B43A08' ? 5 : 64) },
    },
    {
      rule: 'refuse machines with a GPU in an account without any',
      changed: { workersTemplate: inTemplate({ instanceType: 'g5.xlarge' }) },
      answers: { GetServiceQuota: ({ QuotaCode }) => quotaOf(QuotaCode === 'L-DB2E81BA' ? 0 : 64) },
      says: 'vCPUs of running On-Demand G and VT instances in eu-west-1: the quota is 0',
    },
    {
      rule: 'are no obstacle while they may not be read',
      changed: { workers: { spec: { replicas: 300 } } },
      answers: { GetServiceQuota: () => refusal('AccessDenied') },
    },
  ]);
});

describe('address ranges', () => {
  const services = (block: string) => ({
    cluster: { spec: { clusterNetwork: { services: { cidrBlocks: [block] } } } },
  });
  const subnets = (...blocks: string[]) =>
    awsCluster({
      network: {
        subnets: blocks.map((cidrBlock, i) => ({
          id: `s${i}`,
          cidrBlock,
          availabilityZone: 'eu-west-1a',
          isPublic: i === 1,
        })),
      },
    });
  const vpc = (cidrBlock: string, more = {}) => awsCluster({ network: { vpc: { cidrBlock, ...more } } });
  const secondary = { secondaryCidrBlocks: [{ ipv4CidrBlock: '100.64.0.0/16' }] };
  follows([
    {
      rule: 'of pods must not overlap the network',
      changed: pods('10.0.128.0/17'),
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 10.0.128.0/17 overlap the VPC 10.0.0.0/16 (AWSCluster default/demo spec.network.vpc.cidrBlock): change one',
    },
    {
      rule: 'of pods must not overlap services',
      changed: services('192.168.128.0/24'),
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 192.168.0.0/16 overlap the services’ addresses 192.168.128.0/24',
    },
    {
      rule: 'of services must not overlap the network',
      changed: services('10.0.0.0/12'),
      says: 'Cluster default/demo spec.clusterNetwork.services.cidrBlocks: the services’ addresses 10.0.0.0/12 overlap the VPC 10.0.0.0/16',
    },
    {
      rule: 'of services have a default',
      changed: vpc('10.100.0.0/16'),
      says: 'Cluster default/demo spec.clusterNetwork.services.cidrBlocks: the default of the services’ addresses 10.96.0.0/12 overlap the VPC 10.100.0.0/16',
    },
    {
      rule: 'of pods may lie in a secondary block',
      changed: { ...pods('100.64.0.0/17'), ...vpc('10.0.0.0/16', secondary) },
    },
    {
      rule: 'of pods must not exceed a secondary block',
      changed: { ...pods('100.64.0.0/10'), ...vpc('10.0.0.0/16', secondary) },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 100.64.0.0/10 overlap the VPC’s secondary block',
    },
    {
      rule: 'of an unmanaged VPC are read from it',
      changed: {
        ...pods('172.31.0.0/16'),
        ...awsCluster({ network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-00000001' }] } }),
      },
      answers: { DescribeVpcs: () => ({ Vpcs: [vpcOf('vpc-1', '172.31.0.0/16')] }) },
      says: 'Cluster default/demo spec.clusterNetwork.pods.cidrBlocks: the pods’ addresses 172.31.0.0/16 overlap VPC vpc-1 172.31.0.0/16 (AWSCluster default/demo spec.network.vpc.id)',
    },
    {
      rule: 'of an IPAM pool are unknown',
      changed: { ...pods('10.0.0.0/16'), ...awsCluster({ network: { vpc: { ipamPool: { id: 'ipam-pool-1' } } } }) },
    },
    { rule: 'of subnets may adjoin within the VPC', changed: subnets('10.0.0.0/24', '10.0.1.0/24') },
    {
      rule: 'of subnets must lie within the VPC',
      changed: subnets('10.0.0.0/24', '10.1.0.0/24'),
      says: `${me} spec.network.subnets[1].cidrBlock: 10.1.0.0/24 is not within the VPC, 10.0.0.0/16`,
    },
    {
      rule: 'of subnets must not overlap',
      changed: subnets('10.0.0.0/24', '10.0.0.128/25'),
      says: `${me} spec.network.subnets[1].cidrBlock: 10.0.0.128/25 overlaps 10.0.0.0/24 of spec.network.subnets[0]`,
    },
    {
      rule: 'of subnets must not be too small',
      changed: subnets('10.0.0.0/29'),
      says: `${me} spec.network.subnets[0].cidrBlock: 10.0.0.0/29 must be between a /16 and a /28`,
    },
    {
      rule: 'of networks must not be too large',
      changed: vpc('10.0.0.0/12'),
      says: `${me} spec.network.vpc.cidrBlock: 10.0.0.0/12 must be between a /16 and a /28`,
    },
    {
      rule: 'of networks must have room for their subnets',
      changed: vpc('10.0.0.0/26'),
      says: `${me} spec.network.vpc.cidrBlock: 10.0.0.0/26 has no room for subnets in every zone`,
    },
  ]);
});

describe('networks to be made', () => {
  const subnet = (id: string, zone: string, isPublic: boolean, third: number) => ({
    id,
    availabilityZone: `eu-west-1${zone}`,
    cidrBlock: `10.0.${third}.0/24`,
    isPublic,
  });
  const layout = (subnets: object[], more = {}) => awsCluster({ network: { subnets }, ...more });
  const edge = 'eu-west-1-lon-1a';
  const withEdge: Given['answers'] = {
    DescribeAvailabilityZones: () => ({
      AvailabilityZones: [
        ...['a', 'b', 'c'].map((letter) => ({
          ZoneName: `eu-west-1${letter}`,
          ZoneId: letter,
          ZoneType: 'availability-zone' as const,
          State: 'available' as const,
          RegionName: 'eu-west-1',
        })),
        {
          ZoneName: edge,
          ZoneId: 'edge',
          ZoneType: 'local-zone' as const,
          State: 'available' as const,
          RegionName: 'eu-west-1',
          ParentZoneName: 'eu-west-1b',
        },
      ],
    }),
  };
  const inEdge = { ...subnet('edge', 'a', false, 9), availabilityZone: edge };
  follows([
    {
      rule: 'need a public subnet',
      changed: layout([subnet('one', 'a', false, 0), subnet('two', 'b', false, 1)]),
      says: `${me} spec.network.subnets: none is public, and NAT gateways need one`,
    },
    {
      rule: 'need a public subnet in each zone with a private one',
      changed: layout([subnet('one', 'a', true, 0), subnet('two', 'a', false, 1), subnet('three', 'b', false, 2)]),
      says: `${me} spec.network.subnets[2]: three is private, and zone eu-west-1b has no public subnet for its NAT gateway`,
    },
    {
      rule: 'are accepted with a public subnet in each zone with a private one',
      changed: layout([
        subnet('one', 'a', true, 0),
        subnet('two', 'a', false, 1),
        subnet('three', 'b', true, 2),
        subnet('four', 'b', false, 3),
        subnet('five', 'c', true, 4),
      ]),
    },
    {
      rule: 'need a public subnet in the zone on which an edge zone hangs',
      changed: layout([subnet('one', 'a', true, 0), subnet('two', 'a', false, 1), inEdge]),
      answers: withEdge,
      says: `${me} spec.network.subnets[2]: edge is private, and zone eu-west-1b has no public subnet for its NAT gateway`,
    },
    {
      rule: 'need a public subnet outside edge zones for a load balancer that the internet reaches',
      changed: layout([{ ...inEdge, isPublic: true }]),
      answers: withEdge,
      says: `${me} spec.network.subnets: none is public in a regular zone, and spec.controlPlaneLoadBalancer needs one`,
    },
  ]);
});

describe('unmanaged networks', () => {
  const unmanaged = (more: object = {}, subnets: object[] = [{ id: 'subnet-00000001' }]) =>
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
    { rule: 'are used', changed: unmanaged() },
    {
      rule: 'must exist',
      verdict: 'absent',
      changed: unmanaged(),
      answers: { DescribeVpcs: () => refusal('InvalidVpcID.NotFound') },
      says: `${me} spec.network.vpc.id: VPC vpc-1 does not exist in eu-west-1`,
    },
    {
      rule: 'must list their subnets',
      changed: unmanaged({}, []),
      says: `${me} spec.network.subnets: there are none: list those of VPC vpc-1`,
    },
    {
      rule: 'must have the listed subnets',
      verdict: 'absent',
      changed: unmanaged({}, [{ id: 'subnet-00000009' }]),
      answers: missing('subnet-00000009'),
      says: `${me} spec.network.subnets[0].id: subnet subnet-00000009 does not exist in eu-west-1`,
    },
    {
      rule: 'must contain the listed subnets',
      changed: unmanaged(),
      answers: { DescribeSubnets: () => ({ Subnets: [subnetOf('subnet-00000001', 'eu-west-1a', 'vpc-2')] }) },
      says: `${me} spec.network.subnets[0].id: subnet subnet-00000001 is in vpc-2, not in spec.network.vpc.id vpc-1`,
    },
    {
      rule: 'must have the subnet of machines in their failure domain',
      changed: {
        ...unmanaged(),
        workersTemplate: inTemplate({ subnet: { id: 'subnet-00000001' } }),
        workers: { spec: { template: { spec: { failureDomain: 'eu-west-1b' } } } },
      },
      says: 'AWSMachineTemplate default/workers spec.template.spec.subnet.id: subnet subnet-00000001 availability zone eu-west-1a does not match failure domain eu-west-1b',
    },
    {
      rule: 'must have a public subnet for machines with public addresses',
      changed: {
        ...unmanaged({}, [{ id: 'subnet-00000001', isPublic: false }]),
        workersTemplate: inTemplate({ subnet: { id: 'subnet-00000001' }, publicIP: true }),
      },
      says: 'AWSMachineTemplate default/workers spec.template.spec.subnet.id: subnet subnet-00000001 is a private subnet',
    },
    {
      rule: 'must have a subnet for machines besides those for pods',
      changed: {
        ...unmanaged(),
        workersTemplate: inTemplate({ subnet: { filters: [{ name: 'tag:a', values: ['b'] }] } }),
      },
      answers: {
        DescribeSubnets: () => ({
          Subnets: [
            {
              ...subnetOf('subnet-00000001'),
              Tags: [{ Key: 'sigs.k8s.io/cluster-api-provider-aws/association', Value: 'secondary' }],
            },
          ],
        }),
      },
      says: "AWSMachineTemplate default/workers spec.template.spec.subnet.filters: subnet subnet-00000001 belongs to a secondary CIDR block which won't be used to create instances",
    },
    {
      rule: 'may have other subnets that match, too',
      changed: {
        ...unmanaged({}, [{ id: 'subnet-00000001' }, { id: 'subnet-00000002' }]),
        workersTemplate: inTemplate({ subnet: { filters: [{ name: 'tag:a', values: ['b'] }] } }),
        workers: { spec: { template: { spec: { failureDomain: 'eu-west-1b' } } } },
      },
      answers: {
        DescribeSubnets: () => ({
          Subnets: [subnetOf('subnet-00000001'), subnetOf('subnet-00000002', 'eu-west-1b', 'vpc-1', '10.0.2.0/24')],
        }),
      },
    },
    {
      rule: 'may lack room for the tags of the in-cluster cloud provider',
      changed: unmanaged(),
      answers: tagged(...filled(50)),
    },
    {
      rule: 'must have the subnets in the specified zones',
      changed: unmanaged({}, [{ id: 'subnet-00000001', availabilityZone: 'eu-west-1b' }]),
      says: `${me} spec.network.subnets[0].availabilityZone: subnet subnet-00000001 is in eu-west-1a, not in eu-west-1b`,
    },
    {
      rule: 'must have no subnet with a given block',
      verdict: 'absent',
      changed: unmanaged({}, [{ id: 'mine', cidrBlock: '10.0.9.0/24' }]),
      says: `${me} spec.network.subnets[0].id: mine is no subnet of VPC vpc-1`,
    },
    {
      rule: 'may name a subnet to create: an ID that EC2 would not assign is a name',
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
      rule: 'may have a load balancer in such a subnet',
      changed: awsCluster({
        network: { subnets: [{ id: 'subnet-a', cidrBlock: '10.0.0.0/24', availabilityZone: 'eu-west-1a' }] },
        controlPlaneLoadBalancer: { subnets: ['subnet-b'] },
      }),
      says: `${me} spec.controlPlaneLoadBalancer.subnets[0]: subnet-b is none of spec.network.subnets of ${me}`,
    },
    {
      rule: 'must be named when the ID of a subnet is given',
      changed: awsCluster({ network: { subnets: [{ id: 'subnet-00000001' }] } }),
      says: `${me} spec.network.subnets[0].id: subnet-00000001 is in a VPC of your own: name that VPC in spec.network.vpc.id`,
    },
    {
      rule: 'must name an existing zone for a new subnet',
      changed: awsCluster({
        network: { subnets: [{ id: 'a', cidrBlock: '10.0.0.0/24', availabilityZone: 'eu-west-1x' }] },
      }),
      says: `${me} spec.network.subnets[0].availabilityZone: eu-west-1 has no zone eu-west-1x that is available: choose one of eu-west-1a, eu-west-1b, eu-west-1c`,
    },
    {
      rule: 'must have the subnets of their load balancer',
      verdict: 'absent',
      changed: awsCluster({ controlPlaneLoadBalancer: { subnets: ['subnet-00000009'] } }),
      answers: missing('subnet-00000009'),
      says: `${me} spec.controlPlaneLoadBalancer.subnets[0]: subnet subnet-00000009 does not exist`,
    },
    {
      rule: 'must have the subnets of machines',
      verdict: 'absent',
      changed: { workersTemplate: inTemplate({ subnet: { id: 'subnet-00000009' } }) },
      answers: missing('subnet-00000009'),
      says: 'AWSMachineTemplate default/workers spec.template.spec.subnet.id: subnet subnet-00000009 does not exist',
    },
    {
      rule: 'must have the named security groups',
      verdict: 'absent',
      changed: unmanaged({ securityGroupOverrides: { node: 'sg-1' } }),
      answers: { DescribeSecurityGroups: () => refusal('InvalidGroup.NotFound') },
      says: `${me} spec.network.securityGroupOverrides.node: security group sg-1 does not exist in eu-west-1`,
    },
    ...(['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const).map((which) => ({
      rule: `must have the named security groups of the ${which}`,
      verdict: 'absent' as const,
      changed: awsCluster({ [which]: { additionalSecurityGroups: ['sg-1'] } }),
      answers: { DescribeSecurityGroups: () => refusal('InvalidGroup.NotFound') },
      says: `${me} spec.${which}.additionalSecurityGroups[0]: security group sg-1 does not exist in eu-west-1`,
    })),
    {
      rule: 'must contain the named security groups',
      changed: unmanaged({ securityGroupOverrides: { node: 'sg-1' } }),
      answers: { DescribeSecurityGroups: () => ({ SecurityGroups: [groupOf('sg-1', 'vpc-2')] }) },
      says: `${me} spec.network.securityGroupOverrides.node: security group sg-1 is in vpc-2, not in vpc-1`,
    },
    {
      rule: 'must have the named security groups of machines',
      verdict: 'absent',
      changed: { workersTemplate: inTemplate({ additionalSecurityGroups: [{ id: 'sg-1' }] }) },
      answers: { DescribeSecurityGroups: () => refusal('InvalidGroup.NotFound') },
      says: 'AWSMachineTemplate default/workers spec.template.spec.additionalSecurityGroups[0].id: security group sg-1 does not exist',
    },
    {
      rule: 'must have a subnet in each failure domain',
      changed: { ...unmanaged(), workers: { spec: { template: { spec: { failureDomain: 'eu-west-1c' } } } } },
      says: 'MachineDeployment default/workers spec.template.spec.failureDomain: there is no subnet in eu-west-1c: choose one of eu-west-1a',
    },
    {
      rule: 'may have fields filled in by controllers',
      changed: {
        awsCluster: {
          metadata: { annotations: { 'capstan.dev/filled': JSON.stringify({ network: { vpc: { id: 'vpc-gone' } } }) } },
          spec: { network: { vpc: { id: 'vpc-gone' } } },
        },
      },
    },
  ]);
});

describe('load balancer names', () => {
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
  const taken = (Tags: { Key: string; Value: string }[]): Given['answers'] => ({
    DescribeLoadBalancers: () => ({ LoadBalancers: [balancer] }),
    DescribeLoadBalancerTags: () => ({ TagDescriptions: [{ ResourceArn: 'arn:lb', Tags }] }),
  });
  const named = awsCluster({ controlPlaneLoadBalancer: { name: 'api' } });
  follows([
    {
      rule: 'must not be reserved by AWS',
      changed: {
        awsCluster: { spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', name: 'internal-api' } } },
      },
      says: `${me} spec.controlPlaneLoadBalancer.name: AWS takes no name that begins with internal-: choose another`,
    },
    { rule: 'may be free', changed: named },
    { rule: 'may be in use by the cluster itself', changed: named, answers: taken(own) },
    {
      rule: 'must not be in use by another owner',
      changed: named,
      answers: taken([]),
      says: `${me} spec.controlPlaneLoadBalancer.name: a load balancer named api that is not this cluster's exists in eu-west-1: choose another name`,
    },
  ]);
});

it('address ranges of other families do not overlap', () =>
  expect(judgeAddressRanges(factsOf({ changed: pods('192.168.0.0/16', 'fd00::/48') }))).toEqual([]));

it('checks standalone Machines', () => {
  const machine = {
    ...objects.workers,
    kind: 'Machine',
    metadata: { ...objects.workers.metadata, name: 'one' },
    spec: {
      clusterName: 'demo',
      version: 'v1.35.0',
      bootstrap: { configRef: referenceTo('KubeadmConfig', 'one') },
      infrastructureRef: referenceTo('AWSMachine', 'one'),
    },
  };
  const awsMachine = {
    ...machine,
    kind: 'AWSMachine',
    spec: { instanceType: 't3.none', iamInstanceProfile: 'nodes.example' },
  };
  expect(judged({ more: [machine, awsMachine] }).message).toBe(
    'AWSMachine default/one spec.instanceType: instance type t3.none does not exist in eu-west-1: choose one that does',
  );
});
