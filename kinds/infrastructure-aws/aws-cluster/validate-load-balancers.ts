/** Faults of an AWSCluster's load balancers that their schema cannot express. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import { forbiddenField, invalidValue } from '../../common/validate.ts';
import { refusedType } from '../network/desired-load-balancer.ts';
import type { AWSClusterSpec } from './schema.ts';
import { validateIngressRules } from './validate-network.ts';

type LoadBalancer = NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>;
const both = ['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const;

/** Fields that have no meaning without a load balancer. */
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
  'targetGroupIPType',
] as const;
const isGiven = (value: unknown) =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

const validateDisabled = (at: string, loadBalancer: LoadBalancer): FieldError[] =>
  loadBalancer.loadBalancerType === 'disabled'
    ? meaningless
        .filter((field) => isGiven(loadBalancer[field]))
        .map((field) =>
          invalidValue(
            `${at}.${field}`,
            loadBalancer[field],
            'cannot be set if the LoadBalancer reconciliation is disabled',
          ),
        )
    : [];

const validateTargets = (at: string, loadBalancer: LoadBalancer, hasIpv6: boolean): FieldError[] => {
  const { loadBalancerType: type, targetGroupIPType, additionalListeners = [] } = loadBalancer;
  const given = [
    { field: `${at}.targetGroupIPType`, family: targetGroupIPType },
    ...additionalListeners.map((listener, i) => ({
      field: `${at}.additionalListeners[${i}].targetGroupIPType`,
      family: listener.targetGroupIPType,
    })),
  ];
  return given.flatMap(({ field, family }) => [
    ...(family && (type === 'classic' || type === 'elb')
      ? [invalidValue(field, family, 'targetGroupIPType cannot be used with classic load balancer types')]
      : []),
    ...(family === 'ipv6' && !hasIpv6
      ? [invalidValue(field, family, 'targetGroupIPType ipv6 requires spec.network.vpc.ipv6 to be set')]
      : []),
  ]);
};

const validateSecond = (first: LoadBalancer | undefined, second: LoadBalancer): FieldError[] => {
  const at = 'spec.secondaryControlPlaneLoadBalancer';
  return [
    ...(second.loadBalancerType === 'nlb'
      ? []
      : [
          invalidValue(
            `${at}.loadBalancerType`,
            second.loadBalancerType,
            'secondary control plane load balancer must be of type nlb',
          ),
        ]),
    ...(first?.scheme === second.scheme
      ? [invalidValue(`${at}.scheme`, second.scheme, 'control plane load balancers must have different schemes')]
      : []),
    ...(second.name
      ? []
      : [invalidValue(`${at}.name`, second.name ?? '', 'secondary controlPlaneLoadBalancer.name cannot be empty')]),
    ...(second.name && first?.name === second.name
      ? [invalidValue(`${at}.name`, second.name, 'field must not be the same as spec.controlPlaneLoadBalancer.name')]
      : []),
  ];
};

export const validateLoadBalancers = (spec: AWSClusterSpec): FieldError[] => {
  const hasIpv6 = spec.network?.vpc?.ipv6 !== undefined;
  const { controlPlaneLoadBalancer: first, secondaryControlPlaneLoadBalancer: second } = spec;
  return [
    ...both.flatMap((which) => {
      const loadBalancer = spec[which];
      const at = `spec.${which}`;
      if (!loadBalancer) return [];
      return [
        ...validateIngressRules(`${at}.ingressRules`, loadBalancer.ingressRules),
        ...validateDisabled(at, loadBalancer),
        ...validateTargets(at, loadBalancer, hasIpv6),
      ];
    }),
    ...(second ? validateSecond(first, second) : []),
  ];
};

const isSet = (value: unknown) => value !== undefined && value !== '';
const immutable = 'field is immutable';

/**
 * Fields that are immutable because AWS resources depend on them. `isBegun`: resources may exist.
 * Without them a cluster may still choose another type, except that no load balancer is not a type.
 */
export const validateLoadBalancerChanges = (
  before: AWSClusterSpec,
  next: AWSClusterSpec,
  isBegun: boolean,
): FieldError[] =>
  both.flatMap((which) => {
    const was = before[which];
    // Nothing was built with a refused type, so all its fields may still change.
    if (!was || refusedType({ controlPlaneLoadBalancer: was }) !== undefined) return [];
    const now = next[which];
    const changed = (field: keyof LoadBalancer) => now?.[field] !== was[field];
    const at = `spec.${which}`;
    const isToggled = [was.loadBalancerType, now?.loadBalancerType].includes('disabled');
    // The health check of a target group has a protocol for ever, that of a classic one does not.
    const fixed = [
      'scheme',
      'name',
      ...(isBegun || isToggled ? ['loadBalancerType'] : []),
      ...(was.loadBalancerType === 'classic' ? [] : ['healthCheckProtocol']),
    ] as ('scheme' | 'name' | 'loadBalancerType' | 'healthCheckProtocol')[];
    return [
      ...fixed
        // Without a name the controller has chosen one, so setting it is a change, too.
        .filter((field) => (field === 'name' || isSet(was[field])) && changed(field))
        .map((field) => invalidValue(`${at}.${field}`, now?.[field], immutable)),
      ...(changed('targetGroupIPType')
        ? [forbiddenField(`${at}.targetGroupIPType`, 'field is immutable once the target group is made')]
        : []),
    ];
  });
