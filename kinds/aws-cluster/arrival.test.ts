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

/** Of load balancers with a listener each, that of `another` elsewhere. */
const readerOf = (balancers: object[], listeners: Read<unknown>, Tags: Tag[] = []): Reader => {
  const answers: Record<string, (arn: string) => Read<unknown>> = {
    DescribeLoadBalancers: () => ({ state: 'found', value: { LoadBalancers: balancers } }),
    DescribeListeners: (arn) => (arn === 'another' ? at('another.elb') : listeners),
    DescribeLoadBalancerTags: () => ({
      state: 'found',
      value: { TagDescriptions: [{ ResourceArn: own, Tags }] },
    }),
  };
  const ask = (_port: string, action: string, { input }: { input: { LoadBalancerArn?: string } }) =>
    answers[action]!(input.LoadBalancerArn ?? '');
  return { ask } as unknown as Reader;
};
const at = (Host: string, Port = 6443): Read<unknown> => ({
  state: 'found',
  value: { Listeners: [{ Endpoint: { Host, Port, Resolves: true } }] },
});
const there = at('api.elb');
const nobody = { state: 'known' };
const theirs = { state: 'known', balancer: 'theirs' };

const several: Read<unknown> = {
  state: 'found',
  value: { Listeners: ['other.elb', 'api.elb'].map((Host) => ({ Endpoint: { Host, Port: 6443, Resolves: true } })) },
};

it.each([
  { rule: 'somebody’s load balancer', says: theirs },
  { rule: 'one that has other listeners, too', listeners: several, says: theirs },
  { rule: 'one of several', balancers: [balancer('another'), balancer('theirs')], says: theirs },
  { rule: 'none that listens elsewhere', listeners: at('other.elb'), says: nobody },
  { rule: 'none that listens at another port', listeners: at('api.elb', 443), says: nobody },
  { rule: 'none of another network', balancers: [balancer('theirs', 'vpc-2')], says: nobody },
  { rule: 'none, for it is its own', balancers: [balancer(own)], tags: tagList(evidence(owner)), says: nobody },
  { rule: 'one of its name that is another’s', balancers: [balancer(own)], says: { state: 'known', balancer: own } },
  { rule: 'not read yet', listeners: { state: 'unread' } as const, says: { state: 'unread' } },
  {
    rule: 'not to be read',
    listeners: { state: 'unreadable', reason: 'no' } as const,
    says: { state: 'unreadable', reason: 'DescribeListeners: no' },
  },
])('what answers at an endpoint is $rule', ({ balancers = [balancer('theirs')], listeners = there, tags, says }) =>
  expect(
    observeArrival({ spec, owner, region: 'eu-central-1', apiPort: 6443 }, readerOf(balancers, listeners, tags)),
  ).toEqual(says));

const silent = { ask: () => expect.unreachable('the account is asked') } as unknown as Reader;
const disabled = { loadBalancerType: 'disabled' as const };
it.each<{ rule: string; changed: AWSClusterSpec }>([
  { rule: 'it has no endpoint', changed: { controlPlaneEndpoint: undefined } },
  { rule: 'it has no network', changed: { network: {} } },
  { rule: 'no load balancer is wanted', changed: { controlPlaneLoadBalancer: disabled } },
  {
    rule: 'the one that is wanted is for something else',
    changed: {
      controlPlaneLoadBalancer: disabled,
      secondaryControlPlaneLoadBalancer: { name: 'second', loadBalancerType: 'nlb' },
    },
  },
])('nobody asks what answers where $rule', ({ changed }) =>
  expect(
    observeArrival({ spec: { ...spec, ...changed }, owner, region: 'eu-central-1', apiPort: 6443 }, silent),
  ).toEqual(nobody));

interface Tagged {
  type: string;
  installation: string;
  uid: string;
}
/** As the tagging API answers: what is of one of the types and carries all the tags. */
const taggedReader = (all: Tagged[]): Reader => {
  const ask = (
    _port: string,
    _action: string,
    { input }: { input: { TagFilters: { Key: string; Values: string[] }[]; ResourceTypeFilters: string[] } },
  ): Read<unknown> => {
    const wanted = (key: string) => input.TagFilters.find(({ Key }) => Key === `capstan.dev/${key}`)?.Values[0];
    const found = all.filter(
      ({ type, installation, uid }) =>
        input.ResourceTypeFilters.includes(type) &&
        installation === wanted('installation') &&
        uid === wanted('cluster-uid'),
    );
    const ResourceTagMappingList = found.map(({ type }) => ({ ResourceARN: `arn:${type}`, Tags: [] }));
    return { state: 'found', value: { ResourceTagMappingList } };
  };
  return { ask } as unknown as Reader;
};
const former = { installation: 'there', clusterUid: 'former' };
const tagged = (type: string, installation = 'there', uid = 'former') => ({ type, installation, uid });
const arrives = (reader: Reader, namedAfter?: typeof former) =>
  observeArrival(
    { spec: {}, owner: { ...owner, ...(namedAfter && { namedAfter }) }, region: 'eu-central-1', apiPort: 6443 },
    reader,
  );

it.each([
  'ec2:vpc',
  'ec2:subnet',
  'ec2:route-table',
  'ec2:internet-gateway',
  'ec2:elastic-ip',
  'ec2:security-group',
  'elasticloadbalancing:loadbalancer',
  'elasticloadbalancing:targetgroup',
])('nothing is taken over while a resource of type %s carries the former tags', (type) =>
  expect(arrives(taggedReader([tagged(type)]), former)).toEqual({ state: 'known', former: `arn:${type}` }));

it.each([
  { rule: 'instances, which prove themselves', all: [tagged('ec2:instance')], namedAfter: former },
  { rule: 'another installation’s', all: [tagged('ec2:vpc', 'elsewhere')], namedAfter: former },
  { rule: 'another cluster’s', all: [tagged('ec2:vpc', 'there', 'another')], namedAfter: former },
])('of what carries other tags it does not matter: $rule', ({ all, namedAfter }) =>
  expect(arrives(taggedReader(all), namedAfter)).toEqual(nobody));

it.each([
  { rule: 'one that came back to its installation', namedAfter: { installation: 'here', clusterUid: 'former' } },
  { rule: 'one whose uid is the same elsewhere', namedAfter: { installation: 'there', clusterUid: 'uid' } },
])('is looked for of $rule', ({ namedAfter: { installation, clusterUid } }) =>
  expect(arrives(taggedReader([tagged('ec2:vpc', installation, clusterUid)]), { installation, clusterUid })).toEqual({
    state: 'known',
    former: 'arn:ec2:vpc',
  }));

it.each([
  undefined,
  { installation: 'here', clusterUid: 'uid' },
])('nobody asks for the former tags of %j', (namedAfter) => expect(arrives(silent, namedAfter)).toEqual(nobody));
