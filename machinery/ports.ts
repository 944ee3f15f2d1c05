/**
 * The machinery's ports. Adapters implement them; the contract suites in test/contract specify
 * their behaviour.
 */
import type { JsonObject, JsonValue } from './api/object.ts';

/** The type of a table attribute. */
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
  /**
   * Sorts within `pk`: strings by code unit, numbers by value. One partition uses one of the two
   * types.
   */
  sk: string | number;
}
export type Item = ItemKey & { [attribute: string]: Attribute | undefined };

/** A condition on the present item; an absent item has no attributes. */
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
  /** Inclusive bounds of the sort key. */
  from?: string | number;
  to?: string | number;
  descending?: boolean;
  limit?: number;
  /** Continue after this key; from `next` of the previous page. */
  after?: ItemKey;
  consistent: boolean;
}

/** The limit of a transaction; its items must be distinct. */
export const mostWrites = 100;

/**
 * A key-value table in the shape of DynamoDB. A query is only read-committed against a transaction:
 * one of its items may be visible before another until `transact` has returned, unless
 * `showsTransactionsWhole`. Returned items are read-only and may be frozen. Errors: Refused,
 * TransactionRefused, Throttled, OutcomeUnknown.
 */
export interface Table {
  /** Every page of a query shows all of a transaction's items or none. Absent means false. */
  readonly showsTransactionsWhole?: boolean;
  get(key: ItemKey, options: { consistent: boolean }): Promise<Item | undefined>;
  /** One page, at most 1 MB; `next` is set when more may follow. */
  query(query: TableQuery): Promise<{ items: Item[]; next?: ItemKey }>;
  /**
   * Returns the item after the write, or undefined after a delete. Throws Refused when the
   * condition fails.
   */
  write(write: Exclude<Write, { check: ItemKey }>): Promise<Item | undefined>;
  /**
   * All or none, at most `mostWrites`. A repeated token within ten minutes has no second effect.
   */
  transact(token: string, writes: Write[]): Promise<void>;
}

/** The condition of a single write failed; `item` is the present item. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly item: Item | undefined;
  constructor(item: Item | undefined) {
    super('the condition of a write failed');
    this.item = item;
  }
}
/** Conditions of a transaction failed: `refused[i]` says whether that of write i did. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused';
  readonly refused: boolean[];
  constructor(refused: boolean[]) {
    super('conditions of a transaction failed');
    this.refused = refused;
  }
}
/** Nothing was written, because of another transaction or of capacity; retry the same call. */
export class Throttled extends Error {
  override readonly name = 'Throttled';
}
/** The write may or may not have happened. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}

/**
 * Standard-queue semantics: at least once, in any order, with a delay of at most 900 s. A message
 * may be lost, and consumers must cope.
 */
export interface Queue {
  send(message: string, delaySeconds?: number): Promise<void>;
}

export type Cancel = () => void;
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls `wake` once, `ms` from now. */
  after(ms: number, wake: () => void): Cancel;
  /**
   * Lets other work of the process run if this one has run for long; undefined while it has not.
   * Absent where time is virtual.
   */
  yield?(): Promise<void> | undefined;
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
  /** Set on a failed execution. */
  error?: string;
  cause?: string;
}
/**
 * Workflows as Step Functions runs them: durable, and each execution keeps the definition that it
 * started with.
 */
export interface Workflows {
  /** A name that was used before counts as success: nothing starts twice. At most 80 characters. */
  start(execution: { definition: string; name: string; input: JsonObject }): Promise<void>;
  /** Undefined without an execution of that name. */
  describe(execution: { definition: string; name: string }): Promise<Execution | undefined>;
  /** Stops it in any state. Stopping an ended or unknown execution counts as success. */
  stop(execution: { definition: string; name: string; error: string; cause: string }): Promise<void>;
  /** Ends the task with this token. A task that is gone counts as answered. */
  succeed(token: string, output: JsonValue): Promise<void>;
  fail(token: string, error: string, cause: string): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
  bytes(length: number): Uint8Array;
  uuid(): string;
}

/** A fault of one data key, and of the objects that it encrypts, while the key that wraps works. */
export class ForeignDataKey extends Error {
  override readonly name = 'ForeignDataKey';
  /** As AWS has it. */
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Envelope encryption, as in KMS. The context is authenticated. */
export interface Keys {
  dataKey(context: Record<string, string>): Promise<{ key: Uint8Array; wrapped: Uint8Array }>;
  /** Throws ForeignDataKey if it was not wrapped so. */
  unwrap(wrapped: Uint8Array, context: Record<string, string>): Promise<Uint8Array>;
}

/**
 * Wakes waiting readers in one process when a type may have changed; without a notifier they poll.
 */
export interface Notifier {
  notify(type: string): void;
  /** Resolves when `type` was notified after the call, or after `ms`. */
  wait(type: string, ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Log {
  info(message: string, keys?: Record<string, unknown>): void;
  error(message: string, keys?: Record<string, unknown>): void;
}
