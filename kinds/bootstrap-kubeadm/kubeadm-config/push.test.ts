import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Read } from '../../../machinery/api/reconcile.ts';
import { ownerReference } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { clusterSecret, type Secret } from '../../core/contract/cluster-secrets.ts';
import type { KubeadmConfig } from './index.ts';
import { type Push, planPush, withPatches } from './push.ts';
import type { KubeadmConfigSpec } from './schema.ts';

const found = <T>(value: T): Read<T> => ({ state: 'found', value });
const context = { random: { token: () => 'new-token' } } as unknown as Context;
const cluster = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace: 'n', uid: 'cluster' },
} as Cluster;
const configWith = (spec: KubeadmConfigSpec = {}): KubeadmConfig => ({
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  metadata: { name: 'm', namespace: 'n', uid: 'config' },
  spec,
});
const secretOf = (owner: string, values: Record<string, string> = { token: 'a-token' }): Secret => {
  const secret = clusterSecret({
    namespace: 'n',
    name: 'c-audit-webhook',
    cluster: 'c',
    owner: { ...ownerReference(configWith()), uid: owner },
    values,
  });
  return { ...secret, metadata: { ...secret.metadata, uid: 's', resourceVersion: '1' } };
};
const push = (change: Partial<Push> = {}): Push => ({
  settings: { url: 'https://capstan.example.com/capstan.dev/audit', certificateAuthority: 'a CA' },
  reasons: ['health-check'],
  token: found(secretOf('config')),
  joined: undefined,
  ...change,
});
const kubeadmConfig = (text: string): Read<KubeObject> =>
  found({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'k' }, data: { ClusterConfiguration: text } });
const argument = (name: string): KubeadmConfigSpec => ({
  clusterConfiguration: { apiServer: { extraArgs: [{ name, value: 'x' }] } },
});

describe('the audit webhook of a new API server', () => {
  it.each<{ rule: string; push: Push | undefined; spec?: KubeadmConfigSpec; gives: object }>([
    {
      rule: 'is not configured where nothing needs reports',
      push: undefined,
      gives: { files: 0, events: 0, claims: 0, creates: false },
    },
    {
      rule: 'gets a token first',
      push: push({ token: { state: 'absent' } }),
      gives: { files: 0, events: 0, claims: 0, creates: true },
    },
    {
      rule: 'is configured with the token of the cluster',
      push: push(),
      gives: { files: 3, events: 0, claims: 0, creates: false },
    },
    {
      rule: "claims a token that another host's config created",
      push: push({ token: found(secretOf('another')) }),
      gives: { files: 3, events: 0, claims: 1, creates: false },
    },
    {
      rule: 'is configured in a cluster whose kubeadm configuration has no audit settings',
      push: push({ joined: kubeadmConfig('apiServer:\n  extraArgs:\n  - name: profiling\n    value: "false"\n') }),
      gives: { files: 3, events: 0, claims: 0, creates: false },
    },
  ])('$rule', ({ push: observed, spec = {}, gives }) => {
    const { files, events, claims, create } = planPush(configWith(spec), cluster, observed, context);
    expect({
      files: files.length,
      events: events.length,
      claims: claims.length,
      creates: create !== undefined,
    }).toEqual(gives);
  });

  it.each<{ rule: string; push?: Push; spec?: KubeadmConfigSpec; says: string }>([
    { rule: 'a policy', spec: argument('audit-policy-file'), says: 'extraArgs has audit-policy-file' },
    { rule: 'a log', spec: argument('audit-log-path'), says: 'extraArgs has audit-log-path' },
    {
      rule: 'patches at init',
      spec: { initConfiguration: { patches: { directory: '/p' } } },
      says: 'spec.initConfiguration.patches is set',
    },
    {
      rule: 'patches at join',
      spec: { joinConfiguration: { patches: { directory: '/p' } } },
      says: 'spec.joinConfiguration.patches is set',
    },
    {
      rule: 'an API server without root',
      spec: { clusterConfiguration: { featureGates: { RootlessControlPlane: true } } },
      says: 'RootlessControlPlane',
    },
    {
      rule: 'a policy in the cluster that the host joins',
      push: push({ joined: kubeadmConfig('apiServer:\n  extraArgs:\n    audit-policy-file: /p\n') }),
      says: 'kubeadm-config of the cluster has audit settings',
    },
    {
      rule: 'a cluster without kubeadm’s configuration',
      push: push({ joined: { state: 'absent' } }),
      says: 'the cluster has no ConfigMap kubeadm-config',
    },
    {
      rule: 'a Secret of that name',
      push: push({ token: found({ ...secretOf('config'), type: 'Opaque' }) }),
      says: 'Secret c-audit-webhook has no token of Capstan',
    },
  ])('leaves to the user $rule, and says so', ({ push: observed = push(), spec = {}, says }) => {
    const plan = planPush(configWith(spec), cluster, observed, context);
    expect(plan).toMatchObject({ files: [], claims: [] });
    expect(plan.create).toBeUndefined();
    expect(plan.events).toEqual([
      { type: 'Normal', reason: 'AuditWebhookNotConfigured', message: expect.stringContaining(says) },
    ]);
  });

  it.each([
    { joined: { state: 'unreadable', reason: 'timeout' } as const, unanswered: 'timeout' },
    { joined: { state: 'unread' } as const, unanswered: 'not read yet' },
  ])('waits while it is not known whether the user has an audit policy: $unanswered', ({ joined, unanswered }) => {
    for (const token of [push().token, { state: 'absent' } as const])
      expect(planPush(configWith(), cluster, push({ joined, token }), context)).toEqual({
        claims: [],
        files: [],
        events: [],
        unanswered,
      });
  });

  it('knows the token, the endpoint and its CA, and patches only this host', () => {
    const { files } = planPush(configWith(), cluster, push(), context);
    const contentOf = (end: string) => parse(files.find(({ path }) => path.endsWith(end))!.content);
    const webhook = contentOf('/webhook.json');
    expect(webhook.clusters[0].cluster).toEqual({
      server: 'https://capstan.example.com/capstan.dev/audit/n/c',
      'certificate-authority-data': Buffer.from('a CA').toString('base64'),
    });
    expect(webhook.users[0].user).toEqual({ token: 'a-token' });
    const directory = files[0]!.path.replace('/policy.json', '');
    const patch = contentOf('/kube-apiserver-capstan-audit+json.json') as { path: string; value: unknown }[];
    expect(patch.map(({ value }) => value)).toEqual(
      expect.arrayContaining([
        `--audit-policy-file=${directory}/policy.json`,
        `--audit-webhook-config-file=${directory}/webhook.json`,
        '--audit-webhook-mode=batch',
        '--audit-webhook-batch-max-wait=1s',
      ]),
    );
    expect(withPatches({ nodeRegistration: {} }, files)).toEqual({
      nodeRegistration: {},
      patches: { directory: '/etc/kubernetes/capstan/patches' },
    });
    expect(withPatches(undefined, [])).toBeUndefined();
  });
});
