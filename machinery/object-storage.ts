/** The key of a `put` is taken. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** An object is not what was put: its storage, or a writer with access to it, changed it. */
export class ObjectDamaged extends Error {
  override readonly name = 'ObjectDamaged';
}

/** Milliseconds for which a deleted object is kept. */
export const deletedFor = 30 * 24 * 3600 * 1000;

export interface DeletedObject {
  key: string;
  /** Milliseconds since the epoch. */
  deletedAt: number;
}

/**
 * Large immutable objects under keys such as `a/b.db`. An object appears whole or not at all: a
 * writer that dies, or whose content throws, leaves nothing that a reader can see. New keys consist
 * of letters, digits and `-._/`: clients and servers differ in how they escape the rest, and a link
 * is signed with one spelling.
 */
export interface ObjectStorage {
  /** Reads the content once, in parts. Throws KeyTaken if the key has an object at the end of it. */
  put(key: string, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Undefined without an object. A stream that cannot be read to its end throws, of a changed object ObjectDamaged. */
  get(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** An absent object counts as deleted. A deleted object is kept for `deletedFor`. */
  delete(key: string): Promise<void>;
  /** What is kept of the keys that begin so and have no object: the last one of each key, in the order of the keys. */
  deleted(prefix: string): Promise<DeletedObject[]>;
  /** The last deleted object of a key that has none; undefined if nothing is kept. */
  getDeleted(key: string): Promise<AsyncIterable<Uint8Array> | undefined>;
}
