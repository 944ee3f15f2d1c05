import type { KindFacts, Reference } from '../api/kind.ts';
import { labelMatcher } from '../api/labels.ts';
import { equal } from '../api/merge.ts';
import type { JsonObject, KubeObject, ObjectKey } from '../api/object.ts';
import type { Item, TableQuery, Write } from '../ports.ts';
import type { StoreContext } from './context.ts';
import {
  digestKey,
  digestPartition,
  isGone,
  objectKey,
  ownedKey,
  ownedPartition,
  prefixRange,
  referenceKey,
  referencePartition,
  resourceKey,
  resourcePartition,
} from './items.ts';
import { objectsOf } from './readable.ts';
import { clusterOf, digestOf, ownersOf } from './routing.ts';
import { steadily } from './steady.ts';
import type { MemberQuery, ReadOptions } from './store.ts';

const ownerUids = (object: KubeObject | undefined) => new Set(ownersOf(object).map(({ uid }) => uid));

const referenceId = ({ group, kind, name, namespace }: Reference) => JSON.stringify([group, kind, name, namespace]);
const referencesOf = (kind: KindFacts | undefined, object: KubeObject | undefined) =>
  new Map((object && kind?.references?.(object))?.map((reference) => [referenceId(reference), reference]));

const labelsOf = ({ metadata }: KubeObject): Record<string, string> => metadata.labels ?? {};

/** The index writes of an object's change. */
export interface IndexWrites {
  /** In the index of its cluster's members. */
  members: Write[];
  /** In the indexes of owners and references. Readers skip an entry whose object does not exist. */
  added: Put[];
  removed: Write[];
}
export type Put = Extract<Write, { put: Item }>;

/**
 * The index items that differ between two states of an object. An absent state has none, nor has an
 * object of an expiring kind. `isAnew`: an older version wrote the item of its cluster, with another digest.
 */
export const indexWrites = (
  kind: KindFacts | undefined,
  type: string,
  key: ObjectKey,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  isAnew = false,
): IndexWrites => {
  const writes: IndexWrites = { members: [], added: [], removed: [] };
  if (kind?.endsAfter !== undefined) return writes;
  const { members, added, removed } = writes;
  const had = ownerUids(before);
  const has = ownerUids(after);
  const facts = { type, namespace: key.namespace, name: key.name };
  for (const uid of has) if (!had.has(uid)) added.push({ put: { ...ownedKey(type, uid, key), ...facts } });
  for (const uid of had) if (!has.has(uid)) removed.push({ delete: ownedKey(type, uid, key) });

  const named = referencesOf(kind, before);
  const names = referencesOf(kind, after);
  for (const [id, reference] of names)
    if (!named.has(id)) added.push({ put: { ...referenceKey(type, reference, key), ...facts } });
  for (const [id, reference] of named) if (!names.has(id)) removed.push({ delete: referenceKey(type, reference, key) });

  const managed = before && kind?.resourceId?.(before);
  const manages = after && kind?.resourceId?.(after);
  if (managed !== manages) {
    if (manages) added.push({ put: { ...resourceKey(type, manages, key), ...facts } });
    if (managed) removed.push({ delete: resourceKey(type, managed, key) });
  }

  const was = before && clusterOf(before);
  const is = after && clusterOf(after);
  if (was && was !== is) members.push({ delete: digestKey(type, key.namespace, was, key.name) });
  if (after && is) {
    const digest = digestOf(kind, after);
    const alias = kind?.alias?.(after);
    const isPast = kind?.isPast?.(after) === true;
    const labels = labelsOf(after);
    const unchanged =
      !isAnew &&
      was === is &&
      before &&
      equal(digestOf(kind, before), digest) &&
      kind?.alias?.(before) === alias &&
      (kind?.isPast?.(before) === true) === isPast &&
      equal(labelsOf(before), labels);
    if (!unchanged) {
      const item = { ...digestKey(type, key.namespace, is, key.name), ...facts, digest, labels };
      members.push({ put: { ...item, ...(alias !== undefined && { alias }), ...(isPast && { past: true }) } });
    }
  }
  return writes;
};

/** Every item of a query, page by page. */
export const queryAll = async (context: StoreContext, query: TableQuery): Promise<Item[]> => {
  const items: Item[] = [];
  let after = query.after;
  do {
    const page = await steadily(context, () => context.table.query({ ...query, ...(after && { after }) }));
    items.push(...page.items);
    after = page.next;
  } while (after);
  return items;
};

/** The objects of index items, without those deleted since. */
const objectsAt = async (
  context: StoreContext,
  pointers: Item[],
  { skip }: ReadOptions = {},
): Promise<{ type: string; object: KubeObject }[]> => {
  const read = pointers.map(async (pointer) => {
    const type = pointer.type as string;
    const key = objectKey(type, { namespace: pointer.namespace as string, name: pointer.name as string });
    const item = await steadily(context, () => context.table.get(key, { consistent: true }));
    const [object] = item && !isGone(item) ? await objectsOf(context, type, [item], skip) : [];
    return object && { type, object };
  });
  return (await Promise.all(read)).filter((one) => one !== undefined);
};

const pointersIn = (context: StoreContext, pk: string, type?: string): Promise<Item[]> =>
  queryAll(context, { pk, ...(type !== undefined && prefixRange(`${type}#`)), consistent: true });
const keyIn = ({ namespace, name }: Item): ObjectKey => ({ namespace: namespace as string, name: name as string });
const keysIn = async (context: StoreContext, pk: string, type?: string): Promise<ObjectKey[]> =>
  (await pointersIn(context, pk, type)).map(keyIn);

export const ownedKeys = (context: StoreContext, ownerUid: string, type?: string) =>
  keysIn(context, ownedPartition(ownerUid), type);
export const memberKeys = async (
  context: StoreContext,
  type: string,
  namespace: string,
  cluster: string,
  about?: readonly string[],
): Promise<ObjectKey[]> => {
  const pointers = await pointersIn(context, digestPartition(namespace, cluster), type);
  const isMeant = ({ alias, past }: Item) =>
    past !== true && (!about || alias === undefined || about.includes(alias as string));
  return pointers.filter(isMeant).map(keyIn);
};
export const referrerKeys = (context: StoreContext, type: string, namespace: string, to: Reference) =>
  keysIn(context, referencePartition(namespace, to), type);

export const resourceKeys = (context: StoreContext, type: string, resourceId: string) =>
  keysIn(context, resourcePartition(resourceId), type);

export const listOwned = async (context: StoreContext, ownerUid: string, type?: string, options?: ReadOptions) => {
  const pointers = await pointersIn(context, ownedPartition(ownerUid), type);
  const owned = await objectsAt(context, pointers, options);
  return owned.filter(({ object }) => ownerUids(object).has(ownerUid));
};

const placeOf = ({ namespace, name }: Item): string => `${namespace}/${name}`;

/** An index item without labels comes from an older release: its object is read. */
export const listCluster = async (
  context: StoreContext,
  type: string,
  namespace: string,
  cluster: string,
  { selector, owner }: MemberQuery = {},
) => {
  const selects = selector ? labelMatcher(selector) : () => true;
  const [members, owned] = await Promise.all([
    pointersIn(context, digestPartition(namespace, cluster), type),
    owner === undefined ? [] : pointersIn(context, ownedPartition(owner), type),
  ]);
  const isMeant = ({ labels }: Item) => labels === undefined || selects(labels as Record<string, string>);
  // Both indexes contain most of the objects; read each object once.
  const pointers = new Map([...members.filter(isMeant), ...owned].map((pointer) => [placeOf(pointer), pointer]));
  const objects = await objectsAt(context, [...pointers.values()]);
  return objects
    .map(({ object }) => object)
    .filter(
      (object) =>
        (clusterOf(object) === cluster && selects(object.metadata.labels)) ||
        (owner !== undefined && ownerUids(object).has(owner)),
    );
};

export const digests = async (context: StoreContext, type: string, namespace: string, cluster: string) =>
  (await pointersIn(context, digestPartition(namespace, cluster), type)).map(({ digest }) => digest as JsonObject);
