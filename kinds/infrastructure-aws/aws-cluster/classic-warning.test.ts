import { expect, it } from 'vitest';
import { warnClassic } from './classic-warning.ts';
import type { AWSCluster } from './schema.ts';

type Balancer = NonNullable<AWSCluster['spec']>['controlPlaneLoadBalancer'];
const warnings = (controlPlaneLoadBalancer: Balancer) =>
  warnClassic({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSCluster',
    metadata: { name: 'c', namespace: 'default' },
    spec: { region: 'eu-central-1', ...(controlPlaneLoadBalancer && { controlPlaneLoadBalancer }) },
  }).map((text) => text.split(':')[0]);

const type = 'spec.controlPlaneLoadBalancer.loadBalancerType';
it.each<{ rule: string; balancer: Balancer; says: string[] }>([
  { rule: 'a classic one by default', balancer: undefined, says: [type] },
  { rule: 'a classic one', balancer: { loadBalancerType: 'classic', healthCheckProtocol: 'TCP' }, says: [type] },
  {
    rule: 'its health check over SSL',
    balancer: { loadBalancerType: 'classic', healthCheckProtocol: 'SSL' },
    says: [type, 'spec.controlPlaneLoadBalancer.healthCheckProtocol'],
  },
  { rule: 'no network load balancer', balancer: { loadBalancerType: 'nlb' }, says: [] },
  { rule: 'none of the user', balancer: { loadBalancerType: 'disabled' }, says: [] },
])('warns of $rule', ({ balancer, says }) => expect(warnings(balancer)).toEqual(says));
