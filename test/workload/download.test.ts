/** What `capstan snapshot download` writes, opened with etcd's own programs. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openObjectDirectory } from '../../adapters/durable/object-directory.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { createLinks } from '../../adapters/snapshots/links.ts';
import { sealedStorage } from '../../adapters/snapshots/sealed.ts';
import { snapshotFrom } from '../../adapters/workload/etcd-snapshot.ts';
import type { ApiClient } from '../../cli/client.ts';
import { downloadSnapshot } from '../../cli/snapshot-download.ts';
import { base64, countOf, etcdFiles } from './etcd-files.ts';
import { etcdOf, etcdutlOf } from './programs.ts';
import { versions } from './real-cluster.ts';

let programs: { etcdutl: string; etcd: string };
const directory = mkdtempSync(join(tmpdir(), 'capstan-download-test-'));
const { running, statusOf, restored } = etcdFiles(() => programs, directory);
const storage = sealedStorage(
  openObjectDirectory({ directory: join(directory, 'stored'), clock: systemClock, random: systemRandom }),
  memoryKeys(systemRandom),
);
const links = createLinks({ storage, secret: 'secret', clock: systemClock });
let server: Server;
beforeAll(async () => {
  const [etcdutl, etcd] = await Promise.all([etcdutlOf(versions.etcd), etcdOf(versions.etcd)]);
  programs = { etcdutl, etcd };
  // Serves like a bucket: a client needs only the presigned link.
  server = createServer(async (request, response) => {
    const content = await links.open(request.url ?? '');
    if (!content) return void response.writeHead(403).end();
    await pipeline(Readable.from(content), response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/** Stores a snapshot of a real etcd with fifty keys. */
const store = async (location: string) => {
  let taken = { checksum: '', revision: 0 };
  const data = mkdtempSync(join(directory, 'source-'));
  await running(['--name=source'], join(data, 'etcd'), async (post, at) => {
    for (let i = 0; i < 50; i++)
      await post('/v3/kv/put', { key: base64(`/registry/configmaps/default/map-${i}`), value: base64('x'.repeat(i)) });
    const { header } = (await post('/v3/maintenance/status', {})) as { header: { revision: string } };
    const { body } = await fetch(`${at}/v3/maintenance/snapshot`, { method: 'POST', body: '{}' });
    const { content, summary } = snapshotFrom(body!);
    await storage.put(location, content);
    taken = { checksum: summary().checksum, revision: Number(header.revision) };
  });
  return taken;
};

/** A control plane that answers each request for a download with a link. */
const controlPlane = (location: string, status: object): ApiClient => {
  let request: unknown;
  const json = async (method: string, path: string, { body = '{}' } = {}) => {
    if (method === 'PATCH')
      request = (JSON.parse(body) as { metadata: { annotations: object } }).metadata.annotations[
        'capstan.dev/download' as never
      ];
    const { port } = server.address() as AddressInfo;
    if (path.includes('/secrets/'))
      return { data: { url: base64(`http://127.0.0.1:${port}${await links.linkTo(location, 60)}`) } };
    return { metadata: { name: 'real' }, status: { phase: 'Succeeded', ...status, download: { request } } };
  };
  return { namespace: 'default', json } as unknown as ApiClient;
};

describe(`a downloaded snapshot of etcd ${versions.etcd}`, () => {
  it.each([
    { rule: 'under a name of today', location: 'capstan/uid/20261127T050010Z-40-12345678.db' },
    { rule: 'under a name of older versions', location: 'capstan/uid/2026-11-27T05:00:10Z-40-12345678.db' },
  ])('is restored by etcdutl and read back, $rule', async ({ location }) => {
    const taken = await store(location);
    const to = join(mkdtempSync(join(directory, 'downloaded-')), 'snapshot.db');
    const report = await downloadSnapshot(controlPlane(location, taken), 'real', { to }, Date.now());
    expect(report).toContain(`etcdsnapshot/real is in ${to}`);
    expect(statusOf(to).revision).toBe(taken.revision);
    await restored(to, async (post) => {
      expect(await countOf(post, '/registry/configmaps/default/map-')).toBe(50);
      const { members } = (await post('/v3/cluster/member/list', {})) as { members: { name: string }[] };
      expect(members.map(({ name }) => name)).toEqual(['node-x']);
    });
  });

  it('that is another one leaves no file', async () => {
    const location = 'capstan/uid/other.db';
    await store(location);
    const to = join(directory, 'other.db');
    const checksum = `sha256:${'0'.repeat(64)}`;
    await expect(downloadSnapshot(controlPlane(location, { checksum }), 'real', { to }, Date.now())).rejects.toThrow(
      'its checksum differs',
    );
    expect(existsSync(to)).toBe(false);
  });
});
