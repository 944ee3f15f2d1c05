/** Fields of clusters on AWS that Capstan accepts but ignores. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { NotActedOn } from '../../common/not-acted-on.ts';
import { isClassic } from '../network/desired-load-balancer.ts';
import type { AWSClusterSpec } from './schema.ts';

const ipv6 = 'IPv6 (refused: nothing is created)';
const isSet = (value: unknown) => Boolean(value);
const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : isSet(value));
const isIpv6 = (value: unknown) => value === 'ipv6';
const balancers = ['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'];

const fields: Omit<NotActedOn, 'kind'>[] = [
  { path: 'network.vpc.ipv6', feature: ipv6 },
  { path: 'network.subnets[].isIpv6', feature: ipv6, when: isSet },
  { path: 'network.subnets[].ipv6CidrBlock', feature: ipv6, when: isSet },
  ...balancers.flatMap((balancer) => [
    { path: `${balancer}.targetGroupIPType`, feature: ipv6, when: isIpv6 },
    { path: `${balancer}.additionalListeners[].targetGroupIPType`, feature: ipv6, when: isIpv6 },
  ]),
  {
    path: 'identityRef.kind',
    feature: 'Identities other than the AWSClusterControllerIdentity (nothing is created)',
    when: (value) => value !== 'AWSClusterControllerIdentity',
  },
  {
    path: 'controlPlaneLoadBalancer.loadBalancerType',
    feature: 'Application and gateway load balancers (refused: nothing is created)',
    when: (value) => value === 'alb' || value === 'elb',
  },
  ...['additionalListeners', 'preserveClientIP'].map((field) => ({
    path: `controlPlaneLoadBalancer.${field}`,
    feature: 'Of network load balancers only, not of the classic one',
    when: (value: unknown, { spec }: KubeObject) => isGiven(value) && isClassic((spec ?? {}) as AWSClusterSpec),
  })),
  { path: 's3Bucket', feature: 'The bucket for Ignition' },
];

export const clusterNotActedOn: NotActedOn[] = fields.map((field) => ({
  ...field,
  kind: 'AWSCluster',
  path: `spec.${field.path}`,
}));
