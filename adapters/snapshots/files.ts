/** What a snapshot consists of in its storage. */
import type { SnapshotManifest, StoredSnapshot } from '../../kinds/ports/snapshots.ts';

/** Written last, so that its presence tells that the file is complete. */
export const manifestKeyOf = (location: string): string => location.replace(/(\.db)?$/, '.json');

export type Manifest = SnapshotManifest & StoredSnapshot & { file: string };

export const textOf = async (content: AsyncIterable<Uint8Array>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};
