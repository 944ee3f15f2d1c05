import type { KindFacts } from '../api/kind.ts';
import { resourceOf } from '../api/kind.ts';
import type { Clock, Keys, Notifier, Random, Table } from '../ports.ts';
import { openCipher } from './cipher.ts';
import { openCodec, type Parse } from './codec.ts';
import type { StoreContext } from './context.ts';
import { createDecodedStates } from './decoded.ts';
import { digests, listCluster, listOwned, memberKeys, ownedKeys, referrerKeys, resourceKeys } from './indexes.ts';
import { list, position } from './list.ts';
import { mark } from './mark.ts';
import { type Rules, rules } from './rules.ts';
import type { LogEntry, Store } from './store.ts';
import { watch } from './watch.ts';
import { commit, get, isOutdated, tombstone, uid } from './write.ts';

export type KindLookup = (type: string) => KindFacts | undefined;

export interface StoreOptions {
  table: Table;
  clock: Clock;
  random: Random;
  keys: Keys;
  /** The kinds, or a lookup: a workload cluster adds and removes kinds. */
  kinds: Iterable<KindFacts> | KindLookup;
  notifier: Notifier;
  /** Called after each change that this process made. */
  onCommit?: (entry: LogEntry) => void;
  /**
   * False where storage is free: packing costs more time than all other processing of a body. True
   * by default.
   */
  isPacking?: boolean;
  /**
   * Bytes from which a body is packed, where packing costs more than the storage it saves; 0 by
   * default.
   */
  packFrom?: number;
  /**
   * Parses bodies; for many stores over one table in memory, which returns the same bytes to each.
   */
  parse?: Parse;
  /**
   * The format that every process of the installation reads, and that is written; the newest by default.
   */
  format?: () => Promise<number>;
  /** Milliseconds between reads of a watch without notifications; 1000 by default. */
  poll?: number;
  /** The most bytes of stored bodies that one page of a list reads; 8 MB by default. */
  pageBytes?: number;
  /** For the model checker only. */
  rules?: Partial<Rules>;
}

const lookupIn = (kinds: StoreOptions['kinds']): KindLookup => {
  if (typeof kinds === 'function') return kinds;
  const known = new Map([...kinds].map((kind) => [resourceOf(kind), kind]));
  return (type) => known.get(type);
};

/** An ordered, watchable store over a table. */
export const openStore = (options: StoreOptions): Store => {
  const { table, clock, random, keys, notifier, onCommit } = options;
  const kindOf = lookupIn(options.kinds);
  const context: StoreContext = {
    table,
    clock,
    random,
    notifier,
    kindOf,
    codec: openCodec(kindOf, openCipher(table, keys, clock, random), createDecodedStates(clock), options),
    rules: { ...rules, ...options.rules },
    holeTimeouts: new Map(),
    storedAs: new WeakMap(),
    recents: new Map(),
    settling: new Set(),
    watchCaches: new Map(),
    poll: options.poll ?? 1000,
    pageBytes: options.pageBytes ?? 8 * 1024 * 1024,
    ...(onCommit && { onCommit }),
  };
  return {
    get: (type, key) => get(context, type, key),
    uid: (type, key) => uid(context, type, key),
    tombstone: (type, key) => tombstone(context, type, key),
    commit: (type, key, decide, commitOptions) => commit(context, type, key, decide, commitOptions),
    list: (type, listOptions) => list(context, type, listOptions),
    isOutdated: (type, object) => isOutdated(context, type, object),
    listCluster: (type, namespace, cluster, query) => listCluster(context, type, namespace, cluster, query),
    listOwned: (ownerUid, type, options) => listOwned(context, ownerUid, type, options),
    ownedKeys: (ownerUid, type) => ownedKeys(context, ownerUid, type),
    memberKeys: (type, namespace, cluster, about) => memberKeys(context, type, namespace, cluster, about),
    referrerKeys: (type, namespace, to) => referrerKeys(context, type, namespace, to),
    resourceKeys: (type, resourceId) => resourceKeys(context, type, resourceId),
    digests: (type, namespace, cluster) => digests(context, type, namespace, cluster),
    watch: (type, from, signal) => watch(context, type, from, signal),
    mark: (name) => mark(context, name),
    position: (type) => position(context, type),
  };
};
