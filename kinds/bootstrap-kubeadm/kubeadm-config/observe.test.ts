import { expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, typedReader } from '../../../machinery/api/reconcile.ts';
import { controllerReference } from '../../common/owners.ts';
import { clusterSecret } from '../../core/contract/cluster-secrets.ts';
import type { KubeadmConfig } from './index.ts';
import { observe } from './observe.ts';

const namespace = 'default';
const machine: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name: 'm', namespace, uid: 'machine' },
  spec: { clusterName: 'c', bootstrap: {} },
};
const cluster: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c', namespace, uid: 'cluster' },
  status: { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } },
};
const inSpec = 'aaaaaa.aaaaaaaaaaaaaaaa';
const inSecret = 'bbbbbb.bbbbbbbbbbbbbbbb';

it.each<{ rule: string; spec?: string; secret?: { token?: string; owner?: string }; done?: boolean; is?: string }>([
  { rule: 'is unknown before it is generated' },
  { rule: 'stands in the Secret with the user data', secret: { token: inSecret }, done: true, is: inSecret },
  { rule: 'stands there before the config is done', secret: { token: inSecret }, is: inSecret },
  { rule: 'is not that of another config', secret: { token: inSecret, owner: 'another' } },
  { rule: 'stands in the spec if a user wrote it', spec: inSpec, is: inSpec },
  {
    rule: 'stands in the spec if upstream or an earlier version generated it',
    spec: inSpec,
    secret: {},
    done: true,
    is: inSpec,
  },
  {
    rule: 'is the one that the host has, whatever a user writes later',
    spec: inSpec,
    secret: { token: inSecret },
    done: true,
    is: inSecret,
  },
])('a token $rule', ({ spec, secret, done, is }) => {
  const config: KubeadmConfig = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: {
      name: 'm',
      namespace,
      uid: 'config',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      ownerReferences: [controllerReference(machine)],
    },
    ...(spec && { spec: { joinConfiguration: { discovery: { bootstrapToken: { token: spec } } } } }),
    ...(done && { status: { initialization: { dataSecretCreated: true }, dataSecretName: 'm' } }),
  };
  const owner = { ...controllerReference(config), uid: secret?.owner ?? 'config' };
  const values = { value: 'data', ...(secret?.token && { token: secret.token }) };
  const objects = [
    machine,
    cluster,
    ...(secret ? [clusterSecret({ namespace, name: 'm', cluster: 'c', owner, values })] : []),
  ];
  const reader = typedReader({
    get: (kind, { name }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return (value ? { state: 'found', value } : { state: 'absent' }) as never;
    },
    list: () => ({ state: 'found', value: [] }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: () => ({ state: 'absent' }),
  });
  expect(observe(config, reader, { now: 0, config: {} } as Context).token?.value).toBe(is);
});

it.each<{ rule: string; minutes: number; user?: boolean; is: boolean }>([
  { rule: 'is due at half of its lifetime', minutes: 14, is: true },
  { rule: 'is not due before', minutes: 16, is: false },
  { rule: 'is the user’s', minutes: 1, user: true, is: false },
])('another token for a pool whose token $rule: $is', ({ minutes, user, is }) => {
  const pool: KubeObject = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachinePool',
    metadata: { name: 'p', namespace, uid: 'pool' },
    spec: { clusterName: 'c', template: { spec: { clusterName: 'c', bootstrap: {} } } },
  };
  const config: KubeadmConfig = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    metadata: {
      name: 'p',
      namespace,
      uid: 'config',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      ownerReferences: [controllerReference(pool)],
    },
    ...(user && { spec: { joinConfiguration: { discovery: { bootstrapToken: { token: inSpec } } } } }),
    status: { initialization: { dataSecretCreated: true }, dataSecretName: 'p' },
  };
  const owner = controllerReference(config);
  const secretOf = (name: string, values: Record<string, string>) =>
    clusterSecret({ namespace, name, cluster: 'c', owner, values });
  const data = secretOf('p', { value: 'data', ...(!user && { token: inSecret }) });
  const objects = [pool, cluster, data, secretOf('c-kubeconfig', { value: 'kubeconfig' })];
  const expiration = new Date(minutes * 60_000).toISOString();
  const reader = typedReader({
    get: (kind, { name }) => {
      const value = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return (value ? { state: 'found', value } : { state: 'absent' }) as never;
    },
    list: () => ({ state: 'found', value: [] }),
    tombstone: () => ({ state: 'absent' }),
    facts: () => ({ state: 'found', value: [] }),
    ask: (_, operation) =>
      (operation === 'get' ? { state: 'found', value: secretOf('t', { expiration }) } : { state: 'absent' }) as never,
  });
  const observed = observe(config, reader, { now: 0, config: {} } as Context);
  expect(observed.ingredients !== undefined).toBe(is);
});
