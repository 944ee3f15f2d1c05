import { expect, it } from 'vitest';
import type { Read, Reader } from '../../machinery/api/reconcile.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import { observeEndpoint } from './endpoint.ts';
import type { AWSClusterSpec } from './schema.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const spec: AWSClusterSpec = {
  controlPlaneEndpoint: { host: 'api.elb', port: 6443 },
  controlPlaneLoadBalancer: { loadBalancerType: 'nlb' },
  network: { vpc: { id: 'vpc-1' } },
};
const own = desiredLoadBalancers(spec, owner, 6443)[0]!.name;
const balancer = (LoadBalancerName: string, VpcId = 'vpc-1') => ({
  LoadBalancerName,
  LoadBalancerArn: LoadBalancerName,
  VpcId,
});

/** Of load balancers with a listener each, that of `theirs` at the endpoint. */
const readerOf = (balancers: object[], listeners: Read<unknown>): Reader =>
  ({
    ask: (_port: string, action: string, { input }: { input: { LoadBalancerArn?: string } }): Read<unknown> =>
      action === 'DescribeLoadBalancers'
        ? { state: 'found', value: { LoadBalancers: balancers } }
        : input.LoadBalancerArn === 'another'
          ? at('another.elb')
          : listeners,
  }) as unknown as Reader;
const at = (Host: string, Port = 6443): Read<unknown> => ({
  state: 'found',
  value: { Listeners: [{ Endpoint: { Host, Port, Resolves: true } }] },
});
const there = at('api.elb');
const nobody = { state: 'known' };
const theirs = { state: 'known', balancer: 'theirs' };

it.each([
  { rule: 'somebody’s load balancer', says: theirs },
  { rule: 'one of several', balancers: [balancer('another'), balancer('theirs')], says: theirs },
  { rule: 'none that listens elsewhere', listeners: at('other.elb'), says: nobody },
  { rule: 'none that listens at another port', listeners: at('api.elb', 443), says: nobody },
  { rule: 'none of another network', balancers: [balancer('theirs', 'vpc-2')], says: nobody },
  { rule: 'none, for it is its own', balancers: [balancer(own)], says: nobody },
  { rule: 'nobody’s while it has no endpoint', changed: { controlPlaneEndpoint: undefined }, says: nobody },
  { rule: 'nobody’s while it has no network', changed: { network: {} }, says: nobody },
  {
    rule: 'not of interest where no load balancer is wanted',
    changed: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' as const } },
    says: nobody,
  },
  { rule: 'not read yet', listeners: { state: 'unread' } as const, says: { state: 'unread' } },
  {
    rule: 'not to be read',
    listeners: { state: 'unreadable', reason: 'no' } as const,
    says: { state: 'unreadable', reason: 'DescribeListeners: no' },
  },
])('what answers at an endpoint is $rule', ({ balancers = [balancer('theirs')], listeners = there, changed, says }) =>
  expect(
    observeEndpoint(
      { spec: { ...spec, ...changed }, owner, region: 'eu-central-1', apiPort: 6443 },
      readerOf(balancers, listeners),
    ),
  ).toEqual(says));
