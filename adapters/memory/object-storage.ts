import { deletedFor, KeyTaken, type ObjectStorage } from '../../machinery/object-storage.ts';
import type { Clock } from '../../machinery/ports.ts';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** In this process. */
export const memoryObjects = (clock: Pick<Clock, 'now'>): ObjectStorage & { keys(): string[] } => {
  const objects = new Map<string, Buffer>();
  const deleted = new Map<string, { bytes: Buffer; deletedAt: number }>();
  const forget = () => {
    for (const [key, { deletedAt }] of deleted) if (clock.now() - deletedAt > deletedFor) deleted.delete(key);
  };
  const kept = (key: string) => {
    forget();
    return objects.has(key) ? undefined : deleted.get(key);
  };
  return {
    put: async (key, content) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of content) chunks.push(chunk);
      if (objects.has(key)) throw new KeyTaken(`${key} is taken`);
      objects.set(key, Buffer.concat(chunks));
    },
    get: async (key) => {
      const bytes = objects.get(key);
      return bytes && once(bytes);
    },
    delete: async (key) => {
      forget();
      const bytes = objects.get(key);
      if (!bytes) return;
      objects.delete(key);
      deleted.set(key, { bytes, deletedAt: clock.now() });
    },
    deleted: async (prefix) =>
      [...deleted.keys()].sort().flatMap((key) => {
        const one = key.startsWith(prefix) ? kept(key) : undefined;
        return one ? [{ key, deletedAt: one.deletedAt }] : [];
      }),
    getDeleted: async (key) => {
      const one = kept(key);
      return one && once(one.bytes);
    },
    keys: () => [...objects.keys()].sort(),
  };
};
