/** Rules of the AWS provider's webhooks and schemas for new clusters (webhooks of 2.11). */
import type { UpstreamRule } from './rule.ts';
import { ofTags } from './tags.ts';

export const network = (of: object) => ({ spec: { network: of } });
export const vpc = (of: object) => network({ vpc: of });
export const balancer = (of: object) => ({ spec: { controlPlaneLoadBalancer: of } });
export const second = (of: object) => ({
  spec: {
    secondaryControlPlaneLoadBalancer: { name: 'inside', loadBalancerType: 'nlb', scheme: 'internal', ...of },
  },
});
const ingress = (of: object) => [{ description: 'd', protocol: 'tcp', fromPort: 1, toPort: 1, ...of }];
const disabled = {
  name: 'a',
  crossZoneLoadBalancing: true,
  subnets: ['subnet-1'],
  healthCheckProtocol: 'TCP',
  additionalSecurityGroups: ['sg-1'],
  additionalListeners: [{ port: 22623 }],
  ingressRules: ingress({}),
  preserveClientIP: true,
  disableHostsRewrite: true,
  targetGroupIPType: 'ipv4',
};
export const bucket = { name: 'bucket', controlPlaneIAMInstanceProfile: 'p', nodesIAMInstanceProfiles: ['p'] };
const blocks = 'cannot be used together with CIDR blocks, security group IDs or security group roles';

const newCluster: Omit<UpstreamRule, 'kind'>[] = [
  ...ofTags.map(({ additionalTags, refuses, says }) => ({ refuses, with: { spec: { additionalTags } }, says })),
  {
    refuses: 'blocks that a closed bastion lets in',
    with: { spec: { bastion: { disableIngressRules: true, allowedCIDRBlocks: ['0.0.0.0/0'] } } },
    says: 'spec.bastion.allowedCIDRBlocks: Forbidden: cannot be set if spec.bastion.disableIngressRules is true',
  },
  {
    refuses: 'blocks of the bastion that are none',
    with: { spec: { bastion: { allowedCIDRBlocks: ['10.0/8'] } } },
    says: 'spec.bastion.allowedCIDRBlocks[0]: Invalid value: "10.0/8": must be a valid CIDR block',
  },
  {
    refuses: 'a key pair whose name ends with a space',
    with: { spec: { sshKeyName: 'key ' } },
    says: 'spec.sshKeyName: Invalid value: "key ": Name is invalid',
  },
  {
    refuses: 'a bucket without a name',
    with: { spec: { s3Bucket: { ...bucket, name: '' } } },
    says: 'spec.s3Bucket.name:',
  },
  {
    refuses: 'a bucket with an address for a name',
    with: { spec: { s3Bucket: { ...bucket, name: '192.168.5.4' } } },
    says: 'spec.s3Bucket.name: Invalid value: "192.168.5.4": must not be formatted as an IP address',
  },
  {
    refuses: 'a bucket that the control plane cannot read',
    with: { spec: { s3Bucket: { ...bucket, controlPlaneIAMInstanceProfile: null } } },
    says: 'spec.s3Bucket.controlPlaneIAMInstanceProfile: Required value',
  },
  {
    refuses: 'a bucket that nodes cannot read',
    with: { spec: { s3Bucket: { ...bucket, nodesIAMInstanceProfiles: null } } },
    says: 'spec.s3Bucket.nodesIAMInstanceProfiles: Required value',
  },
  {
    refuses: 'a bucket for a profile without a name',
    with: { spec: { s3Bucket: { ...bucket, nodesIAMInstanceProfiles: [''] } } },
    says: 'spec.s3Bucket.nodesIAMInstanceProfiles[0]: Required value',
  },
  {
    refuses: 'a block of the VPC that is none',
    with: vpc({ cidrBlock: '10.0.0.0' }),
    says: 'spec.network.vpc.cidrBlock',
  },
  {
    refuses: 'an IPv6 block of the VPC that is none',
    with: vpc({ ipv6: { cidrBlock: 'fd00::', poolId: 'p' } }),
    says: 'spec.network.vpc.ipv6.cidrBlock: Invalid value',
  },
  {
    refuses: 'an IPv6 block of the VPC without its pool',
    with: vpc({ ipv6: { cidrBlock: '2001:db8::/56' } }),
    says: 'spec.network.vpc.ipv6.poolId: Invalid value: "": poolId cannot be empty if cidrBlock is set',
  },
  {
    refuses: 'two pools of IPv6',
    with: vpc({ ipv6: { poolId: 'p', ipamPool: { id: 'ipam-pool-1' } } }),
    says: 'poolId and ipamPool cannot be used together',
  },
  {
    refuses: 'an IPv6 block beside an IPAM pool',
    with: vpc({ ipv6: { poolId: 'p', cidrBlock: '2001:db8::/56', ipamPool: { id: 'ipam-pool-1' } } }),
    says: 'cidrBlock and ipamPool cannot be used together',
  },
  {
    refuses: 'an IPAM pool of IPv6 without id and name',
    with: vpc({ ipv6: { ipamPool: { netmaskLength: 56 } } }),
    says: 'ipamPool must have either id or name',
  },
  ...['local-zone', 'wavelength-zone'].map((zoneType) => ({
    refuses: `a subnet in a ${zoneType} without the zone that it hangs on`,
    with: network({ subnets: [{ id: 'edge', zoneType }] }),
    says: `spec.network.subnets[0].parentZoneName: Invalid value: "": ParentZoneName must be set when ZoneType is '${zoneType}'`,
  })),
  {
    refuses: 'a block of a subnet that is none',
    with: network({ subnets: [{ id: 's', cidrBlock: '10.0/24' }] }),
    says: 'spec.network.subnets[0].cidrBlock: Invalid value: "10.0/24"',
  },
  {
    refuses: 'an IPv6 block of a subnet that is none',
    with: network({ subnets: [{ id: 's', ipv6CidrBlock: 'fd00::/200' }] }),
    says: 'spec.network.subnets[0].ipv6CidrBlock: Invalid value: "fd00::/200"',
  },
  {
    refuses: 'a block beside a pool of blocks',
    with: vpc({ cidrBlock: '10.0.0.0/16', ipamPool: { id: 'ipam-pool-1' } }),
    says: 'ipamPool and cidrBlock can not be used together',
  },
  {
    refuses: 'a pool of blocks without id and name',
    with: vpc({ ipamPool: { netmaskLength: 20 } }),
    says: 'ipamPool must have either id or name',
  },
  ...['additionalControlPlaneIngressRules', 'additionalNodeIngressRules'].flatMap((field) => [
    {
      refuses: `sources of two sorts in ${field}`,
      with: network({ [field]: ingress({ cidrBlocks: ['0.0.0.0/0'], sourceSecurityGroupRoles: ['node'] }) }),
      says: `spec.network.${field}[0]: Invalid value`,
    },
    {
      refuses: `gateways and blocks in ${field}`,
      with: network({ [field]: ingress({ natGatewaysIPsSource: true, cidrBlocks: ['0.0.0.0/0'] }) }),
      says: `natGatewaysIPsSource ${blocks}`,
    },
  ]),
  {
    refuses: 'gateways and groups in rules of the load balancer',
    with: balancer({ ingressRules: ingress({ natGatewaysIPsSource: true, sourceSecurityGroupIds: ['sg-1'] }) }),
    says: `natGatewaysIPsSource ${blocks}`,
  },
  {
    refuses: 'IPv6 blocks and groups in rules of the load balancer',
    with: balancer({ ingressRules: ingress({ ipv6CidrBlocks: ['::/0'], sourceSecurityGroupIds: ['sg-1'] }) }),
    says: 'spec.controlPlaneLoadBalancer.ingressRules[0]: Invalid value',
  },
  {
    refuses: 'blocks for node ports that are none',
    with: network({ nodePortIngressRuleCidrBlocks: ['everybody'] }),
    says: 'spec.network.nodePortIngressRuleCidrBlocks[0]: Invalid value: "everybody"',
  },
  {
    refuses: 'a pool of addresses without an order to fall back',
    with: vpc({ elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1' } }),
    says: 'publicIpv4PoolFallbackOrder must be set when publicIpv4Pool is defined',
  },
  {
    refuses: 'a pool of addresses that is not of EC2',
    with: vpc({ elasticIpPool: { publicIpv4Pool: 'mine', publicIpv4PoolFallbackOrder: 'none' } }),
    says: 'publicIpv4Pool must start with ipv4pool-ec2-',
  },
  {
    refuses: 'an order to fall back without a pool',
    with: vpc({ elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } }),
    says: 'publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined',
  },
  {
    refuses: 'the block of the VPC once more',
    with: vpc({ cidrBlock: '10.1.0.0/16', secondaryCidrBlocks: [{ ipv4CidrBlock: '10.1.0.0/16' }] }),
    says: 'spec.network.vpc.secondaryCidrBlocks: Invalid value',
  },
  {
    refuses: 'a second block that is none',
    with: vpc({ secondaryCidrBlocks: [{ ipv4CidrBlock: '10.1' }] }),
    says: 'spec.network.vpc.secondaryCidrBlocks[0].ipv4CidrBlock: Invalid value: "10.1"',
  },
  ...Object.entries(disabled).map(([field, value]) => ({
    refuses: `${field} of a load balancer that is disabled`,
    with: balancer({ loadBalancerType: 'disabled', [field]: value }),
    says: `spec.controlPlaneLoadBalancer.${field}: Invalid value`,
  })),
  {
    refuses: 'an address family of the targets of a classic load balancer',
    with: balancer({ loadBalancerType: 'classic', targetGroupIPType: 'ipv4' }),
    says: 'targetGroupIPType cannot be used with classic load balancer types',
  },
  {
    refuses: 'IPv6 targets in a VPC without IPv6',
    with: balancer({ targetGroupIPType: 'ipv6' }),
    says: 'spec.controlPlaneLoadBalancer.targetGroupIPType: Invalid value: "ipv6"',
  },
  {
    refuses: 'IPv6 targets of a further port in a VPC without IPv6',
    with: balancer({ additionalListeners: [{ port: 22623, targetGroupIPType: 'ipv6' }] }),
    says: 'spec.controlPlaneLoadBalancer.additionalListeners[0].targetGroupIPType: Invalid value: "ipv6"',
  },
  {
    refuses: 'a second load balancer without a name',
    with: second({ name: null }),
    says: 'secondary controlPlaneLoadBalancer.name cannot be empty',
  },
  {
    refuses: 'two load balancers of one name',
    with: { spec: { ...second({}).spec, ...balancer({ name: 'inside' }).spec } },
    says: 'spec.secondaryControlPlaneLoadBalancer.name: Invalid value: "inside"',
  },
  {
    refuses: 'two load balancers of one scheme',
    with: { spec: { ...second({}).spec, ...balancer({ scheme: 'internal' }).spec } },
    says: 'control plane load balancers must have different schemes',
  },
  {
    refuses: 'a second load balancer that is none of the network',
    with: second({ loadBalancerType: 'alb' }),
    says: 'spec.secondaryControlPlaneLoadBalancer.loadBalancerType: Invalid value: "alb"',
  },
  {
    refuses: 'sources of two sorts in rules of the second load balancer',
    with: second({ ingressRules: ingress({ cidrBlocks: ['0.0.0.0/0'], sourceSecurityGroupIds: ['sg-1'] }) }),
    says: 'spec.secondaryControlPlaneLoadBalancer.ingressRules[0]: Invalid value',
  },
  // Rules of the schema.
  {
    refuses: 'a carrier gateway that is none',
    with: vpc({ carrierGatewayId: 'igw-1' }),
    says: "Carrier Gateway ID must start with 'cagw-'",
  },
];

export const newClusterRules: UpstreamRule[] = newCluster.map((rule) => ({ kind: 'AWSCluster', ...rule }));
