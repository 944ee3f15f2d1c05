import { expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Read } from '../../machinery/api/reconcile.ts';
import { defaultIdentity } from '../aws-cluster-controller-identity/index.ts';
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
const known = {
  awsCluster: awsCluster(),
  identity: there(defaultIdentity),
  namespace: there<KubeObject>({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }),
};

it('a cluster is built that may be', () => expect(refused(known)).toBeUndefined());

it.each([
  { rule: 'its identity', changed: { identity: unread } },
  { rule: 'its namespace', changed: { namespace: unread } },
])('nothing is said before $rule is read', ({ changed }) =>
  expect(refused({ ...known, ...changed })).toEqual({ conditions: [] }));

it.each<{ rule: string; changed: object; type: string; says: RegExp; after?: number }>([
  {
    rule: 'a kind of load balancer that is not built here',
    changed: { awsCluster: awsCluster({ controlPlaneLoadBalancer: { loadBalancerType: 'alb' } }) },
    type: 'LoadBalancerReady',
    says: /^Application load balancers/,
  },
  {
    rule: 'another kind of identity',
    changed: { awsCluster: awsCluster({ identityRef: { kind: 'AWSClusterRoleIdentity', name: 'role' } }) },
    type: 'PrincipalUsageAllowed',
    says: /^AWSClusterRoleIdentity is not supported/,
  },
  {
    rule: 'an identity that is not there',
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
    rule: 'a namespace that is not there',
    changed: { namespace: absent },
    type: 'PrincipalUsageAllowed',
    says: /^Namespace default may not use/,
    after: 15,
  },
])('nothing is made because of $rule', ({ changed, type, says, after }) => {
  const { conditions, requeueAfter } = refused({ ...known, ...changed })!;
  expect(conditions).toMatchObject([
    { type, status: 'False', severity: 'Error', message: expect.stringMatching(says) },
  ]);
  expect(requeueAfter).toBe(after);
});

const instance = { id: 'i-1', machine: 'one' };
it.each([
  { rule: 'nothing', foreign: {}, types: [], names: [] },
  { rule: 'a load balancer', foreign: { balancer: 'theirs' }, types: ['LoadBalancerReady'], names: ['theirs'] },
  { rule: 'an instance', foreign: { instance }, types: ['VpcReady'], names: ['AWSMachine one', 'instance i-1'] },
  { rule: 'something', foreign: { former: 'vpc-1' }, types: ['VpcReady'], names: ['vpc-1'] },
  {
    rule: 'an instance before anything else of the network',
    foreign: { balancer: 'theirs', instance, former: 'vpc-1' },
    types: ['LoadBalancerReady', 'VpcReady'],
    names: ['theirs', 'i-1'],
  },
])('of what it came with and is not its own, $rule is named', ({ foreign, types, names }) => {
  const told = notOurs(foreign, owner);
  expect(told.map(({ type }) => type)).toEqual(types);
  for (const { message } of told)
    expect(message).toContain('the tags capstan.dev/installation=here and capstan.dev/cluster-uid=uid, and its');
  const messages = told.map(({ message }) => message).join();
  for (const name of names) expect(messages).toContain(name);
});
