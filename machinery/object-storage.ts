/** The key of a `put` is taken. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
}

/** An object is not what was put: its storage, or a writer with access to it, changed it. */
export class ObjectDamaged extends Error {
  override readonly name = 'ObjectDamaged';
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
  /** An absent object counts as deleted. A deleted object can be restored for thirty days by an administrator. */
  delete(key: string): Promise<void>;
}
