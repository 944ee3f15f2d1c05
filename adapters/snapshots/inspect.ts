/** What a snapshot file holds, found without etcd. */
import { createHash } from 'node:crypto';
import { type Pages, readDatabase } from '../../machinery/bolt.ts';
import { ObjectDamaged } from '../../machinery/object-storage.ts';
import { hashBytes } from '../workload/etcd-snapshot.ts';

/** Bytes read at once. */
const stretch = 1024 * 1024;

export interface Inspected {
  size: number;
  /** Of the database without the hash that ends the file. */
  checksum: string;
  /** Of the whole file. */
  fileChecksum: string;
  revision: number;
  /** Revisions of keys, as `etcdutl snapshot status` of etcd 3.6 counts them. */
  keys: number;
}

/** Throws if the hash does not match, or the database cannot be read to its last entry. */
export const inspect = (file: Pages): Inspected => {
  const size = file.size - hashBytes;
  if (size <= 0) throw new ObjectDamaged(`the file is too short: ${file.size} bytes`);
  const hash = createHash('sha256');
  for (let at = 0; at < size; at += stretch) hash.update(file.read(at, Math.min(stretch, size - at)));
  const ending = file.read(size, hashBytes);
  const whole = hash.copy().update(ending);
  const digest = hash.digest();
  if (!digest.equals(ending)) throw new ObjectDamaged('the file does not match the hash at its end');
  let revision = 0;
  let keys = 0;
  readDatabase({ ...file, size }, (bucket, key) => {
    if (bucket !== 'key') return;
    keys++;
    // Each is a revision: main, an underscore, sub, and t for a deletion.
    revision = Number(key.readBigUInt64BE(0));
  });
  return {
    size: file.size,
    checksum: `sha256:${digest.toString('hex')}`,
    fileChecksum: `sha256:${whole.digest('hex')}`,
    revision,
    keys,
  };
};
