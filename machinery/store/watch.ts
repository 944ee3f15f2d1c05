import { expired } from '../api/errors.ts';
import type { Item } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { followLog, tooOldVersion } from './follow.ts';
import { isSeal } from './items.ts';
import { times } from './rules.ts';
import type { WatchItem } from './store.ts';
import { type Cursor, cachedSlot, createWatchCache } from './watch-cache.ts';

const joinCache = (context: StoreContext, type: string): Cursor => {
  const cache = context.watchCaches.get(type) ?? createWatchCache(context, type);
  context.watchCaches.set(type, cache);
  return cache.join();
};

/** When a watch of an expiring kind must end: only a new list shows that objects have expired. */
const renewalOf = ({ clock, kindOf }: StoreContext, type: string): number => {
  const { endsAfter } = kindOf(type) ?? {};
  if (endsAfter === undefined) return Number.POSITIVE_INFINITY;
  const period = endsAfter * 1000;
  return (Math.floor(clock.now() / period) + 1) * period;
};

/**
 * Every change after `position` in order. Throws 410 when one of them may have expired, and at the
 * end of each expiry period of the type, at the same time for all watches.
 */
export async function* watch(
  context: StoreContext,
  type: string,
  position: number,
  signal: AbortSignal,
): AsyncGenerator<WatchItem> {
  const { clock, rules } = context;
  const isForgotten = (slot: Item) =>
    rules.watchHorizon && (slot.expired === true || clock.now() - (slot.at as number) > times.watchHorizon);
  const demand = (slot: Item): Item => {
    if (isForgotten(slot)) throw tooOldVersion(position, slot.sk as number);
    return slot;
  };
  const cursor = joinCache(context, type);
  /** Reads positions outside of the cache. */
  const look = followLog(context, type, position);
  const lookAfter = async (after: number) => {
    const { run, blocked } = await look(after);
    return { slots: run.map((slot) => cachedSlot(context, type, slot)), blocked };
  };
  let at = position;
  let sentAt = clock.now();
  const renewal = renewalOf(context, type);
  let blockedRounds = 0;
  signal.addEventListener('abort', cursor.wake);
  try {
    cursor.fill(at);
    while (!signal.aborted) {
      if (clock.now() >= renewal) throw expired(`resource version ${at} may show what has ended`);
      // Arm before reading, so that no change in between is missed.
      cursor.arm();
      const cached = cursor.after(at);
      const { slots, blocked } = cached ? { slots: cached, blocked: false } : await lookAfter(at);
      for (const { slot, change } of slots) {
        at = demand(slot).sk as number;
        if (isSeal(slot)) continue;
        const known = change();
        yield known instanceof Promise ? await known : known;
        if (signal.aborted) return;
      }
      if (clock.now() - sentAt >= times.bookmark) {
        sentAt = clock.now();
        yield { position: at, type: 'BOOKMARK' };
      }
      cursor.fill(at);
      blockedRounds = blocked ? blockedRounds + 1 : 0;
      if (blocked) await cursor.turn(Math.min(20 * 2 ** blockedRounds, 250));
      else if (slots.length === 0) await cursor.turn();
    }
  } finally {
    signal.removeEventListener('abort', cursor.wake);
    cursor.leave();
  }
}
