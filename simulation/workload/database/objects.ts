/** Reads the objects of a database file that `etcdDatabase` wrote, as a restored etcd serves them. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { readDatabase } from '../../../machinery/bolt.ts';
import { keyValueOf } from '../../../machinery/mvcc.ts';

/** Bytes of the hash that ends a snapshot. */
const hashBytes = 32;

export interface RestoredDatabase {
  objects: KubeObject[];
  /** The newest revision in the file. */
  revision: number;
}

/** `file`: with the hash at its end. Throws if the file is damaged. */
export const readObjects = (file: Uint8Array): RestoredDatabase => {
  const database = Buffer.from(file.buffer, file.byteOffset, file.byteLength - hashBytes);
  const byKey = new Map<string, KubeObject>();
  let revision = 0;
  readDatabase(
    { size: database.length, read: (offset, length) => database.subarray(offset, offset + length) },
    (bucket, key, value) => {
      if (bucket !== 'key') return;
      revision = Number(key.readBigUInt64BE(0));
      const entry = keyValueOf(value)!;
      const name = entry.key.toString('utf8');
      if (name.startsWith('/registry/')) byKey.set(name, JSON.parse(entry.value.toString('utf8')) as KubeObject);
    },
  );
  return { objects: [...byKey.values()], revision };
};
