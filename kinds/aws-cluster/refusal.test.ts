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
const machine = (spec: object, launch?: object): KubeObject => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: {
    name: 'one',
    uid: 'm',
    ...(launch && { annotations: { 'capstan.dev/launch': JSON.stringify(launch) } }),
  },
  spec: { instanceType: 't3.large', ...spec },
});
const runs = { providerID: 'aws:///eu-west-1a/i-1' };
const known = {
  awsCluster: awsCluster(),
  owner,
  identity: there(defaultIdentity),
  namespace: there<KubeObject>({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }),
  machines: there<KubeObject[]>([]),
};

it.each<{ rule: string; changed: Partial<typeof known> | object }>([
  { rule: 'has machines that are launched for it', changed: { machines: there([machine(runs, { machine: 'm' })]) } },
  { rule: 'has machines that have no instance yet', changed: { machines: there([machine({})]) } },
  {
    rule: 'was begun here, and got a machine that runs',
    changed: {
      awsCluster: awsCluster({}, { 'capstan.dev/cluster-uid': 'uid/own' }),
      machines: there([machine(runs)]),
    },
  },
  {
    rule: 'is taken over',
    changed: {
      owner: { ...owner, namedAfter: { installation: 'there', clusterUid: 'former' } },
      machines: there([machine(runs)]),
    },
  },
])('a cluster is built that $rule', ({ changed }) => expect(refused({ ...known, ...changed })).toBeUndefined());

it.each([
  { rule: 'its identity', changed: { identity: unread } },
  { rule: 'its namespace', changed: { namespace: unread } },
  { rule: 'its machines', changed: { machines: unread } },
])('nothing is said before $rule is read', ({ changed }) =>
  expect(refused({ ...known, ...changed })).toEqual({ conditions: [] }));

const made = /made elsewhere: nothing .* tags capstan.dev\/installation=here and capstan.dev\/cluster-uid=uid, and/;
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
  {
    rule: 'a machine that runs',
    changed: { machines: there([machine({}), machine(runs)]) },
    type: 'VpcReady',
    says: new RegExp(`^AWSMachine one comes with instance i-1, so this cluster was ${made.source}`),
    after: 300,
  },
  {
    rule: 'a machine that is named by its instance alone',
    changed: { machines: there([machine({ instanceID: 'i-2' })]) },
    type: 'VpcReady',
    says: /^AWSMachine one comes with instance i-2/,
    after: 300,
  },
  {
    rule: 'the launch of another object',
    changed: { machines: there([machine(runs, { machine: 'original' })]) },
    type: 'VpcReady',
    says: /^AWSMachine one comes with instance i-1/,
    after: 300,
  },
])('nothing is made because of $rule', ({ changed, type, says, after }) => {
  const { conditions, requeueAfter } = refused({ ...known, ...changed })!;
  expect(conditions).toMatchObject([
    { type, status: 'False', severity: 'Error', message: expect.stringMatching(says) },
  ]);
  expect(requeueAfter).toBe(after);
});

it.each([
  { rule: 'nothing', arrival: {}, types: [] },
  { rule: 'a load balancer', arrival: { balancer: 'theirs' }, types: ['LoadBalancerReady'] },
  { rule: 'something', arrival: { former: 'arn:vpc' }, types: ['VpcReady'] },
  { rule: 'both', arrival: { balancer: 'theirs', former: 'arn:vpc' }, types: ['LoadBalancerReady', 'VpcReady'] },
])('of what it came with and is not its own, $rule is named', ({ arrival, types }) => {
  const told = notOurs(arrival, owner);
  expect(told.map(({ type }) => type)).toEqual(types);
  const messages = told.map(({ message }) => message).join();
  for (const name of Object.values(arrival)) expect(messages).toContain(name);
});
