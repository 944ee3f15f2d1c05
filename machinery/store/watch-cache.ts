/**
 * The newest slots of one type, read once for all watches of this process, like kube-apiserver's
 * watch cache. A watch is a cursor over them. The cache is only an accelerator: a cursor outside of
 * it reads the log itself.
 */
import type { Cancel, Item } from '../ports.ts';
import { largestInline } from './body.ts';
import type { StoreContext } from './context.ts';
import { followLog } from './follow.ts';
import { readObject } from './readable.ts';
import { times } from './rules.ts';
import type { Change } from './store.ts';
import type { Tail } from './tail.ts';

/** Limits of a cache's content; a watch that lags further behind reads the log. */
const mostSlots = 4096;
/** Bytes of stored bodies; decoded bodies take several times as many. */
const mostBytes = 4 * 1024 * 1024;
/**
 * Milliseconds that a slot stays in the cache, far below the limit for decrypted bodies in memory.
 */
const longest = 15_000;

/** Shared: a new error for each abort would capture a stack each time. */
const watchesLeft = new DOMException('no watch is left', 'AbortError');

/** A slot and its change, decoded when the first watch needs it. */
export interface CachedSlot {
  readonly slot: Item;
  change(): Change | Promise<Change>;
}

export const cachedSlot = (context: StoreContext, type: string, slot: Item): CachedSlot => {
  let known: Change | Promise<Change> | undefined;
  const changeWith = (object: Change['object']): Change => ({
    position: slot.sk as number,
    type: slot.event as Change['type'],
    object,
    ...(slot.labelsBefore !== undefined && { previousLabels: slot.labelsBefore as Record<string, string> }),
  });
  const decode = (): Change | Promise<Change> => {
    const object = readObject(context, type, slot);
    if (!(object instanceof Promise)) return changeWith(object);
    return object.then(
      (decoded) => {
        known = changeWith(decoded);
        return known;
      },
      (error) => {
        known = undefined;
        throw error;
      },
    );
  };
  return {
    slot,
    change: () => {
      known ??= decode();
      return known;
    },
  };
};

/** The cursor of one watch. */
export interface Cursor {
  /** The cached slots after a position; undefined when the position lies outside of the cache. */
  after(position: number): CachedSlot[] | undefined;
  /** Starts listening: from now on a turn of the cache resolves `turn`. */
  arm(): void;
  /** Resolves with the next turn of the cache since `arm`, with `wake`, or after `ms`. */
  turn(ms?: number): Promise<void>;
  wake(): void;
  /** Starts filling the cache from a position, unless it is being filled already. */
  fill(position: number): void;
  leave(): void;
}

export interface WatchCache {
  join(): Cursor;
}

interface Kept extends CachedSlot {
  seenAt: number;
  size: number;
}

const sizeOf = ({ body, chunks }: Item): number =>
  (body as Uint8Array | undefined)?.length ?? ((chunks as number | undefined) ?? 0) * largestInline;
const positionOf = ({ slot }: CachedSlot): number => slot.sk as number;

/** A contiguous range of the log's slots. */
const createStretch = (context: StoreContext, type: string) => {
  const { clock } = context;
  let slots: Kept[] = [];
  let bytes = 0;
  /** The range covers every slot after `begin` up to `end`. */
  let [begin, end] = [0, 0];

  const trim = () => {
    const old = clock.now() - longest;
    let dropped = 0;
    for (const { seenAt, size } of slots) {
      if (seenAt >= old && slots.length - dropped <= mostSlots && bytes <= mostBytes) break;
      bytes -= size;
      dropped++;
    }
    if (dropped === 0) return;
    begin = positionOf(slots[dropped - 1]!);
    slots.splice(0, dropped);
  };
  const indexBehind = (position: number): number => {
    let [low, high] = [0, slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (positionOf(slots[middle]!) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    get end() {
      return end;
    },
    restart: (position: number) => {
      slots = [];
      bytes = 0;
      begin = position;
      end = position;
    },
    append: ({ run, end: reached }: Tail) => {
      const seenAt = clock.now();
      for (const slot of run) {
        const size = sizeOf(slot);
        slots.push({ ...cachedSlot(context, type, slot), seenAt, size });
        bytes += size;
      }
      end = reached;
      trim();
    },
    after: (position: number): CachedSlot[] | undefined =>
      position < begin || position > end ? undefined : slots.slice(indexBehind(position)),
  };
};

export const createWatchCache = (context: StoreContext, type: string): WatchCache => {
  const { clock, notifier } = context;
  const stretch = createStretch(context, type);
  const wakes = new Set<() => void>();
  let filling: AbortController | undefined;

  const stop = () => {
    filling = undefined;
    stretch.restart(0);
  };
  const wakeAll = () => {
    for (const wake of wakes) wake();
  };

  /**
   * Reads the log while watches are open. On failure each watch reads the log itself and gets its
   * own error.
   */
  const run = async (from: number, stopping: AbortController): Promise<void> => {
    const { signal } = stopping;
    const look = followLog(context, type, from);
    let changed: Promise<void> | undefined;
    const nextChange = (): Promise<void> => {
      changed ??= notifier.wait(type, Math.min(context.poll, times.bookmark), signal).then(() => {
        changed = undefined;
      });
      return changed;
    };
    let blockedRounds = 0;
    try {
      while (!signal.aborted) {
        // Subscribe before reading, so that no commit in between is missed.
        const change = nextChange();
        const tail = await look(stretch.end);
        if (signal.aborted) return;
        stretch.append(tail);
        wakeAll();
        blockedRounds = tail.blocked ? blockedRounds + 1 : 0;
        if (tail.blocked) await soonerOf(change, Math.min(20 * 2 ** blockedRounds, 250));
        else if (tail.run.length === 0) await change;
      }
    } catch {
      stopping.abort();
    } finally {
      if (filling === stopping) {
        stop();
        wakeAll();
      }
    }
  };
  const soonerOf = (change: Promise<void>, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel: Cancel = clock.after(ms, resolve);
      void change.then(() => {
        cancel();
        resolve();
      });
    });

  const fill = (position: number) => {
    if (filling) return;
    filling = new AbortController();
    stretch.restart(position);
    void run(position, filling);
  };

  const join = (): Cursor => {
    let isWoken = false;
    let resume: (() => void) | undefined;
    const wake = () => {
      isWoken = true;
      resume?.();
      resume = undefined;
    };
    wakes.add(wake);
    return {
      after: (position) => (filling ? stretch.after(position) : undefined),
      arm: () => {
        isWoken = false;
      },
      turn: (ms) =>
        new Promise((resolve) => {
          if (isWoken) return resolve();
          const cancel = ms === undefined ? undefined : clock.after(ms, wake);
          resume = () => {
            cancel?.();
            resolve();
          };
        }),
      wake,
      fill,
      leave: () => {
        wakes.delete(wake);
        if (wakes.size > 0) return;
        filling?.abort(watchesLeft);
        stop();
      },
    };
  };
  return { join };
};
