/** The Secrets that a restore needs, in a file beside the snapshot. */
import type { KeptSecret, SnapshotManifest } from '../../kinds/ports/snapshots.ts';
import { ObjectDamaged, type ObjectStorage } from '../../machinery/object-storage.ts';
import { keysKeyOf, onceOf, textOf } from './files.ts';

type KeysFile = Pick<SnapshotManifest, 'cluster'> & { secrets: KeptSecret[] };

/** `storage` encrypts under another key than that of the objects. */
export const createKeptKeys = (storage: ObjectStorage) => ({
  put: async (location: string, { cluster }: SnapshotManifest, secrets: KeptSecret[]): Promise<void> => {
    if (secrets.length === 0) return;
    await storage.put(keysKeyOf(location), onceOf(JSON.stringify({ cluster, secrets } satisfies KeysFile)));
  },
  get: async (
    location: string,
    namespace: string,
  ): Promise<{ secrets: KeptSecret[] } | { fault: string } | undefined> => {
    const content = await storage.get(keysKeyOf(location));
    if (!content) return undefined;
    let text: string;
    try {
      text = await textOf(content);
    } catch (error) {
      if (error instanceof ObjectDamaged) return { fault: error.message };
      throw error;
    }
    const { cluster, secrets } = JSON.parse(text) as KeysFile;
    return cluster.namespace === namespace ? { secrets } : undefined;
  },
  /** Whether there are any. Damaged ones are left out: the file serves without them. */
  recover: async (from: string, location: string): Promise<boolean> => {
    const content = await storage.getDeleted(keysKeyOf(from));
    if (!content) return false;
    try {
      await storage.put(keysKeyOf(location), content);
      return true;
    } catch (error) {
      if (error instanceof ObjectDamaged) return false;
      throw error;
    }
  },
  delete: (location: string): Promise<void> => storage.delete(keysKeyOf(location)),
});
