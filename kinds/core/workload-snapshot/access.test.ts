import { describe, expect, it } from 'vitest';
import { mergePatch } from '../../../machinery/api/merge.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { clusterSecret, secretValue } from '../contract/cluster-secrets.ts';
import { renderKubeconfig } from '../contract/kubeconfig.ts';
import { dropAccess, eventsOf, keepAccess, observeAccess, renewalIn } from './access.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const kubeconfig = renderKubeconfig({
  cluster: { server: 'https://api.example.com:6443' },
  user: { token: 'token' },
  names: { cluster: 'c', user: 'u', context: 'x' },
});
const reference = (kind: string, more: object = {}) => ({ apiVersion: 'g/v1', kind, name: 'c', uid: kind, ...more });
const cluster = (change: object = {}): KubeObject =>
  mergePatch(
    {
      apiVersion: 'g/v1',
      kind: 'Cluster',
      metadata: { name: 'c', namespace: 'default', uid: 'Cluster' },
      spec: { controlPlaneEndpoint: { host: 'api.example.com', port: 6443 } },
    },
    change as JsonObject,
  ) as KubeObject;
const secret = (purpose: string, owner: object | undefined, more: object = {}): KubeObject => {
  const values: Record<string, string> =
    purpose === 'kubeconfig' ? { value: kubeconfig } : { 'tls.crt': 'ca', 'tls.key': 'key' };
  const made = clusterSecret({
    namespace: 'default',
    name: `c-${purpose}`,
    cluster: 'c',
    owner: (owner ?? {}) as ReturnType<typeof reference>,
    values,
  });
  return { ...made, metadata: { ...made.metadata, ...(owner ? {} : { ownerReferences: [] }) }, ...more };
};
const config = reference('KubeadmConfig', { controller: true });

const accessOf = (of: KubeObject, secrets: KubeObject[]) => {
  const asked: string[] = [];
  const reader = {
    get: (_: string, { name }: { name: string }) => {
      const value = secrets.find(({ metadata }) => metadata.name === name);
      return (value ? { state: 'found', value } : { state: 'absent' }) as Read<never>;
    },
    ask: (port: string, operation: string) => {
      asked.push(`${port} ${operation}`);
      return { state: 'found', value: { certificate: 'client', key: 'its key' } } as Read<never>;
    },
  } as unknown as Reader;
  return { access: observeAccess(of, reader, now), asked };
};
const does = (actions: Action[]): string[] =>
  actions.map((action) => {
    if (action.do === 'create') return `create ${action.object.metadata.name}`;
    return action.do === 'patch' || action.do === 'delete' ? `${action.do} ${action.name}` : action.do;
  });

describe('a Cluster without a control-plane object', () => {
  it('gets its own kubeconfig once an authority and an endpoint exist', () => {
    const { access } = accessOf(cluster(), [secret('ca', reference('Cluster'))]);
    const actions = keepAccess(access!);
    expect(does(actions)).toEqual(['create c-kubeconfig']);
    const { object } = actions[0] as { object: KubeObject };
    expect(object.metadata).toMatchObject({
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      ownerReferences: [reference('Cluster')],
    });
    expect(secretValue(object as never, 'value')).toContain('server: https://api.example.com:6443');
  });
  it.each<{ rule: string; of: KubeObject; secrets: KubeObject[] }>([
    { rule: 'before an authority exists', of: cluster(), secrets: [] },
    {
      rule: 'before an endpoint exists',
      of: cluster({ spec: { controlPlaneEndpoint: null } }),
      secrets: [secret('ca', reference('Cluster'))],
    },
    {
      rule: 'in deletion',
      of: cluster({ metadata: { deletionTimestamp: 'now' } }),
      secrets: [secret('ca', reference('Cluster'))],
    },
    {
      rule: 'where a user provides one',
      of: cluster(),
      secrets: [secret('ca', reference('Cluster')), secret('kubeconfig', undefined, { type: 'Opaque' })],
    },
  ])('gets none $rule', ({ of, secrets }) => {
    const { access, asked } = accessOf(of, secrets);
    expect(keepAccess(access!)).toEqual([]);
    expect(asked).toEqual([]);
  });
  it('owns the authorities that a KubeadmConfig controls, so that they outlive its Machine', () => {
    const { access } = accessOf(cluster(), [secret('ca', config), secret('kubeconfig', undefined)]);
    expect(keepAccess(access!)).toMatchObject([
      { do: 'patch', name: 'c-kubeconfig', patch: { metadata: { ownerReferences: [reference('Cluster')] } } },
      { do: 'patch', name: 'c-ca', patch: { metadata: { ownerReferences: [config, reference('Cluster')] } } },
    ]);
  });
  it('leaves user-provided Secrets alone', () => {
    const { access } = accessOf(cluster(), [
      secret('ca', undefined, { type: 'Opaque' }),
      secret('kubeconfig', reference('Cluster')),
    ]);
    expect(keepAccess(access!)).toEqual([]);
  });
  it.each<{ rule: string; owner: object | undefined; annotations?: object; does: string[]; events: string[] }>([
    {
      rule: 'makes its own kubeconfig anew',
      owner: reference('Cluster'),
      does: ['patch c-kubeconfig'],
      events: ['KubeconfigRebuilt'],
    },
    { rule: "leaves a user's alone", owner: reference('Another'), does: ['patch c-kubeconfig'], events: [] },
    {
      rule: 'leaves an adopted one alone',
      owner: reference('Cluster'),
      annotations: { 'capstan.dev/adopted': 'true' },
      does: [],
      events: [],
    },
  ])('$rule that no client can use', ({ owner, annotations, does: expected, events }) => {
    const made = secret('kubeconfig', owner, { data: {} });
    const damaged = { ...made, metadata: { ...made.metadata, ...(annotations && { annotations }) } } as KubeObject;
    const { access } = accessOf(cluster(), [secret('ca', reference('Cluster')), damaged]);
    const actions = keepAccess(access!);
    expect(does(actions)).toEqual(expected);
    const isWritten = actions.some((action) => action.do === 'patch' && 'data' in (action.patch as object));
    expect(isWritten).toBe(events.length > 0);
    expect(eventsOf(access!).map(({ reason }) => reason)).toEqual(events);
  });
  it('deletes the Secrets that only it owns in a teardown', () => {
    const { access } = accessOf(cluster(), [
      secret('kubeconfig', reference('Cluster')),
      secret('etcd', reference('Cluster')),
      secret('ca', config),
      secret('sa', undefined, { type: 'Opaque' }),
    ]);
    expect(does(dropAccess(access!))).toEqual(['delete c-kubeconfig', 'delete c-etcd']);
  });
  it('has no expiry for an unreadable kubeconfig', () => {
    const { access } = accessOf(cluster(), [secret('kubeconfig', reference('Cluster'))]);
    expect(renewalIn(access!, now)).toBeUndefined();
  });
});

it('leaves the Secrets of a control plane object to that object', () => {
  const { access, asked } = accessOf(cluster({ spec: { controlPlaneRef: { kind: 'KubeadmControlPlane' } } }), []);
  expect({ access, asked }).toEqual({ access: undefined, asked: [] });
});
