/**
 * Storage that encrypts: AES-256-GCM in segments under a data key of each object. The number of a
 * segment and whether it is the last one are authenticated, so that a cut or reordered object does
 * not decrypt; so is the object's key.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { ObjectDamaged, type ObjectStorage } from '../../machinery/object-storage.ts';
import { ForeignDataKey, type Keys } from '../../machinery/ports.ts';

const algorithm = 'aes-256-gcm';
const segmentBytes = 64 * 1024;
const tagBytes = 16;
const contextOf = (key: string) => ({ use: 'snapshots', key });

const nonceOf = (segment: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(segment, 4);
  nonce.writeUInt32BE(isLast ? 1 : 0, 8);
  return nonce;
};

/** Pieces of exactly `size` bytes, and then a shorter or equal one, which is the last. */
async function* pieces(
  content: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ piece: Buffer; isLast: boolean }> {
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of content) {
    pending = Buffer.concat([pending, chunk]);
    for (; pending.length > size; pending = pending.subarray(size))
      yield { piece: pending.subarray(0, size), isLast: false };
  }
  yield { piece: pending, isLast: true };
}

async function* sealedContent(key: string, content: AsyncIterable<Uint8Array>, keys: Keys): AsyncGenerator<Uint8Array> {
  const { key: dataKey, wrapped } = await keys.dataKey(contextOf(key));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(wrapped.length);
  yield Buffer.concat([length, wrapped]);
  let segment = 0;
  for await (const { piece, isLast } of pieces(content, segmentBytes)) {
    const cipher = createCipheriv(algorithm, dataKey, nonceOf(segment++, isLast));
    yield Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
  }
}

/** The wrapped data key, and what follows it. */
const split = async (content: AsyncIterable<Uint8Array>) => {
  const iterator = content[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  const isShort = () => head.length < 2 || head.length < 2 + head.readUInt16BE(0);
  while (isShort()) {
    const { value, done } = await iterator.next();
    if (done) throw new ObjectDamaged('the stored object ends within its head');
    head = Buffer.concat([head, value]);
  }
  const end = 2 + head.readUInt16BE(0);
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield head.subarray(end);
    yield* { [Symbol.asyncIterator]: () => iterator };
  }
  return { wrapped: head.subarray(2, end), rest: rest() };
};

const damaged = 'the stored object does not decrypt: it was changed, or is another one';

const opened = (dataKey: Uint8Array, nonce: Buffer, sealed: Buffer): Buffer => {
  if (sealed.length < tagBytes) throw new ObjectDamaged('the stored object ends within a segment');
  const decipher = createDecipheriv(algorithm, dataKey, nonce).setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()]);
  } catch (error) {
    throw new ObjectDamaged(damaged, { cause: error });
  }
};

const unwrapped = async (keys: Keys, wrapped: Uint8Array, key: string): Promise<Uint8Array> => {
  try {
    return await keys.unwrap(wrapped, contextOf(key));
  } catch (error) {
    if (error instanceof ForeignDataKey) throw new ObjectDamaged(damaged, { cause: error });
    throw error;
  }
};

async function* openedContent(key: string, content: AsyncIterable<Uint8Array>, keys: Keys): AsyncGenerator<Uint8Array> {
  const { wrapped, rest } = await split(content);
  const dataKey = await unwrapped(keys, wrapped, key);
  let segment = 0;
  for await (const { piece, isLast } of pieces(rest, segmentBytes + tagBytes))
    yield opened(dataKey, nonceOf(segment++, isLast), piece);
}

export const sealedStorage = (storage: ObjectStorage, keys: Keys): ObjectStorage => ({
  put: (key, content) => storage.put(key, sealedContent(key, content, keys)),
  get: async (key) => {
    const content = await storage.get(key);
    return content && openedContent(key, content, keys);
  },
  delete: storage.delete,
  deleted: storage.deleted,
  getDeleted: async (key) => {
    const content = await storage.getDeleted(key);
    return content && openedContent(key, content, keys);
  },
});
