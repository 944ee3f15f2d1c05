import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { withDefaults } from './defaults.ts';
import type { AWSCluster, AWSClusterSpec } from './schema.ts';
import { validate } from './validate.ts';

const cluster = (spec: AWSClusterSpec, annotations?: Record<string, string>): AWSCluster => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSCluster',
  metadata: { name: 'demo', namespace: 'default', ...(annotations && { annotations }) },
  spec,
});
const admission = (old?: AWSCluster): Admission => ({
  operation: old ? 'update' : 'create',
  ...(old && { old }),
  user: { username: 'u', groups: [] },
  dryRun: false,
});
const faults = (spec: AWSClusterSpec, old?: AWSClusterSpec) =>
  validate(cluster(spec), admission(old && cluster(old))).map(({ field, detail }) => `${field}: ${detail}`);
const rule = { description: 'd', protocol: 'tcp' as const, fromPort: 1, toPort: 1 };
const nlb = { loadBalancerType: 'nlb' as const, scheme: 'internet-facing' as const };

describe('defaults', () => {
  it.each([
    {
      rule: 'names the identity',
      spec: {},
      has: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'default' } },
    },
    {
      rule: 'gives a classic load balancer, as upstream',
      spec: {},
      has: { controlPlaneLoadBalancer: { loadBalancerType: 'classic', scheme: 'internet-facing' } },
    },
    {
      rule: 'gives no scheme to what is disabled',
      spec: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } },
      has: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } },
    },
    {
      rule: 'puts a second load balancer inside',
      spec: { secondaryControlPlaneLoadBalancer: { loadBalancerType: 'classic', scheme: 'internet-facing' } },
      has: { secondaryControlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme: 'internal' } },
    },
    {
      rule: 'leaves a second load balancer open when the first is inside',
      spec: {
        controlPlaneLoadBalancer: { ...nlb, scheme: 'internal' },
        secondaryControlPlaneLoadBalancer: nlb,
      },
      has: { secondaryControlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme: 'internet-facing' } },
    },
    { rule: 'opens the bastion', spec: {}, has: { bastion: { allowedCIDRBlocks: ['0.0.0.0/0', '::/0'] } } },
    {
      rule: 'leaves a bastion without rules closed',
      spec: { bastion: { disableIngressRules: true } },
      has: { bastion: { disableIngressRules: true } },
    },
    {
      rule: 'lets Calico through',
      spec: {},
      has: { network: { cni: { cniIngressRules: [{ protocol: 'tcp', fromPort: 179 }, { protocol: '4' }] } } },
    },
    {
      rule: 'leaves the rules of another pod network alone',
      spec: { network: { cni: { cniIngressRules: [] } } },
      has: { network: { cni: { cniIngressRules: [] } } },
    },
  ] as { rule: string; spec: AWSClusterSpec; has: object }[])('$rule', ({ spec, has }) => {
    const once = withDefaults(cluster(spec));
    expect(once.spec).toMatchObject(has);
    expect(withDefaults(once)).toEqual(once);
  });
});

describe('a new AWSCluster', () => {
  it.each([
    { rule: 'may be as simple as can be', spec: {}, says: [] },
    {
      rule: 'has no sources of two sorts',
      spec: {
        network: {
          additionalNodeIngressRules: [{ ...rule, cidrBlocks: ['0.0.0.0/0'], sourceSecurityGroupRoles: ['node'] }],
        },
      },
      says: [
        'spec.network.additionalNodeIngressRules[0]: CIDR blocks and security group IDs or security group roles cannot be used together',
      ],
    },
    {
      rule: 'has a key pair whose name begins with no space',
      spec: { sshKeyName: ' key' },
      says: ['spec.sshKeyName: Name is invalid. Must be specified in ASCII and must not start or end in whitespace'],
    },
    { rule: 'has no key pair', spec: { sshKeyName: '' }, says: [] },
    {
      rule: 'has real blocks',
      spec: { network: { nodePortIngressRuleCidrBlocks: ['10.0.0.0/8', 'nonsense'] } },
      says: ['spec.network.nodePortIngressRuleCidrBlocks[1]: must be a valid CIDR block'],
    },
    {
      rule: 'has a secondary load balancer of its own scheme',
      spec: { controlPlaneLoadBalancer: nlb, secondaryControlPlaneLoadBalancer: { ...nlb, name: 'b' } },
      says: ['spec.secondaryControlPlaneLoadBalancer.scheme: control plane load balancers must have different schemes'],
    },
    {
      rule: 'says nothing of a load balancer that is disabled',
      spec: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled', name: 'x' } },
      says: ['spec.controlPlaneLoadBalancer.name: cannot be set if the LoadBalancer reconciliation is disabled'],
    },
    {
      rule: 'has edge zones with a parent',
      spec: { network: { subnets: [{ id: 'x', zoneType: 'local-zone' }] } },
      says: ["spec.network.subnets[0].parentZoneName: ParentZoneName must be set when ZoneType is 'local-zone'."],
    },
    {
      rule: 'has secondary blocks that are blocks',
      spec: { network: { vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: 'a' }, { ipv4CidrBlock: 'fd00::/56' }] } } },
      says: [
        'spec.network.vpc.secondaryCidrBlocks[0].ipv4CidrBlock: must be a valid IPv4 CIDR block',
        'spec.network.vpc.secondaryCidrBlocks[1].ipv4CidrBlock: must be a valid IPv4 CIDR block',
      ],
    },
    {
      rule: 'lets in from blocks',
      spec: {
        network: {
          additionalNodeIngressRules: [
            { description: 'x', protocol: 'tcp', fromPort: 1, toPort: 1, cidrBlocks: ['10.0.0.0/8', 'a'] },
          ],
        },
      },
      says: ['spec.network.additionalNodeIngressRules[0].cidrBlocks[1]: must be a valid CIDR block'],
    },
    {
      rule: 'has secondary blocks besides the first',
      spec: { network: { vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '10.0.0.0/16' }] } } },
      says: [
        'spec.network.vpc.secondaryCidrBlocks: AWSCluster.spec.network.vpc.secondaryCidrBlocks must not contain the primary AWSCluster.spec.network.vpc.cidrBlock',
      ],
    },
    {
      rule: 'has a pool of addresses for what it falls back from',
      spec: { network: { vpc: { elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } } } },
      says: [
        'spec.network.vpc.elasticIpPool.publicIpv4Pool: publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined.',
      ],
    },
    {
      rule: 'says what it falls back to from a pool of addresses',
      spec: { network: { vpc: { elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1' } } } },
      says: [
        'spec.network.vpc.elasticIpPool.publicIpv4PoolFallbackOrder: publicIpv4PoolFallbackOrder must be set when publicIpv4Pool is defined.',
      ],
    },
    {
      rule: 'has a pool of addresses of EC2',
      spec: { network: { vpc: { elasticIpPool: { publicIpv4Pool: 'mine', publicIpv4PoolFallbackOrder: 'none' } } } },
      says: ['spec.network.vpc.elasticIpPool.publicIpv4Pool: publicIpv4Pool must start with ipv4pool-ec2-.'],
    },
    {
      rule: "has no tags of AWS's own",
      spec: { additionalTags: { 'aws:x': 'y' } },
      says: ["spec.additionalTags: user created tag's key cannot have prefix aws:"],
    },
    {
      rule: 'has a closed bastion or an open one',
      spec: { bastion: { disableIngressRules: true, allowedCIDRBlocks: ['0.0.0.0/0'] } },
      says: ['spec.bastion.allowedCIDRBlocks: cannot be set if spec.bastion.disableIngressRules is true'],
    },
  ] as { rule: string; spec: AWSClusterSpec; says: string[] }[])('$rule', ({ spec, says }) =>
    expect(faults(spec)).toEqual(says));
});

describe('an AWSCluster that exists', () => {
  it.each([
    {
      rule: 'stays in its region',
      old: { region: 'a' },
      spec: { region: 'b' },
      says: ['spec.region: field is immutable'],
    },
    {
      rule: 'gets the other half of its endpoint',
      old: { controlPlaneEndpoint: { host: 'h' } },
      spec: { controlPlaneEndpoint: { host: 'h', port: 1 } },
      says: [],
    },
    { rule: 'gets its endpoint', old: {}, spec: { controlPlaneEndpoint: { host: 'h', port: 1 } }, says: [] },
    {
      rule: 'keeps its endpoint',
      old: { controlPlaneEndpoint: { host: 'h', port: 1 } },
      spec: {},
      says: ['spec.controlPlaneEndpoint: field is immutable'],
    },
    {
      rule: 'keeps its identity',
      old: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'd' } },
      spec: {},
      says: ['spec.identityRef: field cannot be set to nil'],
    },
    {
      rule: 'keeps the scheme of its load balancer',
      old: { controlPlaneLoadBalancer: nlb },
      spec: { controlPlaneLoadBalancer: { ...nlb, scheme: 'internal' } },
      says: ['spec.controlPlaneLoadBalancer.scheme: field is immutable'],
    },
    {
      rule: 'keeps the name of its load balancer',
      old: { controlPlaneLoadBalancer: nlb },
      spec: { controlPlaneLoadBalancer: { ...nlb, name: 'x' } },
      says: ['spec.controlPlaneLoadBalancer.name: field is immutable'],
    },
    {
      rule: 'may leave a type that nothing was made of',
      old: { controlPlaneLoadBalancer: { loadBalancerType: 'classic', scheme: 'internet-facing' } },
      spec: { controlPlaneLoadBalancer: nlb },
      says: [],
    },
    {
      rule: 'stays in its VPC',
      old: { network: { vpc: { id: 'vpc-1' } } },
      spec: { network: { vpc: { id: 'vpc-2' } } },
      says: ['spec.network.vpc.id: field is immutable'],
    },
  ] as { rule: string; old: AWSClusterSpec; spec: AWSClusterSpec; says: string[] }[])('$rule', ({ old, spec, says }) =>
    expect(faults(spec, old)).toEqual(says));
  it('stays managed by whom it is managed by', () => {
    const old = cluster({}, { 'cluster.x-k8s.io/managed-by': 'somebody' });
    expect(validate(cluster({}), admission(old)).map(({ detail }) => detail)).toEqual([
      'removal of externally managed annotation is not allowed',
    ]);
  });
});

describe('an endpoint that a controller filled in', () => {
  const endpoint = { host: 'h', port: 1 };
  const noted = { 'capstan.dev/filled': JSON.stringify({ controlPlaneEndpoint: endpoint }) };
  it.each([
    { rule: 'goes with its note', annotations: {}, spec: {}, says: 0 },
    { rule: 'does not go alone', annotations: noted, spec: {}, says: 1 },
    {
      rule: 'does not become another',
      annotations: {},
      spec: { controlPlaneEndpoint: { host: 'i', port: 1 } },
      says: 1,
    },
  ])('$rule', ({ annotations, spec, says }) => {
    const old = cluster({ controlPlaneEndpoint: endpoint }, noted);
    expect(validate(cluster(spec, annotations), admission(old))).toHaveLength(says);
  });
});
