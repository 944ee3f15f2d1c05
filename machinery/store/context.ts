import type { KindFacts } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock, Notifier, Random, Table } from '../ports.ts';
import type { Codec } from './codec.ts';
import type { RecentLog } from './recent.ts';
import type { Rules } from './rules.ts';
import type { LogEntry } from './store.ts';
import type { WatchCache } from './watch-cache.ts';

/**
 * How a state is stored: the number of its body's chunks, absent for one inside its item, the time of
 * writing, and the purpose that it is encrypted for.
 */
export interface StoredAs {
  chunks?: number | undefined;
  at?: number | undefined;
  purpose?: string | undefined;
}

/** The context that all parts of the store share. */
export interface StoreContext {
  table: Table;
  clock: Clock;
  random: Random;
  notifier: Notifier;
  codec: Codec;
  rules: Rules;
  /** A watch's poll interval in milliseconds. */
  poll: number;
  /** The most bytes of bodies that one page of a list reads. */
  pageBytes: number;
  /** For each type, how long readers currently leave a hole to its writer, in milliseconds. */
  holeTimeouts: Map<string, number>;
  /** How the states that this store returned are stored. */
  storedAs: WeakMap<KubeObject, StoredAs>;
  /** By type, what this process knows of its log. */
  recents: Map<string, RecentLog>;
  /** Types whose settled position this process is advancing behind its writes. */
  settling: Set<string>;
  /** The caches that watches of a type share. */
  watchCaches: Map<string, WatchCache>;
  kindOf(type: string): KindFacts | undefined;
  onCommit?: (entry: LogEntry) => void;
}
