import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openObjectDirectory } from '../../adapters/durable/object-directory.ts';
import { systemClock } from '../../adapters/memory/clock.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryObjects } from '../../adapters/memory/object-storage.ts';
import { systemRandom } from '../../adapters/memory/random.ts';
import { sealedStorage } from '../../adapters/snapshots/sealed.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import { objectStorageContract } from './object-storage.contract.ts';

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});
const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-objects-'));
  directories.push(directory);
  return directory;
};
const inDirectory = (directory = newDirectory(), now = systemClock.now) =>
  openObjectDirectory({ directory, clock: { now }, random: systemRandom });

objectStorageContract('memory', () => memoryObjects(systemClock));
objectStorageContract('a directory', inDirectory);
objectStorageContract('an encrypted directory', () => sealedStorage(inDirectory(), memoryKeys(systemRandom)));

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
const day = 24 * 3600 * 1000;

describe('a directory', () => {
  const filesIn = (directory: string) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);

  it('loses the part of a writer that died after a day', async () => {
    const directory = newDirectory();
    const storage = inDirectory(directory);
    await storage.put('a/one.db', one('1'));
    for (const [name, age] of [
      ['old', 2 * day],
      ['new', 0],
    ] as const) {
      const path = join(directory, 'a', `two.db.${name}.part`);
      writeFileSync(path, 'half');
      utimesSync(path, new Date(Date.now() - age), new Date(Date.now() - age));
    }
    await storage.put('a/three.db', one('3'));
    expect(filesIn(directory).sort()).toEqual(['one.db', 'three.db', 'two.db.new.part']);
  });

  it('keeps a deleted file for thirty days', async () => {
    const directory = newDirectory();
    await inDirectory(directory).put('a/one.db', one('1'));
    await inDirectory(directory).delete('a/one.db');
    await inDirectory(directory, () => Date.now() + 29 * day).delete('a/none.db');
    expect(filesIn(directory)).toHaveLength(1);
    await inDirectory(directory, () => Date.now() + 31 * day).delete('a/none.db');
    expect(filesIn(directory)).toEqual([]);
  });

  it('lists a deleted file for thirty days, also if nothing has removed it since', async () => {
    const directory = newDirectory();
    await inDirectory(directory).put('a/one.db', one('1'));
    await inDirectory(directory).delete('a/one.db');
    const inDays = (days: number) => inDirectory(directory, () => Date.now() + days * day);
    expect(await inDays(29).deleted('a/')).toMatchObject([{ key: 'a/one.db' }]);
    expect(await inDays(31).deleted('a/')).toEqual([]);
    expect(await inDays(31).getDeleted('a/one.db')).toBeUndefined();
  });

  it('does not list files that an older version deleted, of which it kept no key', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, '.deleted'));
    writeFileSync(join(directory, '.deleted', '7b9d-one.db'), '1');
    expect(await inDirectory(directory).deleted('')).toEqual([]);
  });

  it.each(['../outside', 'a/../../outside', 'a//b', '.deleted/x'])('refuses the key %s', async (key) => {
    await expect(inDirectory().put(key, one('x'))).rejects.toThrow('is no key');
  });
});

describe('an encrypted object', () => {
  const secret = `secret ${'x'.repeat(200_000)}`;
  const sealedIn = async (change: (bytes: Buffer) => Buffer) => {
    const [plain, keys] = [memoryObjects(systemClock), memoryKeys(systemRandom)];
    await sealedStorage(plain, keys).put('a.db', one(secret));
    const changed: ObjectStorage = {
      ...plain,
      get: async (key) => {
        const chunks: Uint8Array[] = [];
        for await (const chunk of (await plain.get(key))!) chunks.push(chunk);
        const bytes = change(Buffer.concat(chunks));
        return (async function* () {
          yield bytes;
        })();
      },
    };
    let text = '';
    for await (const chunk of (await sealedStorage(changed, keys).get('a.db'))!) text += Buffer.from(chunk).toString();
    return text;
  };

  it('is not readable in its storage', async () => {
    let stored = '';
    expect(
      await sealedIn((bytes) => {
        stored = bytes.toString('latin1');
        return bytes;
      }),
    ).toBe(secret);
    expect(stored).not.toContain('secret');
  });

  it.each<{ rule: string; change: (bytes: Buffer) => Buffer }>([
    { rule: 'a changed byte', change: (bytes) => Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)]) },
    { rule: 'a missing last segment', change: (bytes) => bytes.subarray(0, 62 + 2 * (65_536 + 16)) },
    { rule: 'a missing end', change: (bytes) => bytes.subarray(0, -5) },
    {
      rule: 'a changed head',
      change: (bytes) => Buffer.concat([bytes.subarray(0, 20), Buffer.from([bytes[20]! ^ 1]), bytes.subarray(21)]),
    },
    { rule: 'nothing but a head', change: (bytes) => bytes.subarray(0, 20) },
  ])('with $rule is damaged', async ({ change }) => {
    await expect(sealedIn(change)).rejects.toMatchObject({ name: 'ObjectDamaged' });
  });
});
