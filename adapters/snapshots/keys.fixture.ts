/** The keys of all revisions in a snapshot file, in order. */
import { readDatabase } from '../../machinery/bolt.ts';
import { keyValueOf } from '../../machinery/mvcc.ts';

/** `file`: with the hash at its end. */
export const keysIn = (file: Buffer): string[] => {
  const database = file.subarray(0, -32);
  const keys: string[] = [];
  const pages = { size: database.length, read: (at: number, length: number) => database.subarray(at, at + length) };
  readDatabase(pages, (bucket, _, value) => {
    if (bucket === 'key') keys.push(keyValueOf(value)!.key.toString('latin1'));
  });
  return keys;
};
