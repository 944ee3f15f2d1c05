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
const classic = { loadBalancerType: 'classic' as const, scheme: 'internet-facing' as const };
const nlb = { loadBalancerType: 'nlb' as const, scheme: 'internet-facing' as const };

describe('defaults', () => {
  it.each([
    {
      rule: 'set the identity',
      spec: {},
      has: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'default' } },
    },
    {
      rule: 'set a classic load balancer, as CAPA does',
      spec: {},
      has: { controlPlaneLoadBalancer: { loadBalancerType: 'classic', scheme: 'internet-facing' } },
    },
    {
      rule: 'set no scheme for a disabled load balancer',
      spec: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } },
      has: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' } },
    },
    {
      rule: 'make a second load balancer internal',
      spec: { secondaryControlPlaneLoadBalancer: { loadBalancerType: 'classic', scheme: 'internet-facing' } },
      has: { secondaryControlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme: 'internal' } },
    },
    {
      rule: 'make a second load balancer public when the first is internal',
      spec: {
        controlPlaneLoadBalancer: { ...nlb, scheme: 'internal' },
        secondaryControlPlaneLoadBalancer: nlb,
      },
      has: { secondaryControlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme: 'internet-facing' } },
    },
    { rule: 'open the bastion', spec: {}, has: { bastion: { allowedCIDRBlocks: ['0.0.0.0/0', '::/0'] } } },
    {
      rule: 'keep a bastion without rules closed',
      spec: { bastion: { disableIngressRules: true } },
      has: { bastion: { disableIngressRules: true } },
    },
    {
      rule: 'allow Calico',
      spec: {},
      has: { network: { cni: { cniIngressRules: [{ protocol: 'tcp', fromPort: 179 }, { protocol: '4' }] } } },
    },
    {
      rule: 'keep the rules of another pod network',
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
    { rule: 'may be minimal', spec: {}, says: [] },
    {
      rule: 'must not mix sources in one rule',
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
      rule: 'must not name a key pair with a leading space',
      spec: { sshKeyName: ' key' },
      says: ['spec.sshKeyName: Name is invalid. Must be specified in ASCII and must not start or end in whitespace'],
    },
    { rule: 'may have no key pair', spec: { sshKeyName: '' }, says: [] },
    {
      rule: 'must have valid CIDR blocks',
      spec: { network: { nodePortIngressRuleCidrBlocks: ['10.0.0.0/8', 'nonsense'] } },
      says: ['spec.network.nodePortIngressRuleCidrBlocks[1]: must be a valid CIDR block'],
    },
    {
      rule: 'must have a secondary load balancer with another scheme',
      spec: { controlPlaneLoadBalancer: nlb, secondaryControlPlaneLoadBalancer: { ...nlb, name: 'b' } },
      says: ['spec.secondaryControlPlaneLoadBalancer.scheme: control plane load balancers must have different schemes'],
    },
    {
      rule: 'must not configure a disabled load balancer',
      spec: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled', name: 'x' } },
      says: ['spec.controlPlaneLoadBalancer.name: cannot be set if the LoadBalancer reconciliation is disabled'],
    },
    {
      rule: 'must name the parent of edge zones',
      spec: { network: { subnets: [{ id: 'x', zoneType: 'local-zone' }] } },
      says: ["spec.network.subnets[0].parentZoneName: ParentZoneName must be set when ZoneType is 'local-zone'."],
    },
    {
      rule: 'must have valid secondary CIDR blocks',
      spec: { network: { vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: 'a' }, { ipv4CidrBlock: 'fd00::/56' }] } } },
      says: [
        'spec.network.vpc.secondaryCidrBlocks[0].ipv4CidrBlock: must be a valid IPv4 CIDR block',
        'spec.network.vpc.secondaryCidrBlocks[1].ipv4CidrBlock: must be a valid IPv4 CIDR block',
      ],
    },
    {
      rule: 'must have valid ingress sources',
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
      rule: 'must not repeat the primary block as a secondary one',
      spec: { network: { vpc: { secondaryCidrBlocks: [{ ipv4CidrBlock: '10.0.0.0/16' }] } } },
      says: [
        'spec.network.vpc.secondaryCidrBlocks: AWSCluster.spec.network.vpc.secondaryCidrBlocks must not contain the primary AWSCluster.spec.network.vpc.cidrBlock',
      ],
    },
    {
      rule: 'must have an address pool for its fallback order',
      spec: { network: { vpc: { elasticIpPool: { publicIpv4PoolFallbackOrder: 'none' } } } },
      says: [
        'spec.network.vpc.elasticIpPool.publicIpv4Pool: publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined.',
      ],
    },
    {
      rule: 'must have a fallback order for its address pool',
      spec: { network: { vpc: { elasticIpPool: { publicIpv4Pool: 'ipv4pool-ec2-1' } } } },
      says: [
        'spec.network.vpc.elasticIpPool.publicIpv4PoolFallbackOrder: publicIpv4PoolFallbackOrder must be set when publicIpv4Pool is defined.',
      ],
    },
    {
      rule: 'must have a valid EC2 address pool ID',
      spec: { network: { vpc: { elasticIpPool: { publicIpv4Pool: 'mine', publicIpv4PoolFallbackOrder: 'none' } } } },
      says: ['spec.network.vpc.elasticIpPool.publicIpv4Pool: publicIpv4Pool must start with ipv4pool-ec2-.'],
    },
    {
      rule: 'must not have tags reserved by AWS',
      spec: { additionalTags: { 'aws:x': 'y' } },
      says: ["spec.additionalTags: user created tag's key cannot have prefix aws:"],
    },
    {
      rule: 'must not set sources for a closed bastion',
      spec: { bastion: { disableIngressRules: true, allowedCIDRBlocks: ['0.0.0.0/0'] } },
      says: ['spec.bastion.allowedCIDRBlocks: cannot be set if spec.bastion.disableIngressRules is true'],
    },
  ] as { rule: string; spec: AWSClusterSpec; says: string[] }[])('$rule', ({ spec, says }) =>
    expect(faults(spec)).toEqual(says));
});

describe('an existing AWSCluster', () => {
  it.each([
    {
      rule: 'must keep its region',
      old: { region: 'a' },
      spec: { region: 'b' },
      says: ['spec.region: field is immutable'],
    },
    {
      rule: 'may get the other half of its endpoint',
      old: { controlPlaneEndpoint: { host: 'h' } },
      spec: { controlPlaneEndpoint: { host: 'h', port: 1 } },
      says: [],
    },
    { rule: 'may get its endpoint', old: {}, spec: { controlPlaneEndpoint: { host: 'h', port: 1 } }, says: [] },
    {
      rule: 'must keep its endpoint',
      old: { controlPlaneEndpoint: { host: 'h', port: 1 } },
      spec: {},
      says: ['spec.controlPlaneEndpoint: field is immutable'],
    },
    {
      rule: 'must keep its identity',
      old: { identityRef: { kind: 'AWSClusterControllerIdentity', name: 'd' } },
      spec: {},
      says: ['spec.identityRef: field cannot be set to nil'],
    },
    {
      rule: 'must keep the scheme of its load balancer',
      old: { controlPlaneLoadBalancer: nlb },
      spec: { controlPlaneLoadBalancer: { ...nlb, scheme: 'internal' } },
      says: ['spec.controlPlaneLoadBalancer.scheme: field is immutable'],
    },
    {
      rule: 'must keep the name of its load balancer',
      old: { controlPlaneLoadBalancer: nlb },
      spec: { controlPlaneLoadBalancer: { ...nlb, name: 'x' } },
      says: ['spec.controlPlaneLoadBalancer.name: field is immutable'],
    },
    {
      rule: 'may choose another type of load balancer before anything is built',
      old: { controlPlaneLoadBalancer: classic },
      spec: { controlPlaneLoadBalancer: nlb },
      says: [],
    },
    {
      rule: 'may not disable its load balancer, even before anything is built',
      old: { controlPlaneLoadBalancer: classic },
      spec: { controlPlaneLoadBalancer: { ...classic, loadBalancerType: 'disabled' } },
      says: ['spec.controlPlaneLoadBalancer.loadBalancerType: field is immutable'],
    },
    {
      rule: 'may leave a load balancer type that is never built',
      old: { controlPlaneLoadBalancer: { ...classic, loadBalancerType: 'alb' } },
      spec: { controlPlaneLoadBalancer: { ...nlb, name: 'x' } },
      says: [],
    },
    {
      rule: 'may name another VPC, as its first one may not exist',
      old: { network: { vpc: { id: 'vpc-1' } } },
      spec: { network: { vpc: { id: 'vpc-2' } } },
      says: [],
    },
  ] as { rule: string; old: AWSClusterSpec; spec: AWSClusterSpec; says: string[] }[])('$rule', ({ old, spec, says }) =>
    expect(faults(spec, old)).toEqual(says));
  it.each([
    { rule: 'must keep its type of load balancer', changed: nlb, says: ['loadBalancerType: field is immutable'] },
    {
      rule: 'may change the protocol of a classic load balancer’s health check',
      changed: { ...classic, healthCheckProtocol: 'HTTPS' as const },
      says: [],
    },
  ])('that began to be built $rule', ({ changed, says }) => {
    const annotations = { 'capstan.dev/cluster-uid': 'uid-of-demo/uid' };
    const begun = (controlPlaneLoadBalancer: AWSClusterSpec['controlPlaneLoadBalancer']): AWSCluster => {
      const object = cluster({ controlPlaneLoadBalancer }, annotations);
      return { ...object, metadata: { ...object.metadata, uid: 'uid' } };
    };
    const found = validate(begun(changed), admission(begun(classic)));
    const at = 'spec.controlPlaneLoadBalancer.';
    expect(found.map(({ field, detail }) => `${field.slice(at.length)}: ${detail}`)).toEqual(says);
  });
  it('that began to be built must keep its VPC', () => {
    const inVpc = (id: string) => cluster({ network: { vpc: { id } } });
    const ready = { ...inVpc('vpc-1'), status: { ready: true } };
    expect(validate(inVpc('vpc-2'), admission(ready)).map(({ field, detail }) => `${field}: ${detail}`)).toEqual([
      'spec.network.vpc.id: field is immutable',
    ]);
  });
  it('must stay managed by the same controller', () => {
    const old = cluster({}, { 'cluster.x-k8s.io/managed-by': 'somebody' });
    expect(validate(cluster({}), admission(old)).map(({ detail }) => detail)).toEqual([
      'removal of externally managed annotation is not allowed',
    ]);
  });
});

describe('a defaulted endpoint', () => {
  const endpoint = { host: 'h', port: 1 };
  const noted = { 'capstan.dev/filled': JSON.stringify({ controlPlaneEndpoint: endpoint }) };
  it.each([
    { rule: 'may be removed with its record', annotations: {}, spec: {}, says: 0 },
    { rule: 'must not be removed alone', annotations: noted, spec: {}, says: 1 },
    {
      rule: 'must not be changed',
      annotations: {},
      spec: { controlPlaneEndpoint: { host: 'i', port: 1 } },
      says: 1,
    },
  ])('$rule', ({ annotations, spec, says }) => {
    const old = cluster({ controlPlaneEndpoint: endpoint }, noted);
    expect(validate(cluster(spec, annotations), admission(old))).toHaveLength(says);
  });
});
