import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openServer } from './server.fixture.ts';
import { downloadSnapshot } from './snapshot-download.ts';

const database = Buffer.from('the database');
const digest = createHash('sha256').update(database).digest();
const file = Buffer.concat([database, digest]);
const checksum = `sha256:${digest.toString('hex')}`;
const fileChecksum = `sha256:${createHash('sha256').update(file).digest('hex')}`;
const now = Date.parse('2026-11-27T06:00:00Z');
const request = new Date(now).toISOString();

let server: Awaited<ReturnType<typeof openServer>>;
let directory = '';
let to = '';
beforeEach(async () => {
  server = await openServer();
  directory = mkdtempSync(join(tmpdir(), 'capstan-download-'));
  to = join(directory, 'snapshot.db');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A server whose link leads to this content, in pieces. */
const download = async (content: Buffer | Error, status: object = {}) => {
  await server.put({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace: 'default', name: 'one' },
    spec: { clusterName: 'c' },
    status: { phase: 'Succeeded', checksum, size: file.length, revision: 44, download: { request }, ...status },
  });
  await server.put({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'one-download' },
    data: { url: Buffer.from('/link').toString('base64') },
  });
  const client = {
    ...server.client,
    bytes: async function* (path: string) {
      expect(path).toBe('/link');
      if (content instanceof Error) throw content;
      for (let at = 0; at < content.length; at += 5) yield content.subarray(at, at + 5);
    },
  };
  return downloadSnapshot(client, 'one', { to, timeout: 0.001 }, now);
};

it('writes the file that etcdutl restores, for its owner alone', async () => {
  expect(await download(file)).toContain(`is in ${to}: 44 bytes at revision 44, ${fileChecksum}`);
  expect(readFileSync(to)).toEqual(file);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect((await server.get('EtcdSnapshot', 'one')).metadata.annotations).toEqual({ 'capstan.dev/download': request });
});

const other = createHash('sha256').update('another').digest();
it.each([
  { rule: 'that is cut', content: file.subarray(0, -1) },
  { rule: 'that is changed', content: Buffer.concat([Buffer.from('the databasf'), digest]) },
  { rule: 'of another snapshot', content: Buffer.concat([Buffer.from('another'), other]) },
  { rule: 'without content', content: Buffer.alloc(0) },
])('leaves no file $rule', async ({ content }) => {
  await expect(download(content)).rejects.toThrow('its checksum differs');
  expect(existsSync(to)).toBe(false);
});

it.each([
  { rule: 'when the storage breaks off', content: new Error('the connection was closed') },
  { rule: 'when another file arrives', content: Buffer.alloc(40) },
])('says $rule that the file is damaged, and leaves none', async ({ content }) => {
  const verification = { request, time: request, valid: false, message: 'it does not decrypt' };
  await expect(download(content, { verification })).rejects.toThrow(
    'etcdsnapshot one cannot be downloaded: the file is damaged: it does not decrypt',
  );
  expect(existsSync(to)).toBe(false);
  const { annotations } = (await server.get('EtcdSnapshot', 'one')).metadata;
  expect(annotations).toMatchObject({ 'capstan.dev/verify': request });
});

it('says what broke off when the file is whole', async () => {
  const verification = { request, time: request, valid: true };
  await expect(download(new Error('the connection was closed'), { verification })).rejects.toThrow(
    'the connection was closed',
  );
  expect(existsSync(to)).toBe(false);
});

it('replaces no file', async () => {
  writeFileSync(to, 'mine');
  await expect(download(file)).rejects.toThrow(`cannot write ${to}: it exists already; name another file with --to`);
  expect(readFileSync(to, 'utf8')).toBe('mine');
});

it('says why there is no link', async () => {
  await expect(download(file, { download: { request, message: 'a Secret is in its place' } })).rejects.toThrow(
    'etcdsnapshot one cannot be downloaded: a Secret is in its place',
  );
});

it('refuses a snapshot without a file', async () => {
  await expect(download(file, { phase: 'Running' })).rejects.toThrow('is Running: there is no file to download');
});
