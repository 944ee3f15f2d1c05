/** What a snapshot consists of in its storage. */
import type { SnapshotManifest, StoredSnapshot } from '../../kinds/ports/snapshots.ts';
import { ObjectDamaged } from '../../machinery/object-storage.ts';

/** Written last, so that its presence tells that the file is complete. */
export const manifestKeyOf = (location: string): string => location.replace(/(\.db)?$/, '.json');

/** Beside it, encrypted under a key of their own. */
export const keysKeyOf = (location: string): string => location.replace(/(\.db)?$/, '.keys');

export type Manifest = SnapshotManifest & StoredSnapshot & { file: string };

export async function* onceOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, 'utf8');
}

export const textOf = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

/** Throws ObjectDamaged if it is no manifest. */
export const manifestIn = async (content: AsyncIterable<Uint8Array>): Promise<Manifest> => {
  const text = await textOf(content);
  try {
    return JSON.parse(text) as Manifest;
  } catch (error) {
    throw new ObjectDamaged('the manifest of the snapshot is no JSON', { cause: error });
  }
};
