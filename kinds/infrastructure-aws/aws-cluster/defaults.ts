import type { AWSCluster, AWSClusterSpec } from './schema.ts';

type LoadBalancer = NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>;

// Rules that Calico needs between nodes; the AWS provider's documentation installs Calico.
const calico = [
  { description: 'bgp (calico)', protocol: 'tcp', fromPort: 179, toPort: 179 },
  { description: 'IP-in-IP (calico)', protocol: '4', fromPort: -1, toPort: 65535 },
];
const everybody = ['0.0.0.0/0', '::/0'];

/** Of an AWSCluster, and of the template of one. */
export const defaultedSpec = (spec: AWSClusterSpec): AWSClusterSpec => {
  const primary: LoadBalancer = {
    ...spec.controlPlaneLoadBalancer,
    loadBalancerType: spec.controlPlaneLoadBalancer?.loadBalancerType ?? 'classic',
  };
  if (primary.loadBalancerType !== 'disabled') primary.scheme ??= 'internet-facing';
  const bastion = spec.bastion ?? {};
  const openBastion = !bastion.disableIngressRules && !bastion.allowedCIDRBlocks?.length;
  return {
    ...spec,
    bastion: { ...bastion, ...(openBastion && { allowedCIDRBlocks: everybody }) },
    controlPlaneLoadBalancer: primary,
    ...(spec.secondaryControlPlaneLoadBalancer && { secondaryControlPlaneLoadBalancer: secondary(spec, primary) }),
    identityRef: spec.identityRef ?? { kind: 'AWSClusterControllerIdentity', name: 'default' },
    network: { ...spec.network, cni: spec.network?.cni ?? { cniIngressRules: calico } },
  };
};

export const withDefaults = (cluster: AWSCluster): AWSCluster => ({
  ...cluster,
  spec: defaultedSpec(cluster.spec ?? {}),
});

// The schema fills in the defaults of a first load balancer, so a classic type or a scheme equal to
// the first one's is not the user's choice here.
const secondary = (
  { secondaryControlPlaneLoadBalancer: given }: AWSClusterSpec,
  primary: LoadBalancer,
): LoadBalancer => ({
  ...given,
  loadBalancerType: given?.loadBalancerType && given.loadBalancerType !== 'classic' ? given.loadBalancerType : 'nlb',
  scheme: given?.scheme === 'internet-facing' && primary.scheme === 'internal' ? 'internet-facing' : 'internal',
});
