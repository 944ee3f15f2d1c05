/** Fields of clusters on AWS that Capstan accepts but ignores. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { NotActedOn } from '../../common/not-acted-on.ts';
import { isClassic } from '../network/desired-load-balancer.ts';
import type { AWSClusterSpec } from './schema.ts';

const isSet = (value: unknown) => Boolean(value);
const isGiven = (value: unknown) => (Array.isArray(value) ? value.length > 0 : isSet(value));

const fields: Omit<NotActedOn, 'kind'>[] = [
  {
    path: 'identityRef.kind',
    feature: 'AWSClusterStaticIdentity (nothing is created)',
    when: (value) => value === 'AWSClusterStaticIdentity',
  },
  {
    path: 'controlPlaneLoadBalancer.loadBalancerType',
    feature: 'Application and gateway load balancers (refused: nothing is created)',
    when: (value) => value === 'alb' || value === 'elb',
  },
  ...['additionalListeners', 'preserveClientIP', 'targetGroupIPType'].map((field) => ({
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
