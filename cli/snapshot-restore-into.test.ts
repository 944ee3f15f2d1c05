import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { aCluster, openServer } from './server.fixture.ts';
import { restoreInto } from './snapshot-restore-into.ts';

const now = Date.parse('2026-11-27T06:00:00Z');
const put = (name: string, valid: boolean) => {
  const time = new Date(now).toISOString();
  return server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name },
    spec: { clusterName: 'c' },
    status: {
      phase: 'Succeeded',
      completedAt: '2026-11-27T05:00:00Z',
      verification: { request: time, time, valid, message: 'torn' },
    },
  });
};

let server: Awaited<ReturnType<typeof openServer>>;
const file = join(mkdtempSync(join(tmpdir(), 'capstan-into-')), 'second.yaml');
const manifest = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata:
  name: second
  annotations: {team: shop}
spec:
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: AWSCluster, name: second}
`;
beforeEach(async () => {
  writeFileSync(file, manifest);
  server = await openServer();
  await put('one', true);
});

describe('a restore into a new cluster', () => {
  it('creates the cluster of the manifest, which names the snapshot', async () => {
    const without = 'deployments/kube-system/external-dns';
    const report = await restoreInto(server.client, 'one', { into: 'second', filename: file, without }, now);
    expect(report).toMatch(
      /cluster\/second created\nCluster second begins with the state of 2026-11-27T05:00:00Z of c/,
    );
    expect((await server.get('Cluster', 'second')).metadata.annotations).toEqual({
      team: 'shop',
      'capstan.dev/restore-from': 'one',
      'capstan.dev/restore-without': without,
    });
  });

  it.each([
    { rule: 'needs a manifest', options: { into: 'second' }, says: /name the manifest of Cluster second with -f FILE/ },
    {
      rule: 'needs the cluster in it',
      options: { into: 'third', filename: file },
      says: /has no Cluster third in namespace default/,
    },
    {
      rule: 'needs the snapshot',
      snapshot: 'two',
      options: { into: 'second', filename: file },
      says: /"two" not found/,
    },
    {
      rule: 'reports a manifest that cannot be read',
      options: { into: 'second', filename: `${file}-none` },
      says: /cannot read .*ENOENT/,
    },
  ])('$rule', async ({ snapshot = 'one', options, says }) => {
    await expect(restoreInto(server.client, snapshot, options)).rejects.toThrow(says);
  });

  it('creates nothing with a file that is damaged', async () => {
    await put('damaged', false);
    const into = { into: 'second', filename: file };
    await expect(restoreInto(server.client, 'damaged', into, now)).rejects.toThrow('damaged cannot be restored: torn');
    expect(await server.get('Cluster', 'second')).toBeUndefined();
  });

  it('does not take a cluster that exists', async () => {
    await server.put({ ...aCluster({}), metadata: { namespace: 'default', name: 'second' } });
    await expect(restoreInto(server.client, 'one', { into: 'second', filename: file })).rejects.toThrow(
      /Cluster second exists already/,
    );
  });
});
