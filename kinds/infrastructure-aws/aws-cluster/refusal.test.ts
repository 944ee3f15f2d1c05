import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { defaultIdentity } from '../aws-cluster-controller-identity/index.ts';
import { clusterUidTag } from '../engine/tags.ts';
import { itself } from '../identity/principal.ts';
import { notOurs, refused } from './refusal.ts';
import type { AWSCluster } from './schema.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const there = <T>(value: T): Read<T> => ({ state: 'found', value });
const unread = { state: 'unread' } as const;
const absent = { state: 'absent' } as const;
const awsCluster = (spec: AWSCluster['spec'] = {}, annotations: Record<string, string> = {}): AWSCluster => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSCluster',
  metadata: { name: 'demo', namespace: 'default', uid: 'own', annotations },
  spec: { controlPlaneLoadBalancer: { loadBalancerType: 'nlb' }, ...spec },
});
const cluster = (clusterNetwork = {}): Cluster => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'demo', namespace: 'default' },
  spec: { clusterNetwork },
});
const known = {
  awsCluster: awsCluster(),
  cluster: there(cluster()),
  principal: itself,
  caller: undefined,
  identity: there(defaultIdentity),
  namespace: there<KubeObject>({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }),
};

it('keeps a cluster that was created with IPv4 only', () =>
  expect(
    refused({
      ...known,
      awsCluster: awsCluster({ network: { subnets: [{ id: 'b', isIpv6: true }] } }, { [clusterUidTag]: 'uid/own' }),
    }),
  ).toBeUndefined());

it('admits a valid cluster', () => expect(refused(known)).toBeUndefined());

it.each([
  { rule: 'in a network that has it', network: { vpc: { ipv6: {} }, subnets: [{ id: 'b', isIpv6: true }] } },
  {
    rule: 'of subnets in a network of the user',
    network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'b', isIpv6: true }] },
  },
])('admits IPv6 $rule', ({ network }) =>
  expect(refused({ ...known, awsCluster: awsCluster({ network }) })).toBeUndefined());

it.each([
  { rule: 'its identity', changed: { identity: unread } },
  { rule: 'its namespace', changed: { namespace: unread } },
])('refuses nothing before $rule is read', ({ changed }) =>
  expect(refused({ ...known, ...changed })).toEqual({ conditions: [] }));

it.each<{ rule: string; changed: object; type: string; says: RegExp; after?: number }>([
  {
    rule: 'an unsupported load balancer type',
    changed: { awsCluster: awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'alb' } }) },
    type: 'LoadBalancerReady',
    says: /^Application load balancers/,
  },
  {
    rule: 'subnets with IPv6 in a network without',
    changed: { awsCluster: awsCluster({ network: { subnets: [{ id: 'a' }, { id: 'b', isIpv6: true }] } }) },
    type: 'VpcReady',
    says: /^spec.network.subnets\[1\].isIpv6: needs spec.network.vpc.ipv6, which is not set$/,
  },
  {
    rule: 'pods and services with IPv6 in a network without',
    changed: {
      cluster: there(
        cluster({ pods: { cidrBlocks: ['fd01::/48'] }, services: { cidrBlocks: ['10.96.0.0/12', 'fd02::/112'] } }),
      ),
    },
    type: 'VpcReady',
    says: /^Cluster demo spec.clusterNetwork.pods.cidrBlocks: fd01::\/48 needs spec.network.vpc.ipv6, which is not set in the AWSCluster; Cluster demo spec.clusterNetwork.services.cidrBlocks: fd02::\/112 needs/,
  },
  {
    rule: 'a role that cannot be assumed',
    changed: {
      principal: { state: 'known', roles: [{ RoleArn: 'arn', RoleSessionName: 'name' }] },
      caller: { state: 'unreadable', reason: 'AccessDenied: no trust' },
    },
    type: 'PrincipalCredentialRetrieved',
    says: /^AccessDenied: no trust$/,
    after: 60,
  },
  {
    rule: 'an identity that does not exist',
    changed: { identity: absent },
    type: 'PrincipalCredentialRetrieved',
    says: /^AWSClusterControllerIdentity default does not exist$/,
    after: 15,
  },
  {
    rule: 'an identity that its namespace may not use',
    changed: { identity: there({ ...defaultIdentity, spec: {} }) },
    type: 'PrincipalUsageAllowed',
    says: /^Namespace default may not use AWSClusterControllerIdentity default/,
    after: 15,
  },
  {
    rule: 'a namespace that does not exist',
    changed: { namespace: absent },
    type: 'PrincipalUsageAllowed',
    says: /^Namespace default may not use/,
    after: 15,
  },
])('creates nothing because of $rule', ({ changed, type, says, after }) => {
  const { conditions, requeueAfter } = refused({ ...known, ...changed })!;
  expect(conditions).toMatchObject([
    { type, status: 'False', severity: 'Error', message: expect.stringMatching(says) },
  ]);
  expect(requeueAfter).toBe(after);
});

const instance = { id: 'i-1', machine: 'one' };
it.each([
  { rule: 'nothing', foreign: {}, types: [], names: [] },
  { rule: 'a foreign load balancer', foreign: { balancer: 'theirs' }, types: ['LoadBalancerReady'], names: ['theirs'] },
  { rule: 'a foreign instance', foreign: { instance }, types: ['VpcReady'], names: ['AWSMachine one', 'instance i-1'] },
  { rule: 'a former resource', foreign: { former: 'vpc-1' }, types: ['VpcReady'], names: ['vpc-1'] },
  {
    rule: 'a foreign instance before any other network resource',
    foreign: { balancer: 'theirs', instance, former: 'vpc-1' },
    types: ['LoadBalancerReady', 'VpcReady'],
    names: ['theirs', 'i-1'],
  },
])('reports $rule', ({ foreign, types, names }) => {
  const conditions = notOurs(foreign, owner);
  expect(conditions.map(({ type }) => type)).toEqual(types);
  for (const { message } of conditions)
    expect(message).toContain('the tags capstan.dev/installation=here and capstan.dev/cluster-uid=uid, and its');
  const messages = conditions.map(({ message }) => message).join();
  for (const name of names) expect(messages).toContain(name);
});
