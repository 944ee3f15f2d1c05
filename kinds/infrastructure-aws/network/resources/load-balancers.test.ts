import { describe, expect, it } from 'vitest';
import { planPart } from '../../engine/plan.ts';
import { evidence, tagList } from '../../engine/tags.ts';
import { defaultApiPorts } from '../api-ports.ts';
import { loadBalancerReady } from '../conditions.ts';
import { desiredLoadBalancers } from '../desired-load-balancer.ts';
import type { Scope } from '../scope.ts';
import { types } from './index.ts';

const subnet = (name: string, isPublic: boolean, more: object = {}) => ({
  id: name,
  resourceID: `subnet-${name}`,
  availabilityZone: 'a',
  isPublic,
  ...more,
});

it.each([
  { rule: 'is internet-facing', scheme: 'internet-facing', subnets: [subnet('x', false)], lacks: 'no public subnet' },
  {
    rule: 'is internal',
    scheme: 'internal',
    subnets: [subnet('x', false, { zoneType: 'local-zone' }), subnet('y', false, { zoneType: 'wavelength-zone' })],
    lacks: 'no public subnet',
  },
])('a load balancer that $rule fails without a suitable subnet', ({ scheme, subnets, lacks }) => {
  const scope = {
    owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
    region: 'eu-west-1',
    spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb', scheme } },
    network: { subnets, securityGroupOverrides: { 'apiserver-lb': 'sg-1' } },
    cloudState: { vpc: { VpcId: 'vpc-1' }, subnets: [], loadBalancers: [], targetGroups: [], securityGroups: [] },
    apiPorts: defaultApiPorts,
    isRecent: () => false,
  } as unknown as Scope;
  const { steps, settled, conditions } = planPart(scope, loadBalancerReady, types);
  expect({ steps, settled }).toEqual({ steps: [], settled: false });
  expect(conditions).toMatchObject([
    { type: 'LoadBalancerReady', status: 'False', severity: 'Error', message: `${lacks} for the load balancer` },
  ]);
});

describe('a load balancer of the same name', () => {
  const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
  const spec = {
    controlPlaneLoadBalancer: { loadBalancerType: 'nlb' as const },
    secondaryControlPlaneLoadBalancer: { loadBalancerType: 'nlb' as const, scheme: 'internal' as const },
  };
  const names = desiredLoadBalancers(spec, owner, defaultApiPorts).map(({ name }) => name);
  const subnets = [subnet('in', false), subnet('out', true)];
  /** Two existing, active load balancers; the tags of one differ. */
  const planWith = (which: number, tags: Record<string, string>, recent: string[]) =>
    planPart(
      {
        owner,
        region: 'eu-west-1',
        spec,
        network: { subnets, securityGroupOverrides: { 'apiserver-lb': 'sg-1' } },
        cloudState: {
          vpc: { VpcId: 'vpc-1' },
          subnets: subnets.map(({ resourceID }) => ({ SubnetId: resourceID, AvailabilityZone: 'a' })),
          loadBalancers: names.map((name, index) => ({
            LoadBalancerName: name,
            LoadBalancerArn: `arn:${index}`,
            State: { Code: 'active' },
            SecurityGroups: [],
            AvailabilityZones: [],
            attributes: {},
            listeners: [],
            tags: tagList(index === which ? tags : evidence(owner)),
          })),
          targetGroups: [],
          internetGateways: [],
          securityGroups: [],
        },
        apiPorts: defaultApiPorts,
        isRecent: (key: string) => recent.includes(key),
      } as unknown as Scope,
      loadBalancerReady,
      types,
    );

  const first = ['load-balancer/apiserver'];
  const ofAnother = evidence({ ...owner, clusterUid: 'another' });
  it.each([
    { rule: 'may have been created just now', which: 0, recent: first, tags: {}, field: undefined },
    { rule: 'was not recorded before', which: 0, recent: [], tags: {}, field: 'controlPlaneLoadBalancer' },
    {
      rule: 'has the tags of another owner',
      which: 0,
      recent: first,
      tags: ofAnother,
      field: 'controlPlaneLoadBalancer',
    },
    { rule: 'is the second one', which: 1, recent: first, tags: {}, field: 'secondaryControlPlaneLoadBalancer' },
  ])('is modified only with its tags: $rule', ({ which, recent, tags, field }) => {
    const { steps, underway, settled, conditions } = planWith(which, tags, recent);
    const keys = steps.map(({ key }) => key);
    expect(settled).toBe(false);
    expect(keys.filter((key) => key.startsWith('load-balancer/apiserver/'))).toEqual([]);
    const says = conditions.map(({ reason, severity, message }) => [reason, severity, message]);
    if (field === undefined) {
      // Excludes the key of its creation, which is checked at its expected duration.
      expect(underway).toEqual(['load-balancer/apiserver/tags']);
      expect(keys).toContain('target-group/apiserver/6443');
      expect(says).toEqual([['WaitForDNSName', 'Info', 'Waiting for the load balancer']]);
    } else {
      expect(steps).toEqual([]);
      const name = names[which];
      const message = `a load balancer named ${name} exists and is not this cluster's: give another spec.${field}.name`;
      expect(says).toEqual([['LoadBalancerFailed', 'Error', message]]);
    }
  });
});

it.each([
  { cluster: 'demo', named: 'demo-apiserver-' },
  { cluster: 'internal', named: 'int-apiserver-' },
  { cluster: 'internal-demo', named: 'int-demo-apiserver-' },
  { cluster: 'internal.demo', named: 'int-demo-apiserver-' },
  { cluster: 'internals', named: 'internals-apiserver-' },
])('gives the load balancer of $cluster a valid name', ({ cluster, named }) => {
  const owner = { installation: 'here', clusterUid: 'uid', clusterName: cluster };
  const [first] = desiredLoadBalancers(
    { controlPlaneLoadBalancer: { loadBalancerType: 'nlb' } },
    owner,
    defaultApiPorts,
  );
  expect(first?.name).toMatch(new RegExp(`^${named}[0-9a-f]{8}$`));
  expect(first?.name.length).toBeLessThanOrEqual(32);
});
