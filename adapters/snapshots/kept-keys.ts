/** The Secrets that a restore needs, in a file beside the snapshot. */
import type { KeptSecret, SnapshotManifest } from '../../kinds/ports/snapshots.ts';
import type { ObjectStorage } from '../../machinery/object-storage.ts';
import { keysKeyOf, onceOf, textOf } from './files.ts';

type KeysFile = Pick<SnapshotManifest, 'cluster'> & { secrets: KeptSecret[] };

/** `storage` encrypts under another key than that of the objects. */
export const createKeptKeys = (storage: ObjectStorage) => ({
  put: async (location: string, { cluster }: SnapshotManifest, secrets: KeptSecret[]): Promise<void> => {
    if (secrets.length === 0) return;
    await storage.put(keysKeyOf(location), onceOf(JSON.stringify({ cluster, secrets } satisfies KeysFile)));
  },
  get: async (location: string, namespace: string): Promise<{ secrets: KeptSecret[] } | undefined> => {
    const content = await storage.get(keysKeyOf(location));
    if (!content) return undefined;
    const { cluster, secrets } = JSON.parse(await textOf(content)) as KeysFile;
    return cluster.namespace === namespace ? { secrets } : undefined;
  },
  recover: async (from: string, location: string): Promise<void> => {
    const content = await storage.getDeleted(keysKeyOf(from));
    if (content) await storage.put(keysKeyOf(location), content);
  },
  delete: (location: string): Promise<void> => storage.delete(keysKeyOf(location)),
});
