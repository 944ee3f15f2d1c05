/** The file of a snapshot, written again for another cluster. */
import { createHash } from 'node:crypto';
import type { CopyReport, Exclusion } from '../../kinds/ports/snapshots.ts';
import type { Pages } from '../../machinery/bolt.ts';
import { hashBytes } from '../workload/etcd-snapshot.ts';
import { detach, renamed } from './detach.ts';

export interface Copy {
  content: AsyncIterable<Uint8Array>;
  /** Of the whole content; call it after the content has ended. */
  summary(): { size: number; checksum: string; copy: CopyReport };
}

/** `file`: with the hash at its end. */
export const copyOf = (file: Pages, without: readonly Exclusion[]): Copy => {
  const database = { size: file.size - hashBytes, read: file.read };
  const { offsets, report } = detach(database, without);
  const hash = createHash('sha256');
  let digest: Buffer | undefined;
  async function* content(): AsyncGenerator<Uint8Array> {
    for (const part of renamed(database, offsets)) {
      hash.update(part);
      yield part;
    }
    digest = hash.digest();
    yield digest;
  }
  return {
    content: content(),
    summary: () => {
      if (!digest) throw new Error('the copy has not ended');
      return { size: file.size, checksum: `sha256:${digest.toString('hex')}`, copy: report };
    },
  };
};
