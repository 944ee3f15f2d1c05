import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { EtcdConnection } from '../../kinds/ports/transport.ts';
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { BrokenDatabase } from '../../machinery/bolt.ts';
import { etcdDatabase } from '../../simulation/workload/database/etcd.ts';
import { snapshotLines } from '../../simulation/workload/database/stream.ts';
import { memoryObjects } from '../memory/object-storage.ts';
import { accessFixture } from './access.fixture.ts';
import { createSnapshots } from './index.ts';
import { inspect } from './inspect.ts';
import { fileScratch, memoryScratch } from './scratch.ts';

const location = 'installation/uid/2026-11-27T05:00:00Z-40-abc.db';
const manifest = {
  cluster: { namespace: 'default', name: 'demo', uid: 'uid' },
  snapshot: { name: 'before', uid: 'abc' },
  startedAt: '2026-11-27T05:00:00Z',
  member: 'node-b',
  etcdVersion: '3.6.6',
  kubernetesVersion: 'v1.35.0',
  revision: 40,
};
const input = { ...accessFixture, location, manifest };

const objects = Array.from({ length: 300 }, (_, i) => {
  const metadata = { namespace: 'default', name: `map-${i}` };
  return ['configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x'.repeat(i * 97) } }] as const;
});
const database = etcdDatabase({ objects, revision: 4711 });

type Lines = (lines: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;
const as: Lines = (lines) => lines;

const worldOf = (change: Lines = as, { now = (): number => 0, file = database } = {}) => {
  const storage = memoryObjects({ now });
  const asked: string[] = [];
  const snapshots = createSnapshots({
    transport: {
      etcdStream: async ({ node }: EtcdConnection, path: string) => {
        asked.push(`${node} ${path}`);
        return change(snapshotLines(file, '3.6.0'));
      },
    },
    storage,
    keyStorage: memoryObjects({ now }),
    linkTo: async (key, seconds) => `link to ${key} for ${seconds} s`,
    toScratch: memoryScratch,
    clock: { now },
  });
  return { storage, asked, ...snapshots };
};

/** The stream in pieces that end anywhere in a line. */
async function* inPieces(lines: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const line of lines)
    for (let at = 0; at < line.length; at += 1000) yield Buffer.from(line).subarray(at, at + 1000);
}
const until = (count: number, then?: () => Uint8Array): Lines =>
  async function* (lines) {
    let left = count;
    for await (const line of lines) {
      if (left-- > 0) yield line;
      else break;
    }
    if (then) yield then();
  };

/** As sha256sum prints it. */
const fileChecksum = async (storage: ReturnType<typeof memoryObjects>): Promise<string> => {
  const hash = createHash('sha256');
  for await (const chunk of (await storage.get(location))!) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
};

describe('a snapshot', () => {
  it('is read from the named member, stored with its hash, and found complete', async () => {
    const { take, check, asked, storage } = worldOf(inPieces);
    await take(input);
    expect(asked).toEqual(['node-b /v3/maintenance/snapshot']);
    expect(storage.keys()).toEqual([location.replace('.db', '.json'), location].sort());
    expect(await check({ location })).toEqual({
      stored: {
        size: database.length + 32,
        checksum: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        fileChecksum: await fileChecksum(storage),
        member: 'node-b',
        etcdVersion: '3.6.6',
      },
      revision: 4711,
      keys: 300,
    });
  });

  it.each<{ rule: string; change: Lines; says: RegExp }>([
    { rule: 'a stream that ends early', change: until(20), says: /it is short/ },
    { rule: 'a stream without its hash', change: until(Math.ceil(database.length / 32_768)), says: /it is short/ },
    { rule: 'an empty stream', change: until(0), says: /it is short/ },
    {
      rule: 'an error in the stream',
      change: until(3, () => Buffer.from('{"error":{"grpc_code":14,"message":"etcdserver: server stopped"}}\n')),
      says: /server stopped/,
    },
    { rule: 'a line that is no JSON', change: until(3, () => Buffer.from('<html>\n')), says: /no part of a snapshot/ },
    {
      rule: 'a broken connection',
      change: until(3, () => {
        throw new WorkloadError('Unreachable', 'broke off');
      }),
      says: /broke off/,
    },
  ])('of $rule leaves nothing, and the caller retries at its own interval', async ({ change, says }) => {
    const { take, check, storage } = worldOf(change);
    const taken = take(input);
    await expect(taken).rejects.toThrow(says);
    await expect(taken).rejects.toMatchObject({ consequence: 'wait' });
    expect(storage.keys()).toEqual([]);
    expect(await check({ location })).toBeUndefined();
  });

  it('ends before its pass loses its lease', async () => {
    let now = 0;
    const { take, storage } = worldOf(as, { now: () => (now += 10_000) });
    await expect(take(input)).rejects.toMatchObject({ code: 'Timeout' });
    expect(storage.keys()).toEqual([]);
  });

  it('replaces what an attempt left that died before its manifest', async () => {
    const { take, check, storage } = worldOf();
    await storage.put(location, until(1)(snapshotLines(database, '3.6.0')));
    expect(await check({ location })).toBeUndefined();
    await take(input);
    expect(await check({ location })).not.toHaveProperty('fault');
  });

  it('is deleted with its manifest', async () => {
    const { take, storage, delete: remove } = worldOf();
    await take(input);
    for (let i = 0; i < 2; i++) await remove({ location });
    expect(storage.keys()).toEqual([]);
  });
});

describe('a check', () => {
  const damaged = (at: number): Buffer => {
    const file = Buffer.from(database);
    file[at] = file[at]! ^ 0xff;
    return file;
  };
  const scratchOf = async (file: Buffer) =>
    memoryScratch(
      (async function* () {
        yield file;
      })(),
    );

  it('finds a file that is gone', async () => {
    const { take, check, storage } = worldOf();
    await take(input);
    await storage.delete(location);
    expect(await check({ location })).toMatchObject({ fault: 'the file is gone' });
  });

  it('finds another valid file in its place', async () => {
    const { take, check, storage } = worldOf();
    await take(input);
    const other = worldOf(as, { file: etcdDatabase({ objects, revision: 4712 }) });
    await other.take(input);
    await storage.delete(location);
    await storage.put(location, (await other.storage.get(location))!);
    expect(await check({ location })).toMatchObject({ fault: /not the one that was stored/ });
  });

  it('finds a file of a member that was behind', async () => {
    const { take, check } = worldOf();
    await take({ ...input, manifest: { ...manifest, revision: 5000 } });
    expect(await check({ location })).toMatchObject({ fault: /before revision 5000/ });
  });

  it.each([
    4096 * 3 + 8,
    4096 * 2 + 4096,
    database.length - 4096,
  ])('finds pages that etcd could not read, though the hash matches: byte %i', async (at) => {
    const { take, check } = worldOf(as, { file: damaged(at) });
    await take(input);
    expect(await check({ location })).toMatchObject({ fault: /the database is damaged/ });
  });

  it('reads the second meta page when the first one is damaged', async () => {
    const { take, check } = worldOf(as, { file: damaged(4096 - 4096 + 20) });
    await take(input);
    expect(await check({ location })).toMatchObject({ revision: 4711 });
  });

  it('finds a changed byte by the hash', async () => {
    const file = Buffer.concat([damaged(9000), Buffer.alloc(32)]);
    const scratch = await scratchOf(file);
    expect(() => inspect(scratch)).toThrow('does not match the hash');
    expect(BrokenDatabase.name).toBe('BrokenDatabase');
  });
});

it('a scratch file reads any part, and has no name', async () => {
  const scratch = await fileScratch(
    (async function* () {
      for (let i = 0; i < 5; i++) yield Buffer.alloc(1000, i);
    })(),
  );
  expect(scratch.size).toBe(5000);
  expect([...scratch.read(2998, 4)]).toEqual([2, 2, 3, 3]);
  expect(scratch.read(4990, 100)).toHaveLength(10);
  scratch.dispose();
});
