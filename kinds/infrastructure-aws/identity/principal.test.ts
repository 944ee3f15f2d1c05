import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { AWSCluster } from '../aws-cluster/schema.ts';
import { defaultIdentity } from '../aws-cluster-controller-identity/index.ts';
import { observePrincipal } from './principal.ts';

const account = '222233334444';
const arn = (name: string, of = account) => `arn:aws:iam::${of}:role/${name}`;
const roleIdentity = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSClusterRoleIdentity',
  metadata: { name },
  spec: { roleARN: arn(name), allowedNamespaces: {}, ...spec },
});
const from = (name: string, kind = 'AWSClusterRoleIdentity') => ({ sourceIdentityRef: { kind, name } });
const controller = from('default', 'AWSClusterControllerIdentity');

const resolve = (
  identities: KubeObject[],
  { name = 'a', kind = 'AWSClusterRoleIdentity', annotations = {}, own = '111122223333' } = {},
) => {
  const objects = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team', labels: { tier: 'gold' } } },
    ...identities,
  ];
  const asked: string[] = [];
  const read = {
    get: (of: string, { name: called }: { name: string }): Read<KubeObject> => {
      const value = objects.find((one) => one.kind === of && one.metadata.name === called);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
    ask: (port: string, operation: string): Read<unknown> => {
      asked.push(`${port} ${operation}`);
      return { state: 'found', value: { Account: own, Arn: '' } };
    },
  } as unknown as Reader;
  const awsCluster: AWSCluster = {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSCluster',
    metadata: {
      name: 'infra',
      namespace: 'team',
      uid: 'uid',
      annotations,
      ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'demo', uid: 'cluster' }],
    },
    spec: { region: 'eu-west-1', identityRef: { kind: kind as 'AWSClusterRoleIdentity', name } },
  };
  return { ...observePrincipal(awsCluster, read), asked };
};

it('of the control plane itself reads nothing', () =>
  expect(resolve([], { kind: 'AWSClusterControllerIdentity', name: 'default' })).toEqual({
    state: 'known',
    roles: [],
    asked: [],
  }));

it('passes on what the identity says, and names the session after the cluster', () =>
  expect(
    resolve([
      roleIdentity('a', { externalID: 'x', inlinePolicy: '{}', policyARNs: ['arn:p'], durationSeconds: 43200 }),
    ]),
  ).toEqual({
    state: 'known',
    account,
    roles: [
      {
        RoleArn: arn('a'),
        RoleSessionName: 'capstan-team-demo',
        DurationSeconds: 3600,
        ExternalId: 'x',
        Policy: '{}',
        PolicyArns: [{ arn: 'arn:p' }],
      },
    ],
    asked: [],
  }));

it('assumes the source first', () =>
  expect(resolve([roleIdentity('a', from('b')), roleIdentity('b', controller), defaultIdentity])).toMatchObject({
    state: 'known',
    roles: [{ RoleArn: arn('b') }, { RoleArn: arn('a') }],
  }));

it.each<{ rule: string; identities: KubeObject[]; reason: string; says: RegExp }>([
  {
    rule: 'that does not exist',
    identities: [],
    reason: 'PrincipalCredentialRetrievalFailed',
    says: /^AWSClusterRoleIdentity a does not exist$/,
  },
  {
    rule: 'that names no namespaces',
    identities: [roleIdentity('a', { allowedNamespaces: undefined })],
    reason: 'PrincipalUsageUnauthorized',
    says: /^Namespace team may not use AWSClusterRoleIdentity a/,
  },
  {
    rule: 'for other namespaces',
    identities: [roleIdentity('a', { allowedNamespaces: { list: ['other'] } })],
    reason: 'PrincipalUsageUnauthorized',
    says: /^Namespace team may not use AWSClusterRoleIdentity a/,
  },
  {
    rule: 'whose source is for other namespaces',
    identities: [roleIdentity('a', from('b')), roleIdentity('b', { allowedNamespaces: { list: ['other'] } })],
    reason: 'SourcePrincipalUsageUnauthorized',
    says: /^Namespace team may not use AWSClusterRoleIdentity b/,
  },
  {
    rule: 'whose source is its own',
    identities: [roleIdentity('a', from('b')), roleIdentity('b', from('a'))],
    reason: 'PrincipalCredentialRetrievalFailed',
    says: /is its own source/,
  },
  {
    rule: 'without the ARN of a role',
    identities: [roleIdentity('a', { roleARN: 'clusters' })],
    reason: 'PrincipalCredentialRetrievalFailed',
    says: /has no ARN of a role/,
  },
  {
    rule: 'of stored keys',
    identities: [roleIdentity('a', from('keys', 'AWSClusterStaticIdentity'))],
    reason: 'PrincipalUsageUnauthorized',
    says: /AWSClusterStaticIdentity is not supported/,
  },
])('refuses an identity $rule', ({ identities, reason, says }) => {
  const { asked, ...resolved } = resolve(identities);
  expect(resolved).toMatchObject({
    state: 'refused',
    condition: { reason, message: expect.stringMatching(says) },
  });
  expect(asked).toEqual([]);
});

const begun = { 'capstan.dev/cluster-uid': 'cluster/uid' };
const noted = (of: string) => ({ ...begun, 'capstan.dev/account': `${of}/uid` });
const itself = { kind: 'AWSClusterControllerIdentity', name: 'default' };

it.each([
  { rule: 'keeps the noted account', to: { annotations: noted(account) }, state: 'known' },
  { rule: 'stops in another one', to: { annotations: noted('333344445555') }, state: 'refused' },
  {
    rule: 'ignores the note of another object',
    to: { annotations: { 'capstan.dev/account': '3/other' } },
    state: 'known',
  },
  { rule: 'stops where its resources are in the own account', to: { annotations: begun }, state: 'refused' },
  { rule: 'goes on with a role of the own account', to: { annotations: begun, own: account }, state: 'known' },
  {
    rule: 'stops when it goes back to the own account',
    to: { ...itself, annotations: noted(account) },
    state: 'refused',
  },
  {
    rule: 'goes back if that is the same',
    to: { ...itself, annotations: noted(account), own: account },
    state: 'known',
  },
])('a living cluster $rule', ({ to, state }) => expect(resolve([roleIdentity('a')], to).state).toBe(state));
