import type { KindFacts } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Clock, Notifier, Random, Table } from '../ports.ts';
import type { Codec } from './codec.ts';
import type { Rules } from './rules.ts';
import type { LogEntry } from './store.ts';
import type { WatchCache } from './watch-cache.ts';

/** Of a state: in how many chunks its body lies, absent for one inside its item, and when it was written. */
export interface StoredAs {
  chunks?: number | undefined;
  at?: number | undefined;
}

/** What every part of the store works with. */
export interface StoreContext {
  table: Table;
  clock: Clock;
  random: Random;
  notifier: Notifier;
  codec: Codec;
  rules: Rules;
  /** How often a watch looks by itself, in milliseconds. */
  poll: number;
  /** Bytes of bodies that one page of a list is looked for in. */
  pageBytes: number;
  /** How long each type's holes are left to their writers at present, in milliseconds. */
  patience: Map<string, number>;
  /** How the states that this store answered are stored. */
  storedAs: WeakMap<KubeObject, StoredAs>;
  /** What watches of a type share. */
  watchCaches: Map<string, WatchCache>;
  kindOf(type: string): KindFacts | undefined;
  onCommit?: (entry: LogEntry) => void;
}
