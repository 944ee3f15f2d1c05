import { KeyTaken, type ObjectStorage } from '../../machinery/object-storage.ts';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** In this process. It keeps nothing of a deleted object. */
export const memoryObjects = (): ObjectStorage & { keys(): string[] } => {
  const objects = new Map<string, Buffer>();
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
    delete: async (key) => void objects.delete(key),
    keys: () => [...objects.keys()].sort(),
  };
};
