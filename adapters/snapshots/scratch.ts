/** A place to read a stream at any offset. */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pages } from '../../machinery/bolt.ts';

export interface Scratch extends Pages {
  dispose(): void;
}
export type ToScratch = (content: AsyncIterable<Uint8Array>) => Promise<Scratch>;

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** For small contents, and where no real time must pass. */
export const memoryScratch: ToScratch = async (content) => {
  const chunks: Buffer[] = [];
  for await (const chunk of content) chunks.push(bufferOf(chunk));
  const whole = Buffer.concat(chunks);
  return { size: whole.length, read: (offset, length) => whole.subarray(offset, offset + length), dispose: () => {} };
};

/** A file that only this user may read, and that has no name: a crash leaves nothing behind. */
const namelessFile = (): number => {
  const directory = mkdtempSync(join(tmpdir(), 'capstan-snapshot-'));
  try {
    return openSync(join(directory, 'content'), 'wx+', 0o600);
  } finally {
    rmSync(directory, { recursive: true });
  }
};

export const fileScratch: ToScratch = async (content) => {
  const file = namelessFile();
  let size = 0;
  try {
    for await (const chunk of content) {
      for (let at = 0; at < chunk.length; ) at += writeSync(file, chunk, at);
      size += chunk.length;
    }
  } catch (error) {
    closeSync(file);
    throw error;
  }
  const read = (offset: number, length: number): Buffer => {
    const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
    let at = 0;
    while (at < bytes.length) {
      const count = readSync(file, bytes, at, bytes.length - at, offset + at);
      if (count === 0) throw new Error('the scratch file has lost its end');
      at += count;
    }
    return bytes;
  };
  return { size, read, dispose: () => closeSync(file) };
};
