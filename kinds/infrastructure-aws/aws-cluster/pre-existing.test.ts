import { expect, it } from 'vitest';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Tag } from '../../ports/cloud/index.ts';
import { evidence, purposeTag, tagList } from '../engine/tags.ts';
import { defaultApiPorts } from '../network/api-ports.ts';
import { desiredClassic, desiredLoadBalancers } from '../network/desired-load-balancer.ts';

import { observePreExisting } from './pre-existing.ts';
import type { AWSClusterSpec } from './schema.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const spec: AWSClusterSpec = {
  controlPlaneEndpoint: { host: 'api.elb', port: 6443 },
  controlPlaneLoadBalancer: { loadBalancerType: 'nlb' },
  network: { vpc: { id: 'vpc-1' } },
};
const question = { owner, region: 'eu-central-1', apiPorts: defaultApiPorts, machines: [] };
const own = desiredLoadBalancers(spec, owner, defaultApiPorts)[0]!.name;
const balancer = (LoadBalancerName: string, VpcId = 'vpc-1') => ({
  LoadBalancerName,
  LoadBalancerArn: LoadBalancerName,
  VpcId,
});

const classicBalancer = (LoadBalancerName: string, Host = 'api.elb') => ({
  LoadBalancerName,
  VPCId: 'vpc-1',
  ListenerDescriptions: [{ Endpoint: { Host, Port: 6443, Resolves: true } }],
});

/** Load balancers with a listener each; the listener of `another` has a different endpoint. */
const readerOf = (
  balancers: object[],
  listeners: Read<unknown>,
  Tags: Tag[] = [],
  classic: readonly ReturnType<typeof classicBalancer>[] = [],
): Reader => {
  const answers: Record<string, (arn: string, names?: string[]) => Read<unknown>> = {
    DescribeClassicLoadBalancers: (_, names) => ({
      state: 'found',
      value: {
        LoadBalancerDescriptions: classic.filter(({ LoadBalancerName }) => names?.includes(LoadBalancerName) ?? true),
      },
    }),
    DescribeClassicLoadBalancerTags: (_, names = []) => ({
      state: 'found',
      value: { TagDescriptions: names.map((LoadBalancerName) => ({ LoadBalancerName, Tags })) },
    }),
    DescribeLoadBalancers: () => ({ state: 'found', value: { LoadBalancers: balancers } }),
    DescribeListeners: (arn) => (arn === 'another' ? at('another.elb') : listeners),
    DescribeLoadBalancerTags: () => ({
      state: 'found',
      value: { TagDescriptions: [{ ResourceArn: own, Tags }] },
    }),
  };
  const ask = (
    _port: string,
    action: string,
    { input }: { input: { LoadBalancerArn?: string; LoadBalancerNames?: string[] } },
  ) => answers[action]!(input.LoadBalancerArn ?? '', input.LoadBalancerNames);
  return { ask } as unknown as Reader;
};
const at = (Host: string, Port = 6443): Read<unknown> => ({
  state: 'found',
  value: { Listeners: [{ Endpoint: { Host, Port, Resolves: true } }] },
});
const there = at('api.elb');
const nothingForeign = { state: 'known', foreign: {} };
const theirs = { state: 'known', foreign: { balancer: 'theirs' } };

const several: Read<unknown> = {
  state: 'found',
  value: { Listeners: ['other.elb', 'api.elb'].map((Host) => ({ Endpoint: { Host, Port: 6443, Resolves: true } })) },
};

it.each([
  { rule: 'a load balancer of another owner', says: theirs },
  { rule: 'one with further listeners', listeners: several, says: theirs },
  { rule: 'one of several', balancers: [balancer('another'), balancer('theirs')], says: theirs },
  { rule: 'none with a listener at another host', listeners: at('other.elb'), says: nothingForeign },
  { rule: 'none with a listener on another port', listeners: at('api.elb', 443), says: nothingForeign },
  { rule: 'none in another network', balancers: [balancer('theirs', 'vpc-2')], says: nothingForeign },
  {
    rule: 'none, because it is the cluster’s own',
    balancers: [balancer(own)],
    tags: tagList(evidence(owner)),
    says: nothingForeign,
  },
  {
    rule: 'one of the same name with another owner',
    balancers: [balancer(own)],
    says: { state: 'known', foreign: { balancer: own } },
  },
  { rule: 'unread', listeners: { state: 'unread' } as const, says: { state: 'unread' } },
  {
    rule: 'unreadable',
    listeners: { state: 'unreadable', reason: 'no' } as const,
    says: { state: 'unreadable', reason: 'DescribeListeners: no' },
  },
])('the load balancer behind an endpoint is $rule', ({
  balancers = [balancer('theirs')],
  listeners = there,
  tags,
  says,
}) => expect(observePreExisting({ ...question, spec }, readerOf(balancers, listeners, tags))).toEqual(says));

const ownClassic = desiredClassic({}, owner, defaultApiPorts)!.name;
it.each([
  { rule: 'a classic one of another owner', classic: [classicBalancer('theirs')], says: theirs },
  { rule: 'none with another address', classic: [classicBalancer('theirs', 'other.elb')], says: nothingForeign },
  {
    rule: 'none, because it is the cluster’s own classic one',
    classic: [classicBalancer(ownClassic)],
    tags: tagList(evidence(owner)),
    says: nothingForeign,
  },
  {
    rule: 'the cluster’s own classic one, where it asks for a network load balancer',
    classic: [classicBalancer(ownClassic)],
    type: 'nlb' as const,
    tags: tagList(evidence(owner)),
    says: { state: 'known', foreign: { balancer: ownClassic } },
  },
])('the load balancer behind an endpoint is $rule', ({
  classic,
  tags,
  type: loadBalancerType = 'classic' as const,
  says,
}) =>
  expect(
    observePreExisting(
      { ...question, spec: { ...spec, controlPlaneLoadBalancer: { loadBalancerType } } },
      readerOf([], there, tags, classic),
    ),
  ).toEqual(says));

it.each([
  { rule: 'the one with the cluster’s own name is described', first: own },
  { rule: 'the first by name of the others is described', first: 'a' },
])('of several load balancers $rule first, whatever order AWS lists them in', ({ first }) => {
  const asked: string[] = [];
  const inOrder = (all: object[]): Reader => {
    const { ask } = readerOf(all, there);
    const noted = (port: string, action: string, question: { input: { LoadBalancerArn?: string } }) => {
      if (action === 'DescribeListeners') asked.push(question.input.LoadBalancerArn!);
      return ask(port, action, question);
    };
    return { ask: noted } as unknown as Reader;
  };
  const all = [balancer('theirs'), balancer(first), balancer('another')];
  for (const listed of [all, all.toReversed()]) observePreExisting({ ...question, spec }, inOrder(listed));
  expect(asked).toEqual([first, first]);
});

const silent = { ask: () => expect.unreachable('the account is asked') } as unknown as Reader;
const disabled = { loadBalancerType: 'disabled' as const };
it.each<{ rule: string; changed: AWSClusterSpec }>([
  { rule: 'the cluster has no endpoint', changed: { controlPlaneEndpoint: undefined } },
  { rule: 'the cluster has no network', changed: { network: {} } },
  { rule: 'the cluster disables its load balancer', changed: { controlPlaneLoadBalancer: disabled } },
  {
    rule: 'the requested load balancer has another purpose',
    changed: {
      controlPlaneLoadBalancer: disabled,
      secondaryControlPlaneLoadBalancer: { name: 'second', loadBalancerType: 'nlb' },
    },
  },
])('describes no load balancers where $rule', ({ changed }) =>
  expect(observePreExisting({ ...question, spec: { ...spec, ...changed } }, silent)).toEqual(nothingForeign));

interface Resource {
  action: string;
  answer: object;
  installation?: string;
  uid?: string;
}
interface Filtered {
  Filters?: { Name: string; Values: string[] }[];
  Filter?: { Name: string; Values: string[] }[];
  TagFilters?: { Key: string; Values: string[] }[];
}
/** An account with one tagged resource; queries for other tags return nothing. */
const accountWith = ({ action, answer, installation = 'there', uid = 'former' }: Resource): Reader => {
  const nothing = {
    Vpcs: [],
    Subnets: [],
    RouteTables: [],
    InternetGateways: [],
    CarrierGateways: [],
    EgressOnlyInternetGateways: [],
    Reservations: [],
    NatGateways: [],
    Addresses: [],
    SecurityGroups: [],
    ResourceTagMappingList: [],
  };
  const ask = (_port: string, asked: string, { input }: { input: Filtered }): Read<unknown> => {
    const filters = [...(input.Filters ?? []), ...(input.Filter ?? [])].map(({ Name, Values }) => [Name, Values[0]]);
    const tags = (input.TagFilters ?? []).map(({ Key, Values }) => [`tag:${Key}`, Values[0]]);
    const wanted = Object.fromEntries([...filters, ...tags]);
    const isIt =
      asked === action &&
      wanted['tag:capstan.dev/installation'] === installation &&
      wanted['tag:capstan.dev/cluster-uid'] === uid;
    return { state: 'found', value: isIt ? { ...nothing, ...answer } : nothing };
  };
  return { ask } as unknown as Reader;
};
const former = { installation: 'there', clusterUid: 'former' };
/** The tagging API may list a deleted resource. */
const balancing = (ResourceARN: string, isThere: boolean): Reader => {
  const listed = accountWith({
    action: 'GetResources',
    answer: { ResourceTagMappingList: [{ ResourceARN, Tags: [] }] },
  });
  const ask = (port: string, action: string, question: never): Read<unknown> => {
    if (!/^Describe(LoadBalancers|TargetGroups)$/.test(action)) return listed.ask(port, action, question);
    if (!isThere) return { state: 'absent' };
    const value = {
      LoadBalancers: [{ LoadBalancerArn: ResourceARN }],
      TargetGroups: [{ TargetGroupArn: ResourceARN, LoadBalancerArns: [] }],
    };
    return { state: 'found', value };
  };
  return { ask } as unknown as Reader;
};
const vpc: Resource = { action: 'DescribeVpcs', answer: { Vpcs: [{ VpcId: 'it' }] } };
const nat = (State: string): Resource => ({
  action: 'DescribeNatGateways',
  answer: { NatGateways: [{ NatGatewayId: 'it', State }] },
});
const arrives = (reader: Reader, namedAfter?: typeof former) =>
  observePreExisting({ ...question, spec: {}, owner: { ...owner, ...(namedAfter && { namedAfter }) } }, reader);

it.each<{ what: string } & Resource>([
  { what: 'VPC', ...vpc },
  { what: 'subnet', action: 'DescribeSubnets', answer: { Subnets: [{ SubnetId: 'it' }] } },
  { what: 'route table', action: 'DescribeRouteTables', answer: { RouteTables: [{ RouteTableId: 'it' }] } },
  {
    what: 'internet gateway',
    action: 'DescribeInternetGateways',
    answer: { InternetGateways: [{ InternetGatewayId: 'it' }] },
  },
  { what: 'NAT gateway', ...nat('available') },
  {
    what: 'carrier gateway',
    action: 'DescribeCarrierGateways',
    answer: { CarrierGateways: [{ CarrierGatewayId: 'it', State: 'available' }] },
  },
  {
    what: 'egress-only internet gateway',
    action: 'DescribeEgressOnlyInternetGateways',
    answer: {
      EgressOnlyInternetGateways: [{ EgressOnlyInternetGatewayId: 'it', Attachments: [{ State: 'attached' }] }],
    },
  },
  {
    what: 'bastion',
    action: 'DescribeInstances',
    answer: {
      Reservations: [
        { Instances: [{ InstanceId: 'it', State: { Name: 'running' }, Tags: tagList({ [purposeTag]: 'bastion' }) }] },
      ],
    },
  },
  { what: 'address', action: 'DescribeAddresses', answer: { Addresses: [{ AllocationId: 'it' }] } },
  { what: 'security group', action: 'DescribeSecurityGroups', answer: { SecurityGroups: [{ GroupId: 'it' }] } },
])('adopts nothing while a $what carries the former tags', ({ what: _, ...resource }) =>
  expect(arrives(accountWith(resource), former)).toEqual({ state: 'known', foreign: { former: 'it' } }));

it('names the same one of several, whatever order AWS lists them in', () => {
  const subnets = (...ids: string[]) =>
    accountWith({ action: 'DescribeSubnets', answer: { Subnets: ids.map((SubnetId) => ({ SubnetId })) } });
  for (const reader of [subnets('it', 'that'), subnets('that', 'it')])
    expect(arrives(reader, former)).toEqual({ state: 'known', foreign: { former: 'it' } });
});

it.each([
  { arn: 'arn:aws:elasticloadbalancing:r:1:loadbalancer/net/one/1' },
  { arn: 'arn:aws:elasticloadbalancing:r:1:targetgroup/one/1' },
])('adopts nothing while $arn carries them, if it exists', ({ arn }) => {
  expect(arrives(balancing(arn, true), former)).toEqual({ state: 'known', foreign: { former: arn } });
  expect(arrives(balancing(arn, false), former)).toEqual(nothingForeign);
});

it.each([
  { rule: 'a VPC of another installation', resource: { ...vpc, installation: 'elsewhere' } },
  { rule: 'a VPC of another cluster', resource: { ...vpc, uid: 'another' } },
  { rule: 'a deleted NAT gateway', resource: nat('deleted') },
  { rule: 'a NAT gateway in deletion', resource: nat('deleting') },
])('ignores $rule', ({ resource }) => expect(arrives(accountWith(resource), former)).toEqual(nothingForeign));

it.each([
  { rule: 'a cluster that returned to its installation', installation: 'here', uid: 'former' },
  { rule: 'a cluster with the same UID in another installation', installation: 'there', uid: 'uid' },
])('searches for the former tags of $rule', ({ installation, uid }) =>
  expect(arrives(accountWith({ ...vpc, installation, uid }), { installation, clusterUid: uid })).toEqual({
    state: 'known',
    foreign: { former: 'it' },
  }));

it.each([undefined, { installation: 'here', clusterUid: 'uid' }])('searches for no former tags of %j', (namedAfter) =>
  expect(arrives(silent, namedAfter)).toEqual(nothingForeign));

const machine = (name: string, instanceID?: string) => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name },
  spec: { instanceType: 't3.large', ...(instanceID && { instanceID }) },
});
const running = (InstanceId: string, Tags: Tag[] = [], Name = 'running') => ({ InstanceId, Tags, State: { Name } });
/** The EC2 response: the existing instances among the IDs. */
const instancesIn = (all: ReturnType<typeof running>[]): Reader => {
  const ask = (_port: string, _action: string, { input }: { input: { Filters: { Values: string[] }[] } }) => {
    const [{ Values } = { Values: [] as string[] }] = input.Filters;
    expect(Values.length).toBeLessThanOrEqual(200);
    const Instances = all.filter(({ InstanceId }) => Values.includes(InstanceId));
    return { state: 'found', value: { Reservations: [{ Instances }] } };
  };
  return { ask } as unknown as Reader;
};
const ownTags = tagList(evidence(owner));
const many = Array.from({ length: 201 }, (_, i) => machine(`m${i}`, `i-${i}`));
it.each([
  { rule: 'none that carries its tags', there: [running('i-1', ownTags)], says: {} },
  { rule: 'none that is terminated', there: [running('i-1', [], 'terminated')], says: {} },
  { rule: 'none that EC2 does not know', there: [], says: {} },
  { rule: 'none that no AWSMachine names', there: [running('i-9')], says: {} },
  { rule: 'an instance without tags', there: [running('i-1')], says: { instance: { id: 'i-1', machine: 'one' } } },
  {
    rule: 'an instance with the tags of another owner',
    there: [running('i-1', [ownTags[1]!])],
    says: { instance: { id: 'i-1', machine: 'one' } },
  },
  {
    rule: 'the first Machine’s among several, whatever order AWS lists them in',
    machines: [machine('one', 'i-1'), machine('two', 'i-2')],
    there: [running('i-2'), running('i-1')],
    says: { instance: { id: 'i-1', machine: 'one' } },
  },
  {
    rule: 'the last of many',
    machines: many,
    there: [...many.slice(0, 200).map((_, i) => running(`i-${i}`, ownTags)), running('i-200')],
    says: { instance: { id: 'i-200', machine: 'm200' } },
  },
])('of the instances that its AWSMachines name, $rule is foreign', ({
  machines = [machine('one', 'i-1'), machine('two')],
  there,
  says,
}) =>
  expect(observePreExisting({ ...question, spec: {}, machines }, instancesIn(there))).toEqual({
    state: 'known',
    foreign: says,
  }));

it('describes no instances when no AWSMachine names one', () =>
  expect(observePreExisting({ ...question, spec: {}, machines: [machine('one')] }, silent)).toEqual(nothingForeign));
