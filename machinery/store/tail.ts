import { expired, unavailable } from '../api/errors.ts';
import { type Item, sleep } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { queryAll } from './indexes.ts';
import { isSeal, lastSlotBeside, logPartition } from './items.ts';
import { times } from './rules.ts';
import { seal } from './slot.ts';

/** The filled slots after a position, without a hole. */
export interface Tail {
  run: Item[];
  /** The position of the run's last slot, or where the run began. */
  end: number;
  /** More must follow: a later slot is filled or required, and a hole precedes it. */
  blocked: boolean;
}

/** The range of one read. */
export interface Reach {
  /** The last slot to read. */
  to: number;
  /** A slot that is known to be filled, visible or not. */
  least: number;
  /** Absent slots up to here have expired; as of `readAt`. */
  settled: number;
  readAt: number;
}

export const readSlots = async (context: StoreContext, type: string, from: number, to: number): Promise<Item[]> => {
  const slots: Item[] = [];
  for (let start = from; start <= to; start = lastSlotBeside(start) + 1) {
    const end = Math.min(to, lastSlotBeside(start));
    const pk = logPartition(type, start);
    slots.push(...(await queryAll(context, { pk, from: start, to: end, consistent: true })));
  }
  return slots;
};

const busy = () => unavailable('the store is busy, please try again');
const forgotten = () => expired('the log is older than it is kept');
const positionOf = (slot: Item): number => slot.sk as number;
const positionAbove = (slots: Item[], n: number) => slots.find((slot) => positionOf(slot) > n);

/**
 * One reader of one type's log. It records when it first saw each hole, and seals holes that stay.
 */
export const tailReader = (context: StoreContext, type: string) => {
  const { clock, holeTimeouts, rules } = context;
  const seenSince = new Map<number, number>();

  const holesOf = (present: Map<number, Item>, after: number, top: number): number[] => {
    const holes: number[] = [];
    for (let n = after + 1; n <= top; n++) if (!present.has(n)) holes.push(n);
    return holes;
  };

  const sealOverdue = async (holes: number[], slots: Item[], settled: number): Promise<Item[]> => {
    const now = clock.now();
    if (holes.some((n) => n <= settled)) throw forgotten();
    const wait = rules.sealWait ? (holeTimeouts.get(type) ?? times.sealWait) : 0;
    const overdue = holes.filter((n) => {
      const since = seenSince.get(n);
      const isKnown = since !== undefined && now - since <= wait + times.sendLimit;
      if (!isKnown) seenSince.set(n, now);
      return now - seenSince.get(n)! >= wait;
    });
    if (overdue.length === 0) {
      if (holes.length === 0) holeTimeouts.delete(type);
      return [];
    }
    // A slot that may have been filled and expired must not become one that was never used.
    const above = positionAbove(slots, overdue[0]!);
    if (above && now - (above.at as number) > times.oldestSlot) throw forgotten();
    const filled = await Promise.all(overdue.map((n) => seal(context, type, n)));
    if (filled.some(isSeal)) holeTimeouts.set(type, Math.min(wait * 2, times.longestSealWait));
    return filled;
  };

  const round = async (after: number, { to, least, settled, readAt }: Reach): Promise<Tail> => {
    const slots = await readSlots(context, type, after + 1, to);
    // A process that was frozen meanwhile would mistake expired slots for holes.
    if (rules.freshReads && clock.now() - readAt > times.asleep) throw busy();
    if (!rules.stopAtHoles) return { run: slots, end: slots.map(positionOf).at(-1) ?? after, blocked: false };
    const present = new Map(slots.map((slot) => [positionOf(slot), slot]));
    const top = Math.max(least, slots.map(positionOf).at(-1) ?? after);
    for (const slot of await sealOverdue(holesOf(present, after, top), slots, settled))
      present.set(positionOf(slot), slot);
    const run: Item[] = [];
    for (let slot = present.get(after + 1); slot; slot = present.get(after + run.length + 1)) run.push(slot);
    const end = after + run.length;
    return { run, end, blocked: end < top };
  };

  /** Reads until no hole is in the way; 503 when that takes longer than any writer may. */
  const whole = async (after: number, reach: Reach): Promise<Tail> => {
    const started = clock.now();
    const run: Item[] = [];
    for (let pause = 10; ; pause = Math.min(pause * 2, 250)) {
      const part = await round(after + run.length, reach);
      if (!rules.stopAtHoles) return part;
      run.push(...part.run);
      if (!part.blocked) return { run, end: after + run.length, blocked: false };
      if (clock.now() - started > times.sendLimit) throw busy();
      await sleep(clock, pause);
    }
  };

  return { round, whole };
};
