/** What upstream warns of in an AWSCluster with a classic load balancer. Pure. */
import { isClassic } from '../network/desired-load-balancer.ts';
import type { AWSCluster } from './schema.ts';

const field = 'spec.controlPlaneLoadBalancer';

export const warnClassic = ({ spec }: AWSCluster): string[] => {
  if (!spec || !isClassic(spec)) return [];
  return [
    `${field}.loadBalancerType: classic load balancers are deprecated; a new cluster should have a network load balancer: set nlb`,
    ...(spec.controlPlaneLoadBalancer?.healthCheckProtocol === 'SSL'
      ? [`${field}.healthCheckProtocol: SSL has no cipher suite in common with API servers from v1.30: set TCP`]
      : []),
  ];
};
