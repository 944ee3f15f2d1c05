/** Snapshots of a real etcd, restored and read with etcd's own programs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openObjectDirectory } from '../../adapters/durable/object-directory.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryObjects } from '../../adapters/memory/object-storage.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { createSnapshots } from '../../adapters/snapshots/index.ts';
import { createLinks } from '../../adapters/snapshots/links.ts';
import { fileScratch } from '../../adapters/snapshots/scratch.ts';
import { sealedStorage } from '../../adapters/snapshots/sealed.ts';
import { snapshotFrom } from '../../adapters/workload/etcd-snapshot.ts';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { connectionOf } from '../../kinds/ports/kubeconfig.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import { etcdDatabase } from '../../simulation/workload/database/etcd.ts';
import { snapshotLines } from '../../simulation/workload/database/stream.ts';
import { countOf, etcdFiles } from './etcd-files.ts';
import { etcdOf, etcdutlOf } from './programs.ts';
import { type RealCluster, startCluster, versions } from './real-cluster.ts';

let cluster: RealCluster;
let etcdutl = '';
let etcd = '';
const directory = mkdtempSync(join(tmpdir(), 'capstan-snapshot-test-'));
beforeAll(async () => {
  [etcdutl, etcd, cluster] = await Promise.all([etcdutlOf(versions.etcd), etcdOf(versions.etcd), startCluster()]);
});
afterAll(async () => {
  await cluster?.stop();
  rmSync(directory, { recursive: true });
});

const storage = sealedStorage(
  openObjectDirectory({ directory: join(directory, 'stored'), clock: systemClock, random: systemRandom }),
  memoryKeys(systemRandom),
);
const transport = httpsTransport();
const { linkTo } = createLinks({ storage, secret: 'secret', clock: systemClock });
const keyStorage = memoryObjects(systemClock);
const local = { storage, keyStorage, linkTo, toScratch: fileScratch, clock: systemClock };
const snapshots = createSnapshots({ transport, ...local });

const contentOf = async (content: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
};
/** The stored file in clear, as an administrator has it. */
const fileOf = async (from: ObjectStorage, location: string): Promise<string> => {
  const path = join(directory, `${location.replaceAll('/', '_')}.plain`);
  writeFileSync(path, await contentOf((await from.get(location))!));
  return path;
};

const { statusOf, restored } = etcdFiles(() => ({ etcdutl, etcd }), directory);

const manifestOf = (revision: number) => ({
  cluster: { namespace: 'default', name: 'demo', uid: 'uid' },
  snapshot: { name: 'real', uid: 'abc' },
  startedAt: '2026-11-27T05:00:00Z',
  member: 'node-b',
  etcdVersion: versions.etcd.slice(1),
  kubernetesVersion: versions.kubernetes,
  revision,
});

describe(`a snapshot of etcd ${versions.etcd}`, () => {
  it('is read through the API server while keys are written, checked, restored by etcdutl and read back', async () => {
    const text = 'x'.repeat(4000);
    for (let i = 0; i < 200; i++)
      await cluster.request('POST', '/api/v1/namespaces/kube-system/configmaps', {
        metadata: { name: `saved-${i}` },
        data: { text },
      });
    const access = cluster.etcdAccess(['node-b']);
    const member = (await createWorkload({ transport }).read('etcdMember', access))!;
    expect(member.version).toBe(versions.etcd.slice(1));
    const location = 'installation/uid/real.db';
    const input = { ...access, location, manifest: manifestOf(member.revision), secrets: [] };
    let isDone = false;
    const writing = (async () => {
      for (let i = 0; !isDone && i < 500; i++)
        await cluster.request('POST', '/api/v1/namespaces/kube-system/configmaps', { metadata: { name: `late-${i}` } });
    })();
    await snapshots.take(input);
    isDone = true;
    await writing;

    const check = (await snapshots.check({ location }))!;
    expect(check).not.toHaveProperty('fault');
    const file = await fileOf(storage, location);
    const status = statusOf(file);
    expect(check.revision).toBe(status.revision);
    expect(check.revision).toBeGreaterThanOrEqual(member.revision);
    expect(check.stored.size).toBe(status.totalSize + 32);
    await restored(file, async (post) => {
      expect(await countOf(post, '/registry/configmaps/kube-system/saved-')).toBe(200);
      const { members } = (await post('/v3/cluster/member/list', {})) as { members: { name: string }[] };
      expect(members.map(({ name }) => name)).toEqual(['node-x']);
    });
  });

  it('of a refused client is an error of etcd or TLS, without a file', async () => {
    const location = 'installation/uid/refused.db';
    const input = { ...cluster.etcdAccess(['node-a']), location, manifest: manifestOf(1), secrets: [] };
    const { certificate: clientCertificate, key: clientKey } = cluster.authorities.cluster;
    await expect(snapshots.take({ ...input, clientCertificate, clientKey })).rejects.toMatchObject({
      name: 'WorkloadError',
    });
    expect(await storage.get(location)).toBeUndefined();
  });

  it('of a member that dies in the middle is short, without a file', async () => {
    const location = 'installation/uid/killed.db';
    const input = { ...cluster.etcdAccess(['node-c']), location, manifest: manifestOf(1), secrets: [] };
    const killing: typeof transport = {
      ...transport,
      etcdStream: async (...call) => {
        const stream = await transport.etcdStream(...call);
        return (async function* () {
          let seen = 0;
          for await (const chunk of stream) {
            yield chunk;
            if (seen++ === 0) await cluster.stopProcess('node-c');
          }
        })();
      },
    };
    const interrupted = createSnapshots({ transport: killing, ...local });
    await expect(interrupted.take(input)).rejects.toMatchObject({ name: 'WorkloadError' });
    expect(await storage.get(location)).toBeUndefined();
    cluster.startMember('node-c');
  });
});

describe('a snapshot of a simulated etcd', () => {
  const objects = Array.from({ length: 500 }, (_, i) => {
    const metadata = { namespace: 'default', name: `simulated-${i}` };
    return [
      'configmaps',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'y'.repeat(i * 31) } },
    ] as const;
  });

  it('is restored by etcdutl and read back like a real one', async () => {
    const { content } = snapshotFrom(snapshotLines(etcdDatabase({ objects, revision: 9000 }), '3.6.0'));
    const file = join(directory, 'simulated.db');
    writeFileSync(file, await contentOf(content));
    expect(statusOf(file).revision).toBe(9000);
    await restored(file, async (post) =>
      expect(await countOf(post, '/registry/configmaps/default/simulated-')).toBe(500),
    );
  });

  it('arrives in lines of the same fields', async () => {
    const fieldsOf = async (chunks: AsyncIterable<Uint8Array>) => {
      const lines = (await contentOf(chunks)).toString('utf8').trimEnd().split('\n');
      const results = lines.map((line) => (JSON.parse(line) as { result: Record<string, unknown> }).result);
      const types = (result: Record<string, unknown>) =>
        Object.entries(result).map(([field, value]) => `${field} ${typeof value}`);
      const [first, last] = [results[0]!, results.at(-1)!];
      return {
        first: types(first).sort(),
        last: types(last).sort(),
        chunk: Buffer.from(String(first.blob), 'base64').length,
        hash: Buffer.from(String(last.blob), 'base64').length,
      };
    };
    const { kubeconfig: _, nodes: __, ...proof } = cluster.etcdAccess();
    const connection = connectionOf(cluster.kubeconfig);
    const real = await transport.etcdStream({ connection, node: 'node-a', ...proof }, '/v3/maintenance/snapshot', {});
    const format = versions.etcd.startsWith('v3.5.') ? '' : '3.6.0';
    const simulated = snapshotLines(etcdDatabase({ objects, revision: 9000 }), format);
    expect(await fieldsOf(simulated)).toEqual(await fieldsOf(real));
  });
});
