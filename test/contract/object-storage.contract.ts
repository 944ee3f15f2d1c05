/** What every storage of large objects does. */
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ObjectStorage } from '../../machinery/object-storage.ts';

async function* inChunks(bytes: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function* brokenAfter(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* inChunks(bytes);
  throw new Error('the source broke off');
}
const bytesOf = async (content: AsyncIterable<Uint8Array> | undefined): Promise<Buffer | undefined> => {
  if (!content) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks);
};

/** Milliseconds by which the clock of a storage may differ. */
const tolerance = 5000;

export const objectStorageContract = (name: string, open: () => ObjectStorage) =>
  describe(`the storage of large objects: ${name}`, () => {
    const key = 'installation/cluster/2026-11-27T05:00:00Z-7.db';

    it.each([0, 1, 65_536, 65_552, 131_072, 700_001])('returns what was put: %i bytes', async (size) => {
      const [storage, bytes] = [open(), randomBytes(size)];
      await storage.put(key, inChunks(bytes));
      expect((await bytesOf(await storage.get(key)))?.equals(bytes)).toBe(true);
    });

    it('has no object that was never put', async () => expect(await open().get(key)).toBeUndefined());

    it('shows nothing of content that breaks off', async () => {
      const storage = open();
      await expect(storage.put(key, brokenAfter(randomBytes(200_000)))).rejects.toThrow('broke off');
      expect(await storage.get(key)).toBeUndefined();
      await storage.put(key, inChunks(Buffer.from('whole')));
      expect((await bytesOf(await storage.get(key)))?.toString()).toBe('whole');
    });

    it('never replaces an object', async () => {
      const storage = open();
      await storage.put(key, inChunks(Buffer.from('first')));
      await expect(storage.put(key, inChunks(Buffer.from('second')))).rejects.toMatchObject({ name: 'KeyTaken' });
      expect((await bytesOf(await storage.get(key)))?.toString()).toBe('first');
    });

    it('keeps the first of two that are written at once', async () => {
      const storage = open();
      const both = [randomBytes(100_000), randomBytes(100_000)];
      const ends = await Promise.allSettled(both.map((bytes) => storage.put(key, inChunks(bytes, 9000))));
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const winner = both[ends.findIndex(({ status }) => status === 'fulfilled')]!;
      expect((await bytesOf(await storage.get(key)))?.equals(winner)).toBe(true);
    });

    it('deletes an object, and counts an absent one as deleted', async () => {
      const storage = open();
      await storage.put(key, inChunks(Buffer.from('gone')));
      for (let i = 0; i < 2; i++) await storage.delete(key);
      expect(await storage.get(key)).toBeUndefined();
      await storage.put(key, inChunks(Buffer.from('again')));
      expect((await bytesOf(await storage.get(key)))?.toString()).toBe('again');
    });

    const textOf = async (content: Promise<AsyncIterable<Uint8Array> | undefined>) =>
      (await bytesOf(await content))?.toString();

    it('keeps what was deleted, with its time, until its key has an object again', async () => {
      const storage = open();
      const keys = ['kept/one.db', 'kept/deep/two.db', 'kept/three.db', 'other/four.db'];
      for (const one of keys) await storage.put(one, inChunks(Buffer.from(`in ${one}`)));
      expect(await storage.deleted('kept/')).toEqual([]);
      const began = Date.now();
      // A repeated deletion is none.
      for (const one of [...keys, keys[0]!, 'kept/never.db']) if (one !== 'kept/three.db') await storage.delete(one);
      const deleted = await storage.deleted('kept/');
      expect(deleted.map((one) => one.key)).toEqual(['kept/deep/two.db', 'kept/one.db']);
      for (const { deletedAt } of deleted) {
        expect(deletedAt).toBeGreaterThan(began - tolerance);
        expect(deletedAt).toBeLessThan(Date.now() + tolerance);
      }
      expect(await textOf(storage.getDeleted('kept/one.db'))).toBe('in kept/one.db');
      expect(await storage.getDeleted('kept/three.db')).toBeUndefined();
      expect(await storage.getDeleted('kept/never.db')).toBeUndefined();
      await storage.put('kept/one.db', inChunks(Buffer.from('new')));
      expect((await storage.deleted('kept/')).map((one) => one.key)).toEqual(['kept/deep/two.db']);
      expect(await storage.getDeleted('kept/one.db')).toBeUndefined();
    });
  });
