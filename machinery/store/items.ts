/** Keys of the store's items, and attributes that several files read. */
import type { Reference } from '../api/kind.ts';
import { keyOf, type ObjectKey } from '../api/object.ts';
import type { Item, ItemKey } from '../ports.ts';

/** Sorts after every name. */
const last = '\uffff';
const slotsPerPartition = 1000;

export const headKey = (type: string): ItemKey => ({ pk: `h#${type}`, sk: 'head' });
/** Changes with every object of the kinds that have this mark. */
export const markKey = (mark: string): ItemKey => ({ pk: `m#${mark}`, sk: 'mark' });
export const objectKey = (type: string, key: ObjectKey): ItemKey => ({ pk: `o#${type}`, sk: keyOf(key) });
export const slotKey = (type: string, n: number): ItemKey => ({ pk: logPartition(type, n), sk: n });
export const logPartition = (type: string, n: number): string => `l#${type}#${Math.floor(n / slotsPerPartition)}`;
/** The last slot in the same partition as `n`. */
export const lastSlotBeside = (n: number): number =>
  Math.floor(n / slotsPerPartition) * slotsPerPartition + slotsPerPartition - 1;
export const blobPartition = (uid: string, n: number): string => `b#${uid}#${n}`;
export const digestPartition = (namespace: string, cluster: string): string => `c#${namespace}/${cluster}`;
export const digestKey = (type: string, namespace: string, cluster: string, name: string): ItemKey => ({
  pk: digestPartition(namespace, cluster),
  sk: `${type}#${name}`,
});
export const ownedPartition = (ownerUid: string): string => `w#${ownerUid}`;
export const ownedKey = (type: string, ownerUid: string, key: ObjectKey): ItemKey => ({
  pk: ownedPartition(ownerUid),
  sk: `${type}#${keyOf(key)}`,
});
/** `referrers`: the namespace of the referring objects. */
export const referencePartition = (
  referrers: string,
  { group, kind, name, namespace = referrers }: Reference,
): string => `f#${namespace}/${group}/${kind}/${name}`;
export const referenceKey = (type: string, reference: Reference, key: ObjectKey): ItemKey => ({
  pk: referencePartition(reference.namespace ?? key.namespace, reference),
  sk: `${type}#${keyOf(key)}`,
});
export const resourcePartition = (resourceId: string): string => `r#${resourceId}`;
export const resourceKey = (type: string, resourceId: string, key: ObjectKey): ItemKey => ({
  pk: resourcePartition(resourceId),
  sk: `${type}#${keyOf(key)}`,
});
export const dataKeyKey = ({ namespace, purpose }: { namespace: string; purpose?: string | undefined }): ItemKey => ({
  pk: `k#${namespace}`,
  sk: purpose === undefined ? 'key' : `key#${purpose}`,
});

export const prefixRange = (prefix: string): { from: string; to: string } => ({ from: prefix, to: prefix + last });

/** The type of a log partition; undefined for any other item. */
export const typeOfLogPartition = (pk: string): string | undefined =>
  pk.startsWith('l#') ? pk.slice(2, pk.lastIndexOf('#')) : undefined;

/** Epoch seconds, the unit of the table's time to live. */
export const expiry = (now: number, retention: number): number => Math.ceil((now + retention) / 1000);

export const isSeal = (slot: Item): boolean => slot.event === 'SEAL';
/** The position of the state in an object's item or a slot. */
export const versionOf = (item: Item): number => (typeof item.sk === 'number' ? item.sk : (item.rv as number));
export const isGone = (item: Item): boolean => item.gone === true || item.event === 'DELETED';
/** Deleted or expired. An expired item stays unchanged and serves as its own tombstone. */
export const isOver = (item: Item, now: number): boolean =>
  isGone(item) || (item.ends !== undefined && (item.ends as number) * 1000 <= now);
