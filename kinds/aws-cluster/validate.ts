import ipaddr from 'ipaddr.js';
import type { Admission, FieldError } from '../../machinery/api/kind.ts';
import { equal } from '../../machinery/api/merge.ts';
import { invalidKeyName } from '../aws-machine/validate-key-name.ts';
import { invalidTags } from '../aws-machine/validate-tags.ts';
import { filledAnnotation, givenSpec } from '../common/filled.ts';
import { refusedType } from './desired-load-balancer.ts';
import type { AWSCluster, AWSClusterSpec } from './schema.ts';

type LoadBalancer = NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>;
type Network = NonNullable<AWSClusterSpec['network']>;
type IngressRule = NonNullable<LoadBalancer['ingressRules']>[number];

const fault = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});
const managedBy = 'cluster.x-k8s.io/managed-by';

export const validate = (object: AWSCluster, { operation, old }: Admission): FieldError[] => {
  if (operation === 'delete') return [];
  const spec = object.spec ?? {};
  return [
    ...validateName(object.metadata.name),
    ...validateLoadBalancers(spec),
    ...validateNetwork(spec.network ?? {}),
    ...validateBastion(spec),
    ...invalidTags('spec.additionalTags', spec.additionalTags),
    ...(spec.sshKeyName === (old as AWSCluster | undefined)?.spec?.sshKeyName
      ? []
      : invalidKeyName('spec.sshKeyName', spec.sshKeyName)),
    ...(operation === 'update' && old ? validateChange(object, old as AWSCluster) : []),
  ];
};

const validateName = (name: string): FieldError[] =>
  /^[a-z]/.test(name) || /^[0-9]/.test(name)
    ? []
    : [fault('metadata.name', name, 'must start with an alphanumeric character')];

const validateLoadBalancers = (spec: AWSClusterSpec): FieldError[] => {
  const { controlPlaneLoadBalancer: first, secondaryControlPlaneLoadBalancer: second } = spec;
  const faults = [
    ...validateLoadBalancer('spec.controlPlaneLoadBalancer', first),
    ...validateLoadBalancer('spec.secondaryControlPlaneLoadBalancer', second),
  ];
  if (!second) return faults;
  const at = 'spec.secondaryControlPlaneLoadBalancer';
  if (second.loadBalancerType !== 'nlb')
    faults.push(
      fault(
        `${at}.loadBalancerType`,
        second.loadBalancerType,
        'secondary control plane load balancer must be of type nlb',
      ),
    );
  if (first?.scheme === second.scheme)
    faults.push(fault(`${at}.scheme`, second.scheme, 'control plane load balancers must have different schemes'));
  if (second.name && first?.name === second.name)
    faults.push(fault(`${at}.name`, second.name, 'field must not be the same as spec.controlPlaneLoadBalancer.name'));
  return faults;
};

const validateLoadBalancer = (at: string, loadBalancer: LoadBalancer | undefined): FieldError[] => {
  if (!loadBalancer) return [];
  const faults = validateIngressRules(`${at}.ingressRules`, loadBalancer.ingressRules);
  if (loadBalancer.loadBalancerType !== 'disabled') return faults;
  const meaningless = [
    'name',
    'crossZoneLoadBalancing',
    'subnets',
    'healthCheckProtocol',
    'additionalSecurityGroups',
    'additionalListeners',
    'ingressRules',
    'preserveClientIP',
    'disableHostsRewrite',
  ] as const;
  for (const field of meaningless) {
    const value = loadBalancer[field];
    if (value === undefined || value === false || (Array.isArray(value) && value.length === 0)) continue;
    faults.push(fault(`${at}.${field}`, value, `cannot be set if the LoadBalancer reconciliation is disabled`));
  }
  return faults;
};

const validateNetwork = (network: Network): FieldError[] => {
  const { vpc = {}, subnets = [] } = network;
  const faults = [
    ...validateIngressRules(
      'spec.network.additionalControlPlaneIngressRules',
      network.additionalControlPlaneIngressRules,
    ),
    ...validateIngressRules('spec.network.additionalNodeIngressRules', network.additionalNodeIngressRules),
    ...validateBlocks('spec.network.nodePortIngressRuleCidrBlocks', network.nodePortIngressRuleCidrBlocks),
  ];
  // With an id the block is what the pool gave.
  if (vpc.cidrBlock && vpc.ipamPool && !vpc.id)
    faults.push(fault('spec.network.vpc.ipamPool', vpc.ipamPool, 'ipamPool and cidrBlock can not be used together'));
  if (vpc.ipamPool && !vpc.ipamPool.id && !vpc.ipamPool.name)
    faults.push(fault('spec.network.vpc.ipamPool', vpc.ipamPool, 'ipamPool must have either id or name'));
  if (vpc.cidrBlock) faults.push(...validateBlocks('spec.network.vpc.cidrBlock', [vpc.cidrBlock], false));
  for (const [index, { ipv4CidrBlock }] of (vpc.secondaryCidrBlocks ?? []).entries()) {
    const at = `spec.network.vpc.secondaryCidrBlocks[${index}].ipv4CidrBlock`;
    if (!ipaddr.IPv4.isValidCIDR(ipv4CidrBlock))
      faults.push(fault(at, ipv4CidrBlock, 'must be a valid IPv4 CIDR block'));
    if (ipv4CidrBlock === (vpc.cidrBlock ?? '10.0.0.0/16'))
      faults.push(
        fault(
          'spec.network.vpc.secondaryCidrBlocks',
          ipv4CidrBlock,
          'AWSCluster.spec.network.vpc.secondaryCidrBlocks must not contain the primary AWSCluster.spec.network.vpc.cidrBlock',
        ),
      );
  }
  for (const subnet of subnets) {
    const edge = subnet.zoneType && subnet.zoneType !== 'availability-zone';
    if (edge && !subnet.parentZoneName)
      faults.push(
        fault('spec.network.subnets', subnet.id, `ParentZoneName must be set when ZoneType is '${subnet.zoneType}'.`),
      );
    if (subnet.cidrBlock) faults.push(...validateBlocks('spec.network.subnets.cidrBlock', [subnet.cidrBlock], false));
  }
  return [...faults, ...validatePool('spec.network.vpc.elasticIpPool', vpc.elasticIpPool)];
};

type Pool = NonNullable<NonNullable<Network['vpc']>['elasticIpPool']>;
export const validatePool = (at: string, pool: Pool | undefined): FieldError[] => {
  if (!pool) return [];
  const { publicIpv4Pool, publicIpv4PoolFallbackOrder } = pool;
  if (publicIpv4Pool === undefined && publicIpv4PoolFallbackOrder !== undefined)
    return [
      fault(`${at}.publicIpv4Pool`, '', 'publicIpv4Pool must be set when publicIpv4PoolFallbackOrder is defined.'),
    ];
  if (publicIpv4Pool === undefined) return [];
  if (publicIpv4PoolFallbackOrder === undefined)
    return [
      fault(
        `${at}.publicIpv4PoolFallbackOrder`,
        publicIpv4Pool,
        'publicIpv4PoolFallbackOrder must be set when publicIpv4Pool is defined.',
      ),
    ];
  if (!publicIpv4Pool.startsWith('ipv4pool-ec2-'))
    return [fault(`${at}.publicIpv4Pool`, publicIpv4Pool, 'publicIpv4Pool must start with ipv4pool-ec2-.')];
  return [];
};

const validateIngressRules = (at: string, rules: IngressRule[] | undefined): FieldError[] =>
  (rules ?? []).flatMap((rule, index) => {
    const blocks = rule.cidrBlocks || rule.ipv6CidrBlocks;
    const groups = rule.sourceSecurityGroupIds || rule.sourceSecurityGroupRoles;
    const own = `${at}[${index}]`;
    const says = 'CIDR blocks and security group IDs or security group roles cannot be used together';
    return [
      ...(blocks && groups ? [fault(own, rule, says)] : []),
      ...validateBlocks(`${own}.cidrBlocks`, rule.cidrBlocks),
      ...validateBlocks(`${own}.ipv6CidrBlocks`, rule.ipv6CidrBlocks),
    ];
  });

const validateBlocks = (at: string, blocks: string[] | undefined, indexed = true): FieldError[] =>
  (blocks ?? []).flatMap((block, index) =>
    ipaddr.isValidCIDR(block) ? [] : [fault(indexed ? `${at}[${index}]` : at, block, 'must be a valid CIDR block')],
  );

const validateBastion = ({ bastion }: AWSClusterSpec): FieldError[] => {
  if (!bastion) return [];
  if (bastion.disableIngressRules && bastion.allowedCIDRBlocks?.length)
    return [
      {
        reason: 'FieldValueForbidden',
        field: 'spec.bastion.allowedCIDRBlocks',
        detail: 'cannot be set if spec.bastion.disableIngressRules is true',
      },
    ];
  return validateBlocks('spec.bastion.allowedCIDRBlocks', bastion.allowedCIDRBlocks);
};

const immutable = 'field is immutable';
const isSet = (value: unknown) => value !== undefined && value !== '';

/** Only controllers can take the note off, and with it goes what they filled in. */
const isUndone = (object: AWSCluster, old: AWSCluster): boolean =>
  filledAnnotation in (old.metadata.annotations ?? {}) && !(filledAnnotation in (object.metadata.annotations ?? {}));

/** What may not change any more, because something in AWS or in the cluster was made with it. */
const validateChange = (object: AWSCluster, old: AWSCluster): FieldError[] => {
  const next = object.spec ?? {};
  const before = old.spec ?? {};
  const faults: FieldError[] = [];
  if (isSet(before.region) && next.region !== before.region) faults.push(fault('spec.region', next.region, immutable));
  const endpoint = before.controlPlaneEndpoint;
  const given = isUndone(object, old) ? givenSpec(old).controlPlaneEndpoint : endpoint;
  // One half is of no use to anybody: the other one may follow.
  if (endpoint?.host && endpoint.port && !equal(given, next.controlPlaneEndpoint))
    faults.push(fault('spec.controlPlaneEndpoint', next.controlPlaneEndpoint, immutable));
  if (before.identityRef && !next.identityRef)
    faults.push(fault('spec.identityRef', next.identityRef, 'field cannot be set to nil'));
  for (const which of ['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const) {
    const was = before[which];
    // Nothing was made with a type that is refused, so everything about it may still be put right.
    if (!was || refusedType({ controlPlaneLoadBalancer: was }) !== undefined) continue;
    const now = next[which];
    for (const field of ['scheme', 'name', 'loadBalancerType'] as const)
      if ((field === 'name' || isSet(was[field])) && now?.[field] !== was[field])
        faults.push(fault(`spec.${which}.${field}`, now?.[field], immutable));
    if (isSet(was.healthCheckProtocol) && now?.healthCheckProtocol !== was.healthCheckProtocol)
      faults.push(fault(`spec.${which}.healthCheckProtocol`, now?.healthCheckProtocol, immutable));
  }
  if (before.network?.vpc?.id && next.network?.vpc?.id !== before.network.vpc.id && next.network?.vpc?.id)
    faults.push(fault('spec.network.vpc.id', next.network.vpc.id, immutable));
  if (managedBy in (old.metadata.annotations ?? {}) && !(managedBy in (object.metadata.annotations ?? {})))
    faults.push(
      fault(
        'metadata.annotations',
        object.metadata.annotations,
        'removal of externally managed annotation is not allowed',
      ),
    );
  return faults;
};
