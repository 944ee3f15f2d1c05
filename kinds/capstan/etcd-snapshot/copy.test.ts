/** A snapshot that is the copy of another cluster's. */
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context, Failure, Read } from '../../../machinery/api/reconcile.ts';
import { copying } from './copy.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';

const cluster: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { namespace: 'default', name: 'second', uid: 'second-uid' },
};
const without = [{ what: 'Nodes', keys: ['minions'] }];
const copyOf = (status: EtcdSnapshotStatus = {}): EtcdSnapshot => ({
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'EtcdSnapshot',
  metadata: { namespace: 'default', name: 'copy', uid: '12345678-9', creationTimestamp: '2026-11-27T05:00:00Z' },
  spec: { clusterName: 'second', reason: 'Copy', source: { name: 'saved', without } },
  status,
});
const file: EtcdSnapshotStatus = {
  phase: 'Succeeded',
  location: 'i/first-uid/f.db',
  checksum: 'sha256:ab',
  revision: 40,
  member: 'node-b',
  etcdVersion: '3.6.6',
  kubernetesVersion: 'v1.35.0',
};
const original = (status: EtcdSnapshotStatus = file): Read<EtcdSnapshot> => ({
  state: 'found',
  value: { ...copyOf(status), metadata: { namespace: 'default', name: 'saved' } },
});
const context = (lastFailure?: Partial<Failure>) =>
  ({
    now: Date.parse('2026-11-27T05:00:10Z'),
    installation: 'i',
    attempts: lastFailure ? 1 : 0,
    lastFailure: lastFailure && { port: 'snapshots', operation: 'Copy', at: 0, message: 'why', ...lastFailure },
  }) as Context;
const location = 'i/second-uid/20261127T050010Z-40-12345678.db';
const running: EtcdSnapshotStatus = { phase: 'Running', startedAt: '2026-11-27T05:00:10Z', location, revision: 40 };

describe('a copy', () => {
  it('stores the key of its file, of the new cluster, before the file', () => {
    const plan = copying(copyOf(), cluster, original(), context());
    expect(plan.actions).toBeUndefined();
    expect(plan.status).toMatchObject({ ...running, member: 'node-b', etcdVersion: '3.6.6' });
  });

  it('is written from the file of the other, without what its spec leaves out', () => {
    const [action] = copying(copyOf(running), cluster, original(), context()).actions ?? [];
    expect(action).toMatchObject({
      operation: 'Copy',
      input: {
        from: file.location,
        checksum: file.checksum,
        without,
        location,
        manifest: { cluster: { name: 'second', uid: 'second-uid' }, revision: 40, kubernetesVersion: 'v1.35.0' },
      },
    });
  });

  it.each<{ rule: string; read: Read<EtcdSnapshot>; failure?: Partial<Failure>; phase?: string; says?: RegExp }>([
    { rule: 'of nothing fails', read: { state: 'absent' }, phase: 'Failed', says: /saved has no complete file/ },
    { rule: 'of a failed one fails', read: original({ phase: 'Failed' }), phase: 'Failed', says: /no complete file/ },
    {
      rule: 'of a damaged file fails',
      read: original(),
      failure: { code: 'Damaged' },
      phase: 'Failed',
      says: /saved cannot be copied: why/,
    },
    {
      rule: 'is tried again after an outage',
      read: original(),
      failure: { code: 'Timeout' },
      phase: 'Running',
      says: /why; attempt 2 follows/,
    },
    { rule: 'waits for what is not read yet', read: { state: 'unread' } },
  ])('$rule', ({ read, failure, phase, says }) => {
    const { status } = copying(copyOf(running), cluster, read, context(failure));
    expect(status?.phase).toBe(phase);
    if (says) expect(status?.conditions?.[0]?.message).toMatch(says);
  });
});
