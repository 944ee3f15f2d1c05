/** Stores a body inside its item or, when it is large, in chunks that the item points to. */
import type { KubeObject, ObjectKey } from '../api/object.ts';
import { type Attribute, type Item, Refused, type Write } from '../ports.ts';
import type { StoreContext, StoredAs } from './context.ts';
import { blobPartition, expiry, objectKey, versionOf } from './items.ts';
import { times } from './rules.ts';
import { steadily } from './steady.ts';

/** Compressed, in bytes: an item of the table holds at most 400 KB. */
export const largestInline = 300_000;
/** Including the other attributes. */
const largestItem = 380_000;

export interface StoredBody {
  /** Attributes for the object's item and for the slot. */
  attributes: { [attribute: string]: Attribute };
  /** Writes for the transaction, which make the chunks permanent. */
  keep: Write[];
}

const chunkKey = (uid: string, n: number, index: number) => ({ pk: blobPartition(uid, n), sk: index });

/** A late first copy of this write must not restore the ttl that the transaction removed. */
const storeChunk = async (context: StoreContext, chunk: Item): Promise<void> => {
  try {
    await steadily(context, () => context.table.write({ put: chunk, when: { exists: false } }));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
};

/**
 * Writes the chunks of a large body before the transaction that refers to them. They expire if the
 * transaction never happens, and otherwise at `until`, in epoch seconds, or never. `beside`: bytes
 * of the other attributes in its item or slot.
 */
export const storeBody = async (
  context: StoreContext,
  uid: string,
  n: number,
  body: Uint8Array,
  { beside, until }: { beside: number; until: number | undefined },
): Promise<StoredBody> => {
  if (body.length <= Math.min(largestInline, largestItem - beside)) return { attributes: { body }, keep: [] };
  const chunks = Math.ceil(body.length / largestInline);
  const ttl = expiry(context.clock.now(), times.logRetention);
  for (let index = 0; index < chunks; index++) {
    const bytes = body.slice(index * largestInline, (index + 1) * largestInline);
    await storeChunk(context, { ...chunkKey(uid, n, index), bytes, ttl });
  }
  return {
    attributes: { chunks },
    keep: Array.from({ length: chunks }, (_, index) => ({
      update: chunkKey(uid, n, index),
      ...(until === undefined ? { remove: ['ttl'] } : { set: { ttl: until } }),
      when: { exists: true },
    })),
  };
};

/** Lets the chunks of a replaced state expire together with the log that still refers to them. */
export const outdateBody = (context: StoreContext, item: Item | undefined): Write[] => {
  if (item?.chunks === undefined) return [];
  const ttl = expiry(context.clock.now(), times.logRetention);
  return Array.from({ length: item.chunks as number }, (_, index) => ({
    update: chunkKey(item.uid as string, item.rv as number, index),
    set: { ttl },
    when: { exists: true },
  }));
};

/** Where the replaced state is stored, as the slot of the change records it. */
export interface Before {
  rvBefore: number;
  /** Absent for a body in the slot of that position. */
  chunksBefore?: number;
}

/**
 * Keeps the replaced state readable for longer than a list lasts. A state whose own slot expires
 * earlier is stored again as a chunk, which expires with the slot of the change.
 */
export const keepBefore = async (
  context: StoreContext,
  type: string,
  item: Item,
  before: KubeObject,
): Promise<Before> => {
  const rvBefore = versionOf(item);
  const { chunks, at } = item as StoredAs;
  if (chunks !== undefined) return { rvBefore, chunksBefore: chunks };
  const now = context.clock.now();
  if (at !== undefined && now - at < times.oldestSlot) return { rvBefore };
  const bytes = (item.body as Uint8Array | undefined) ?? (await context.codec.encode(type, before));
  const chunk = { ...chunkKey(item.uid as string, rvBefore, 0), bytes, ttl: expiry(now, times.logRetention) };
  await steadily(context, () => context.table.write({ put: chunk }));
  return { rvBefore, chunksBefore: 1 };
};

const readChunks = async (context: StoreContext, item: Item): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  for (let index = 0; index < (item.chunks as number); index++) {
    const key = chunkKey(item.uid as string, versionOf(item), index);
    const chunk = await steadily(context, () => context.table.get(key, { consistent: true }));
    if (!chunk) throw new Error(`chunk ${index} of ${key.pk} is missing`);
    parts.push(chunk.bytes as Uint8Array);
  }
  return Buffer.concat(parts);
};

const decoded = async (context: StoreContext, type: string, item: Item, body: Uint8Array): Promise<KubeObject> => {
  const object = await context.codec.decode(type, versionOf(item), body, identityOf(item));
  const { chunks, at } = item as StoredAs;
  context.storedAs.set(object, { chunks, at, purpose: context.codec.purposeOf(body) });
  return object;
};

const identityOf = ({ namespace, name, uid }: Item) => ({
  namespace: namespace as string,
  name: name as string,
  uid: uid as string,
});

/** The object of an item or a slot; synchronous when it was decoded recently. Its errors do not name it: see objectsOf. */
export const objectOf = (context: StoreContext, type: string, item: Item): KubeObject | Promise<KubeObject> => {
  const of = (body: Uint8Array) =>
    context.codec.known(type, versionOf(item), body, identityOf(item)) ?? decoded(context, type, item, body);
  const body = item.body as Uint8Array | undefined;
  return body ? of(body) : readChunks(context, item).then(of);
};

/**
 * The item that a state was read from, as far as a write that replaces it needs it; undefined for
 * objects from elsewhere.
 */
export const itemOf = (
  { storedAs }: StoreContext,
  type: string,
  key: ObjectKey,
  object: KubeObject,
): Item | undefined => {
  const stored = storedAs.get(object);
  const { uid, resourceVersion } = object.metadata;
  if (stored === undefined || uid === undefined || resourceVersion === undefined) return undefined;
  return { ...objectKey(type, key), uid, rv: Number(resourceVersion), ...stored };
};
