/** The only doors out of the machinery. Adapters implement them; the contract suites in test/contract say how they behave. */
import type { JsonObject, JsonValue } from './api/object.ts';

/** What a table attribute may hold. */
export type Attribute =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | Attribute[]
  | { [name: string]: Attribute | undefined };
export interface ItemKey {
  pk: string;
  /** Sorts within `pk`: strings by code unit, numbers by value. One partition uses one of the two. */
  sk: string | number;
}
export type Item = ItemKey & { [attribute: string]: Attribute | undefined };

/** A condition on the item as it is; an absent item has no attributes. */
export type Condition =
  | { exists: boolean }
  | { attribute: string; is: '=' | '<' | '<=' | '>' | '>='; value: Attribute }
  | { attribute: string; is: 'absent' | 'present' }
  | { all: Condition[] }
  | { any: Condition[] };

export type Write =
  | { put: Item; when?: Condition }
  | { delete: ItemKey; when?: Condition }
  | {
      update: ItemKey;
      set?: Record<string, Attribute>;
      add?: Record<string, number>;
      remove?: string[];
      when?: Condition;
    }
  | { check: ItemKey; when: Condition };

export interface TableQuery {
  pk: string;
  /** Bounds of the sort key, inclusive. */
  from?: string | number;
  to?: string | number;
  descending?: boolean;
  limit?: number;
  /** Continue behind this key; from `next` of the page before. */
  after?: ItemKey;
  consistent: boolean;
}

/** In a transaction of a table, on distinct items. */
export const mostWrites = 100;

/**
 * A key-value table in the shape of DynamoDB. A query is only read-committed against a transaction: one of its items may
 * be visible before another until `transact` has returned. Items it answers are not to be changed: they may be frozen. Errors: Refused, TransactionRefused, Throttled, OutcomeUnknown.
 */
export interface Table {
  get(key: ItemKey, options: { consistent: boolean }): Promise<Item | undefined>;
  /** One page, at most 1 MB; `next` is set when there may be more. */
  query(query: TableQuery): Promise<{ items: Item[]; next?: ItemKey }>;
  /** Returns the item after the write, or undefined after a delete. Throws Refused when the condition fails. */
  write(write: Exclude<Write, { check: ItemKey }>): Promise<Item | undefined>;
  /** All or none, at most `mostWrites`. The same token within ten minutes is done at most once. */
  transact(token: string, writes: Write[]): Promise<void>;
}

/** The condition of a single write failed; `item` is what was there. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super('the condition of a write failed');
    this.item = item;
  }
}
/** Conditions of a transaction failed: `refused[i]` says whether the i-th write's did. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused';
  readonly refused: boolean[];
  constructor(refused: boolean[]) {
    super('conditions of a transaction failed');
    this.refused = refused;
  }
}
/** Nothing was written; try the same again: another transaction was in the way, or capacity ran out. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
}
/** It may or may not have been written. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/** Standard-queue semantics: at least once, any order, delay at most 900 s, may be lost to no one's surprise. */
export interface Queue {
  send(message: string, delaySeconds?: number): Promise<void>;
}

export type Cancel = () => void;
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `wake` once, `ms` from now. */
  after(ms: number, wake: () => void): Cancel;
}
export const sleep = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.after(ms, resolve);
    signal?.addEventListener(
      'abort',
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });

export interface Execution {
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
  /** Of one that did not succeed. */
  error?: string;
  cause?: string;
}
/** Workflows as Step Functions runs them: durable, each execution with the definition it began with. */
export interface Workflows {
  /** A name that was used before is success: nothing starts twice. At most 80 characters. */
  start(execution: { definition: string; name: string; input: JsonObject }): Promise<void>;
  /** Undefined when there is none of that name. */
  describe(execution: { definition: string; name: string }): Promise<Execution | undefined>;
  /** Ends it, wherever it is; one that has ended, or never was, is success. */
  stop(execution: { definition: string; name: string; error: string; cause: string }): Promise<void>;
  /** Ends the task that waits with this token. A task that is gone counts as answered. */
  succeed(token: string, output: JsonValue): Promise<void>;
  fail(token: string, error: string, cause: string): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/** Envelope encryption, as KMS does it. The context is authenticated. */
export interface Keys {
  dataKey(context: Record<string, string>): Promise<{ key: Uint8Array; wrapped: Uint8Array }>;
  unwrap(wrapped: Uint8Array, context: Record<string, string>): Promise<Uint8Array>;
}

/** Tells waiting readers of one process that a type may have changed; where there is none, they poll. */
export interface Notifier {
  notify(type: string): void;
  /** Resolves when `type` was notified after the call, or after `ms`. */
  wait(type: string, ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Log {
  info(message: string, keys?: Record<string, unknown>): void;
  error(message: string, keys?: Record<string, unknown>): void;
}
