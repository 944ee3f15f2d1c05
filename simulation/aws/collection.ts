/** Records in memory with indexes, written through at each change: what was acknowledged survives a kill. */
import type { Records } from '../ports.ts';

/** What every resource of the account has. */
export interface Stored {
  id: string;
  region: string;
  /** Place in the account's order of creation. */
  seq: number;
  /** Milliseconds since the epoch. */
  created: number;
  tags: Record<string, string>;
}

/** Index name → the record's values under it. */
export type Indexes<T> = Record<string, (record: T) => string[]>;

export interface Collection<T extends Stored> {
  get(id: string): T | undefined;
  /** In creation order. */
  all(): T[];
  has(index: string): boolean;
  count(index: string, value: string): number;
  /** In creation order. */
  by(index: string, value: string): T[];
  /** Inserts, or writes a record that was changed in place. */
  put(record: T): void;
  delete(id: string): void;
}

export const tagIndex = (key: string): string => `tag:${key}`;

/** Every collection is indexed by `region` and by each tag, besides the indexes given. */
export const openCollection = <T extends Stored>(records: Records<T>, indexes: Indexes<T> = {}): Collection<T> => {
  const items = new Map<string, T>();
  const index = new Map<string, Map<string, T>>();
  const entriesOf = new Map<string, string[]>();
  const slot = (name: string, value: string) => `${name}\u0000${value}`;

  const slotsOf = (record: T): string[] => [
    slot('region', record.region),
    ...Object.entries(record.tags).map(([key, value]) => slot(tagIndex(key), value)),
    ...Object.entries(indexes).flatMap(([name, values]) => values(record).map((value) => slot(name, value))),
  ];
  const forget = (id: string): void => {
    for (const entry of entriesOf.get(id) ?? []) {
      const members = index.get(entry);
      members?.delete(id);
      if (members?.size === 0) index.delete(entry);
    }
    entriesOf.delete(id);
  };
  const remember = (record: T): void => {
    forget(record.id);
    const slots = slotsOf(record);
    entriesOf.set(record.id, slots);
    for (const entry of slots) {
      const members = index.get(entry) ?? new Map<string, T>();
      members.set(record.id, record);
      index.set(entry, members);
    }
    items.set(record.id, record);
  };

  for (const [, record] of records.entries().sort(([, a], [, b]) => a.seq - b.seq)) remember(record);

  return {
    get: (id) => items.get(id),
    all: () => [...items.values()],
    has: (name) => name === 'region' || name.startsWith('tag:') || Object.hasOwn(indexes, name),
    count: (name, value) => index.get(slot(name, value))?.size ?? 0,
    by: (name, value) => [...(index.get(slot(name, value))?.values() ?? [])].sort((a, b) => a.seq - b.seq),
    put: (record) => {
      records.put(record.id, record);
      remember(record);
    },
    delete: (id) => {
      records.delete(id);
      forget(id);
      items.delete(id);
    },
  };
};
