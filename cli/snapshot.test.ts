import { beforeEach, describe, expect, it } from 'vitest';
import type { EtcdSnapshotStatus } from '../kinds/capstan/etcd-snapshot/index.ts';
import type { ApiClient } from './client.ts';
import { aCluster, openServer } from './server.fixture.ts';
import { createSnapshot, listSnapshots, verifySnapshot } from './snapshot.ts';

let server: Awaited<ReturnType<typeof openServer>>;
beforeEach(async () => {
  server = await openServer();
});

const complete: EtcdSnapshotStatus = {
  phase: 'Succeeded',
  completedAt: '2026-11-27T05:00:00Z',
  size: 4128,
  revision: 44,
  member: 'node-b',
  etcdVersion: '3.6.6',
  checksum: 'sha256:ab',
  conditions: [
    { type: 'Ready', status: 'True', reason: 'Complete', message: '', lastTransitionTime: '2026-11-27T05:00:00Z' },
  ],
};
const put = (name: string, status: EtcdSnapshotStatus, clusterName = 'c') =>
  server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name },
    spec: { clusterName },
    status,
  });

describe('capstan snapshot create', () => {
  it('refuses a cluster that is not there', async () => {
    await expect(createSnapshot(server.client, 'nowhere', {})).rejects.toThrow(
      'clusters.cluster.x-k8s.io "nowhere" not found in namespace default',
    );
  });

  it('refuses a cluster whose etcd a service runs', async () => {
    const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'AWSManagedControlPlane', name: 'c' };
    await server.put(aCluster({}, { controlPlaneRef }));
    await expect(createSnapshot(server.client, 'c', {})).rejects.toThrow(
      'The etcd of Cluster c is run by the service behind its AWSManagedControlPlane',
    );
    expect(await listSnapshots(server.client, 'c', {})).toBe('No resources found.');
  });

  it('creates a manual snapshot of the cluster', async () => {
    await server.put(aCluster());
    const output = await createSnapshot(server.client, 'c', { wait: false });
    const name = /^etcdsnapshot\/(c-\w+) created$/.exec(output)![1]!;
    expect((await server.get('EtcdSnapshot', name)).spec).toMatchObject({ clusterName: 'c', reason: 'Manual' });
  });

  it('reports at once what it waits for', async () => {
    await server.put(aCluster());
    const message = 'The API server of Cluster c does not answer';
    const condition = { type: 'Ready', status: 'False', reason: 'ClusterUnreachable', message } as const;
    const conditions = [{ ...condition, lastTransitionTime: '2026-11-27T05:00:00Z' }];
    const json: ApiClient['json'] = async (method, ...call) => ({
      ...(await server.client.json(method, ...call)),
      ...(method === 'GET' && { status: { phase: 'Pending', conditions } }),
    });
    const lines: string[] = [];
    await expect(
      createSnapshot({ ...server.client, json }, 'c', { timeout: 0.001, report: (line) => lines.push(line) }),
    ).rejects.toThrow(message);
    expect(lines).toEqual([expect.stringMatching(/^waiting for etcdsnapshot c-\w+: The API server of Cluster c/)]);
  });

  it('says what it waits for when its time is over', async () => {
    await server.put(aCluster());
    await expect(createSnapshot(server.client, 'c', { timeout: 0.001 })).rejects.toThrow(/no controller has looked/);
  });
});

describe('capstan snapshot list', () => {
  it('shows the snapshots of one cluster', async () => {
    await put('one', complete);
    await put('two', {}, 'other');
    expect((await listSnapshots(server.client, 'c', {})).split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
      ['NAME', 'CLUSTER', 'REASON', 'PHASE', 'READY', 'COMPLETED', 'SIZE', 'REVISION'],
      ['one', 'c', 'Manual', 'Succeeded', 'True', '2026-11-27T05:00:00Z', '4128', '44'],
    ]);
    expect(await listSnapshots(server.client, undefined, {})).toContain('two');
    expect(await listSnapshots(server.client, 'none', {})).toBe('No resources found.');
  });
});

describe('capstan snapshot verify', () => {
  const now = Date.parse('2026-11-27T06:00:00Z');
  const request = new Date(now).toISOString();
  const answered = (valid: boolean): EtcdSnapshotStatus => ({
    ...complete,
    verification: { request, time: request, valid, message: 'the file is gone', revision: 46, keys: 9 },
  });
  const verify = (name: string) => verifySnapshot(server.client, name, { timeout: 0.001 }, now);

  it('says what a good file proves', async () => {
    await put('good', answered(true));
    expect(await verify('good')).toMatch(
      /^etcdsnapshot\/good is valid: 4128 bytes, revision 44, 9 revisions of keys up to 46\n/,
    );
    expect((await server.get('EtcdSnapshot', 'good')).metadata.annotations).toEqual({ 'capstan.dev/verify': request });
  });

  it('fails for a damaged file', async () => {
    await put('bad', answered(false));
    await expect(verify('bad')).rejects.toMatchObject({
      message: 'etcdsnapshot bad cannot be restored: the file is gone',
      exitCode: 1,
    });
  });

  it('refuses a snapshot that is not complete', async () => {
    await put('early', { phase: 'Running' });
    await expect(verify('early')).rejects.toThrow('is Running: there is no file to check');
  });
});
