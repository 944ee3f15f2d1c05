/** Reads the objects of a database file that `etcdDatabase` wrote, as a restored etcd serves them. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { readDatabase } from '../../../machinery/bolt.ts';

/** Bytes of the hash that ends a snapshot. */
const hashBytes = 32;

/** The length-delimited fields of a protobuf message; its other fields are skipped. */
const textFields = (message: Buffer): Map<number, Buffer> => {
  const found = new Map<number, Buffer>();
  let at = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(message.readUInt8(at++));
      value |= (byte & 127n) << shift;
      if (byte < 128n) return Number(value);
    }
  };
  while (at < message.length) {
    const tag = varint();
    if (tag % 8 !== 2) {
      varint();
      continue;
    }
    const length = varint();
    found.set(Math.floor(tag / 8), message.subarray(at, at + length));
    at += length;
  }
  return found;
};

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
      const fields = textFields(value);
      const name = fields.get(1)!.toString('utf8');
      if (name.startsWith('/registry/')) byKey.set(name, JSON.parse(fields.get(5)!.toString('utf8')) as KubeObject);
    },
  );
  return { objects: [...byKey.values()], revision };
};
