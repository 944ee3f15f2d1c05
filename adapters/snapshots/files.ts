/** What a snapshot consists of in its storage. */
import type { SnapshotManifest, StoredSnapshot } from '../../kinds/ports/snapshots.ts';

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
