import { expect, it } from 'vitest';
import type { Scope } from './context.ts';
import { planLoadBalancers } from './load-balancer.ts';

const subnet = (name: string, isPublic: boolean, more: object = {}) => ({
  id: name,
  resourceID: `subnet-${name}`,
  availabilityZone: 'a',
  isPublic,
  ...more,
});

it.each([
  { rule: 'faces the internet', scheme: 'internet-facing', subnets: [subnet('x', false)], lacks: 'no public subnet' },
  {
    rule: 'is internal',
    scheme: 'internal',
    subnets: [subnet('x', false, { zoneType: 'local-zone' }), subnet('y', false, { zoneType: 'wavelength-zone' })],
    lacks: 'no public subnet',
  },
])('a load balancer that $rule fails where no subnet is for it', ({ scheme, subnets, lacks }) => {
  const scope = {
    owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
    region: 'eu-west-1',
    spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme } },
    network: { subnets, securityGroupOverrides: { 'apiserver-lb': 'sg-1' } },
    observed: { vpc: { VpcId: 'vpc-1' }, subnets: [], loadBalancers: [], targetGroups: [], securityGroups: [] },
    apiPort: 6443,
    isRecent: () => false,
  } as unknown as Scope;
  const { steps, settled, conditions } = planLoadBalancers(scope);
  expect({ steps, settled }).toEqual({ steps: [], settled: false });
  expect(conditions).toMatchObject([
    { type: 'LoadBalancerReady', status: 'False', severity: 'Error', message: `${lacks} for the load balancer` },
  ]);
});
