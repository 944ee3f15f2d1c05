/**
 * Records in memory with indexes, written through at each change, so that acknowledged changes
 * survive a kill.
 */
import type { Records } from '../ports.ts';
import type { IdErrors } from './naming.ts';

/** The fields that every resource of the account has. */
export interface Stored {
  id: string;
  region: string;
  /** The record's place in the account's order of creation. */
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
  by(index: string, value: string): readonly T[];
  /** Inserts, or writes a record that was changed in place. */
  put(record: T): void;
  delete(id: string): void;
}

/** How the account keeps and lists the records of one type. */
export interface CollectionOf<T extends Stored> {
  name: string;
  indexes?: Indexes<T>;
  /** What EC2 says about ids of resources whose tags it sets. */
  errors?: IdErrors;
  /** The service's type of resources that are available as long as there is a record. */
  type?: string;
}

/** Tags are indexed by region, because every query names one. */
export const tagIndex = (region: string, key: string): string => `tag:${region}:${key}`;

/** The name of an index, and a value in it. */
type Entry = [string, string];
const isSame = (some: readonly Entry[], others: readonly Entry[]): boolean =>
  some.length === others.length &&
  some.every(([name, value], at) => name === others[at]![0] && value === others[at]![1]);

/** The records under one value of an index. */
class Members<T extends Stored> {
  readonly #records = new Map<string, T>();
  #sorted: readonly T[] | undefined;

  get size(): number {
    return this.#records.size;
  }
  set(record: T): this {
    this.#records.set(record.id, record);
    this.#sorted = undefined;
    return this;
  }
  delete(id: string): void {
    this.#records.delete(id);
    this.#sorted = undefined;
  }
  /** In creation order. Cached, because reads are far more frequent than changes. */
  all(): readonly T[] {
    this.#sorted ??= [...this.#records.values()].sort((a, b) => a.seq - b.seq);
    return this.#sorted;
  }
}

/** Every collection is indexed by `region` and by each tag in its region, besides the indexes given. */
export const openCollection = <T extends Stored>(records: Records<T>, indexes: Indexes<T> = {}): Collection<T> => {
  const items = new Map<string, T>();
  const index = new Map<string, Map<string, Members<T>>>();
  const entriesOf = new Map<string, Entry[]>();

  const entriesFor = (record: T): Entry[] => [
    ['region', record.region],
    ...Object.entries(record.tags).map(([key, value]): Entry => [tagIndex(record.region, key), value]),
    ...Object.entries(indexes).flatMap(([name, values]) => values(record).map((value): Entry => [name, value])),
  ];
  const forget = (id: string): void => {
    for (const [name, value] of entriesOf.get(id) ?? []) {
      const values = index.get(name);
      const members = values?.get(value);
      members?.delete(id);
      if (members?.size === 0) values?.delete(value);
      if (values?.size === 0) index.delete(name);
    }
    entriesOf.delete(id);
  };
  const remember = (record: T): void => {
    const entries = entriesFor(record);
    // Most changes do not affect an indexed value.
    if (items.get(record.id) === record && isSame(entries, entriesOf.get(record.id) ?? [])) return;
    forget(record.id);
    entriesOf.set(record.id, entries);
    for (const [name, value] of entries) {
      const values = index.get(name) ?? new Map<string, Members<T>>();
      const members = values.get(value) ?? new Members<T>();
      index.set(name, values.set(value, members.set(record)));
    }
    items.set(record.id, record);
  };

  for (const [, record] of records.entries().sort(([, a], [, b]) => a.seq - b.seq)) remember(record);

  return {
    get: (id) => items.get(id),
    all: () => [...items.values()],
    has: (name) => name === 'region' || name.startsWith('tag:') || Object.hasOwn(indexes, name),
    count: (name, value) => index.get(name)?.get(value)?.size ?? 0,
    by: (name, value) => index.get(name)?.get(value)?.all() ?? [],
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

/** The index key of instances by the tags of their volumes and interfaces. */
export const partTag = (region: string, key: string, value: string): string => `${region}\u0000${key}\u0000${value}`;
