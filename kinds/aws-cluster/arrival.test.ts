import { expect, it } from 'vitest';
import type { Read, Reader } from '../../machinery/api/reconcile.ts';
import type { Tag } from '../ports/cloud.ts';
import { observeArrival } from './arrival.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import type { AWSClusterSpec } from './schema.ts';
import { evidence, tagList } from './tags.ts';

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

/** Of load balancers with a listener each, that of `another` elsewhere, and of one thing that carries tags of `former`. */
const readerOf = (balancers: object[], listeners: Read<unknown>, Tags: Tag[] = []): Reader => {
  const answers: Record<string, (arn: string) => Read<unknown>> = {
    DescribeLoadBalancers: () => ({ state: 'found', value: { LoadBalancers: balancers } }),
    DescribeListeners: (arn) => (arn === 'another' ? at('another.elb') : listeners),
    DescribeLoadBalancerTags: () => ({
      state: 'found',
      value: { TagDescriptions: [{ ResourceArn: own, Tags }] },
    }),
    GetResources: (uid) => ({
      state: 'found',
      value: { ResourceTagMappingList: uid === 'former' ? [{ ResourceARN: 'arn:vpc', Tags: [] }] : [] },
    }),
  };
  const ask = (_port: string, action: string, { input }: { input: Input }) =>
    answers[action]!(input.LoadBalancerArn ?? input.TagFilters?.[1]?.Values[0] ?? '');
  return { ask } as unknown as Reader;
};
interface Input {
  LoadBalancerArn?: string;
  TagFilters?: { Values: string[] }[];
}
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
  { rule: 'none, for it is its own', balancers: [balancer(own)], tags: tagList(evidence(owner)), says: nobody },
  { rule: 'one of its name that is another’s', balancers: [balancer(own)], says: { state: 'known', balancer: own } },
  { rule: 'nobody’s while it has no endpoint', changed: { controlPlaneEndpoint: undefined }, says: nobody },
  { rule: 'nobody’s while it has no network', changed: { network: {} }, says: nobody },
  {
    rule: 'not of interest where no load balancer is wanted',
    changed: { controlPlaneLoadBalancer: { loadBalancerType: 'disabled' as const } },
    says: nobody,
  },
  {
    rule: 'not of interest where the one that is wanted is for something else',
    changed: {
      controlPlaneLoadBalancer: { loadBalancerType: 'disabled' as const },
      secondaryControlPlaneLoadBalancer: { name: 'second', loadBalancerType: 'nlb' as const },
    },
    says: nobody,
  },
  { rule: 'not read yet', listeners: { state: 'unread' } as const, says: { state: 'unread' } },
  {
    rule: 'not to be read',
    listeners: { state: 'unreadable', reason: 'no' } as const,
    says: { state: 'unreadable', reason: 'DescribeListeners: no' },
  },
])('what answers at an endpoint is $rule', ({
  balancers = [balancer('theirs')],
  listeners = there,
  tags,
  changed,
  says,
}) =>
  expect(
    observeArrival(
      { spec: { ...spec, ...changed }, owner, region: 'eu-central-1', apiPort: 6443 },
      readerOf(balancers, listeners, tags),
    ),
  ).toEqual(says));

it.each([
  { rule: 'is told', namedAfter: { installation: 'there', clusterUid: 'former' }, says: { former: 'arn:vpc' } },
  { rule: 'is nothing, for all carries its own', namedAfter: { installation: 'there', clusterUid: 'gone' }, says: {} },
  {
    rule: 'is nothing of one that is named after itself',
    namedAfter: { installation: 'here', clusterUid: 'uid' },
    says: {},
  },
  { rule: 'is not asked for where nothing is taken over', namedAfter: undefined, says: {} },
])('what still carries the tags of the former owner $rule', ({ namedAfter, says }) =>
  expect(
    observeArrival(
      { spec: {}, owner: { ...owner, ...(namedAfter && { namedAfter }) }, region: 'eu-central-1', apiPort: 6443 },
      readerOf([], there),
    ),
  ).toEqual({ state: 'known', ...says }));
