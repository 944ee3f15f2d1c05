/** A database file as etcd's JSON gateway streams it: chunks, and then the hash of them all. */
import { createHash } from 'node:crypto';

const chunkSize = 32 * 1024;

/** The gateway omits empty fields. */
const line = (remaining: number, blob: Uint8Array, version: string): Buffer => {
  const result = {
    ...(remaining > 0 && { remaining_bytes: String(remaining) }),
    blob: Buffer.from(blob).toString('base64'),
    ...(version && { version }),
  };
  return Buffer.from(`${JSON.stringify({ result })}\n`);
};

/** `version`: of the storage's format, which etcd reports from 3.6 on. */
export async function* snapshotLines(file: Uint8Array, version: string): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += chunkSize) {
    const chunk = file.subarray(at, at + chunkSize);
    yield line(file.length - at - chunk.length, chunk, version);
  }
  yield line(0, createHash('sha256').update(file).digest(), version);
}
