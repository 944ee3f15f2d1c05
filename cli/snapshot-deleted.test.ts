import { beforeEach, describe, expect, it } from 'vitest';
import type { EtcdSnapshotStatus } from '../kinds/capstan/etcd-snapshot/index.ts';
import type { SnapshotListRequestStatus } from '../kinds/capstan/snapshot-list-request/index.ts';
import type { ApiClient } from './client.ts';
import { aCluster, openServer } from './server.fixture.ts';
import { listDeletedSnapshots, recoverSnapshot } from './snapshot-deleted.ts';

type Deleted = NonNullable<SnapshotListRequestStatus['snapshots']>[number];
const kept = (name: string, id: string): Deleted => ({
  name,
  clusterName: 'c',
  clusterUID: 'uid',
  location: `here/uid/${id}.db`,
  startedAt: '2026-11-01T00:00:00Z',
  deletedAt: '2026-11-20T00:00:00Z',
  keptUntil: '2026-12-20T00:00:00Z',
  revision: 44,
  size: 4128,
});

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});

/** What controllers would answer. */
const answering = (list: SnapshotListRequestStatus, snapshot: EtcdSnapshotStatus = {}): ApiClient => {
  const json: ApiClient['json'] = async (method, path, ...more) => {
    const answer = await server.client.json(method, path, ...more);
    if (method !== 'GET') return answer as never;
    return { ...(answer as object), status: path.includes('listrequests') ? list : snapshot } as never;
  };
  return { ...server.client, json };
};
const time = '2026-11-30T00:00:00Z';

describe('capstan snapshot list --deleted', () => {
  it('shows what is kept and until when, and leaves no request', async () => {
    const shown = await listDeletedSnapshots(answering({ time, snapshots: [kept('a', '1')], omitted: 3 }), 'c', {});
    expect(shown.split('\n').map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['NAME', 'CLUSTER', 'TAKEN', 'DELETED', 'KEPT UNTIL', 'SIZE', 'REVISION'],
      ['a', 'c', '2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z', '2026-12-20T00:00:00Z', '4128', '44'],
      ['and 3 that were deleted earlier; name their cluster to see more'],
    ]);
    const left = await server.client.json<{ items: unknown[] }>(
      'GET',
      '/apis/capstan.dev/v1alpha1/namespaces/default/snapshotlistrequests',
    );
    expect(left.items).toEqual([]);
  });

  it('says why the storage does not answer', async () => {
    await expect(
      listDeletedSnapshots(answering({ message: 'AccessDenied' }), undefined, { timeout: 0.001 }),
    ).rejects.toThrow(/was not asked within 0.001 s: AccessDenied/);
  });
});

describe('capstan snapshot recover', () => {
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'Damaged',
    message: 'it is damaged',
    lastTransitionTime: time,
  } as const;

  it('makes an EtcdSnapshot of the key, and tells what to do with it', async () => {
    const client = answering(
      { time, snapshots: [kept('b', '2'), kept('a', '1')] },
      { phase: 'Succeeded', size: 4128, revision: 44 },
    );
    expect(await recoverSnapshot(client, 'a', { as: 'back' })).toMatch(
      /^etcdsnapshot\/back is recovered and valid: 4128 bytes/,
    );
    expect((await server.get('EtcdSnapshot', 'back')).spec).toMatchObject({
      clusterName: 'c',
      reason: 'Recovery',
      recover: { location: 'here/uid/1.db' },
    });
  });

  it.each([
    { rule: 'its Cluster is there', clusterUID: undefined, advised: true },
    { rule: 'its Cluster is gone', isGone: true, advised: false },
    { rule: 'another Cluster has the name', clusterUID: 'former', advised: false },
  ])('advises a restore in place when $rule: $advised', async ({ clusterUID, isGone, advised }) => {
    if (!isGone) await server.put(aCluster());
    const { uid } = isGone ? {} : (await server.get('Cluster', 'c')).metadata;
    const snapshots = [{ ...kept('a', '1'), clusterUID: clusterUID ?? uid ?? 'uid' }];
    const report = await recoverSnapshot(answering({ time, snapshots }, { phase: 'Succeeded' }), 'a', { as: 'back' });
    expect(report.includes('To return Cluster c to it:')).toBe(advised);
    expect(report).toContain('snapshot restore back --into NEW -f FILE');
  });

  const failing: EtcdSnapshotStatus = { phase: 'Failed', conditions: [ready] };
  it('frees its name when it fails', async () => {
    const list = { time, snapshots: [kept('a', '1')] };
    await expect(recoverSnapshot(answering(list, failing), 'a', {})).rejects.toThrow(/could not be recovered/);
    expect(await recoverSnapshot(answering(list, { phase: 'Succeeded' }), 'a', {})).toMatch(/is recovered/);
  });

  it('goes on with one that takes longer than a command waited', async () => {
    const list = { time, snapshots: [kept('a', '1')] };
    const running = answering(list, { phase: 'Running' });
    await expect(recoverSnapshot(running, 'a', { timeout: 0.001 })).rejects.toThrow(/is not done/);
    expect(await recoverSnapshot(answering(list, { phase: 'Succeeded' }), 'a', {})).toMatch(/is recovered/);
  });

  it('takes the place of one that failed', async () => {
    await server.put({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { namespace: 'default', name: 'a' },
      spec: { clusterName: 'c', recover: { location: 'here/uid/9.db' } },
      status: failing,
    });
    const list = { time, snapshots: [kept('a', '1')] };
    const json: ApiClient['json'] = async (method, path, ...more) => {
      const answer = await server.client.json(method, path, ...more);
      if (method !== 'GET') return answer as never;
      const { spec } = answer as { spec?: { recover?: { location: string } } };
      const isNew = spec?.recover?.location === 'here/uid/1.db';
      const status = path.includes('listrequests') ? list : isNew ? { phase: 'Succeeded' } : failing;
      return { ...(answer as object), status } as never;
    };
    expect(await recoverSnapshot({ ...server.client, json }, 'a', {})).toMatch(/is recovered/);
  });

  it('leaves a snapshot alone that has the name', async () => {
    await server.put({
      apiVersion: 'capstan.dev/v1alpha1',
      kind: 'EtcdSnapshot',
      metadata: { namespace: 'default', name: 'a' },
      spec: { clusterName: 'c' },
      status: { phase: 'Failed' },
    });
    await expect(recoverSnapshot(answering({ time, snapshots: [kept('a', '1')] }), 'a', {})).rejects.toThrow(
      /already exists/,
    );
  });

  it.each([
    { rule: 'a name of which nothing is kept', name: 'z', says: /nothing is kept of a snapshot z/ },
    {
      rule: 'a name that two had',
      name: 'a',
      says: /2 deleted snapshots had the name a; choose one:\n {2}--location here/,
    },
    { rule: 'a key of another name', name: 'a', location: 'here/uid/3.db', says: /nothing is kept/ },
    { rule: 'a damaged file', name: 'b', says: /could not be recovered: it is damaged/ },
  ])('refuses $rule', async ({ name, location, says }) => {
    const snapshots = [kept('a', '1'), kept('a', '2'), kept('b', '3')];
    const client = answering({ time, snapshots }, { phase: 'Failed', conditions: [ready] });
    await expect(recoverSnapshot(client, name, { ...(location && { location }) })).rejects.toThrow(says);
  });
});
