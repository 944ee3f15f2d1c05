import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import { observeKeys, observeSecrets, restoringKeys } from './keys.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';

const secretOf = (name: string, value: string): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'default', name },
  type: 'cluster.x-k8s.io/secret',
  data: { value },
});
const snapshotOf = (keys: EtcdSnapshotStatus['keys'], request = 'again'): EtcdSnapshot => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'EtcdSnapshot',
  metadata: { namespace: 'default', name: 'one', annotations: { 'capstan.dev/restore-keys': request } },
  spec: { clusterName: 'demo' },
  status: { phase: 'Succeeded', location: 'here/uid/a.db', ...(keys && { keys }) },
});

type Reads = { objects: Record<string, Read<KubeObject>>; kept?: Read<unknown> };
const readerOf = ({ objects, kept = { state: 'absent' } }: Reads): Reader =>
  ({
    get: (kind: string, { name }: { name: string }) => objects[`${kind}/${name}`] ?? { state: 'absent' },
    ask: () => kept,
  }) as unknown as Reader;
const found = <T>(value: T) => ({ state: 'found', value }) as const;

const kept = ['demo-ca', 'demo-etcd', 'encryption'].map((name) => ({ name, data: { value: `old ${name}` } }));

describe('what a restore needs', () => {
  it('are the authorities and the files of the hosts, as far as they are there', () => {
    const controlPlane = { apiVersion: 'x/v1', kind: 'Plane', metadata: { namespace: 'default', name: 'plane' } };
    const cluster = {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Cluster',
      metadata: { namespace: 'default', name: 'demo' },
      spec: { controlPlaneRef: { apiGroup: 'x', kind: 'Plane', name: 'plane' } },
    };
    const objects = {
      'Plane/plane': found(controlPlane),
      'Secret/demo-ca': found(secretOf('demo-ca', 'a')),
      'Secret/encryption': found(secretOf('encryption', 'b')),
      'Secret/other': found(secretOf('other', 'c')),
      'Secret/demo-sa': { state: 'unreadable', reason: 'another key' } as const,
    };
    const provider = { group: 'x', kind: 'Plane', fileSecrets: () => ['encryption', 'gone'] } as never;
    expect(observeSecrets(readerOf({ objects }), cluster, [provider])).toEqual([
      { name: 'demo-ca', type: 'cluster.x-k8s.io/secret', data: { value: 'a' } },
      { name: 'encryption', type: 'cluster.x-k8s.io/secret', data: { value: 'b' } },
    ]);
  });
});

describe('a request for the keys', () => {
  it.each<{ rule: string; objects?: Reads['objects']; answer: Read<unknown>; creates: string[]; status: object }>([
    {
      rule: 'makes every absent Secret again',
      answer: found({ secrets: kept }),
      creates: ['demo-ca', 'demo-etcd', 'encryption'],
      status: { request: 'again', restored: ['demo-ca', 'demo-etcd', 'encryption'] },
    },
    {
      rule: 'never touches one that is there, whatever it holds',
      objects: { 'Secret/demo-ca': found(secretOf('demo-ca', 'another')) },
      answer: found({ secrets: kept }),
      creates: ['demo-etcd', 'encryption'],
      status: { request: 'again', restored: ['demo-etcd', 'encryption'] },
    },
    {
      rule: 'takes one that cannot be read for one that is there',
      objects: { 'Secret/demo-ca': { state: 'unreadable', reason: 'another key' } },
      answer: found({ secrets: kept.slice(0, 1) }),
      creates: [],
      status: { request: 'again', restored: [], message: 'No Secret was absent' },
    },
    {
      rule: 'without kept keys is answered',
      answer: { state: 'absent' },
      creates: [],
      status: { request: 'again', restored: [], message: 'No keys are kept with this snapshot' },
    },
    {
      rule: 'that are damaged is answered with the damage',
      answer: found({ fault: 'changed' }),
      creates: [],
      status: {
        request: 'again',
        restored: [],
        message: 'The keys that are kept with the snapshot are damaged: changed',
      },
    },
    {
      rule: 'stays open while the storage does not answer',
      answer: { state: 'unreadable', reason: 'AccessDenied' },
      creates: [],
      status: { message: 'The keys cannot be read: AccessDenied' },
    },
  ])('$rule', ({ objects = {}, answer, creates, status }) => {
    const snapshot = snapshotOf({ kept: ['demo-ca'] });
    const keys = observeKeys(readerOf({ objects, kept: answer }), snapshot)!;
    const plan = restoringKeys(snapshot, keys);
    const made = (plan.actions ?? []).map((action) => (action.do === 'create' ? action.object : undefined));
    expect(made.map((one) => one?.metadata.name)).toEqual(creates);
    expect(plan.status?.keys).toMatchObject({ kept: ['demo-ca'], ...status });
    for (const one of made) {
      const isAuthority = one!.metadata.name.startsWith('demo-');
      expect(one!.metadata.labels).toEqual(isAuthority ? { 'cluster.x-k8s.io/cluster-name': 'demo' } : undefined);
    }
  });

  it('waits until every Secret was read', () => {
    const snapshot = snapshotOf(undefined);
    const objects = { 'Secret/demo-ca': { state: 'unread' } as const };
    const keys = observeKeys(readerOf({ objects, kept: found({ secrets: kept }) }), snapshot)!;
    expect(restoringKeys(snapshot, keys)).toEqual({});
  });

  it('is answered once', () =>
    expect(observeKeys(readerOf({ objects: {} }), snapshotOf({ request: 'again' }))).toBeUndefined());
});
