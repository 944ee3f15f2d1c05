import { type Item, Refused } from '../ports.ts';
import type { StoreContext } from './context.ts';
import { headKey } from './items.ts';
import { steadily } from './steady.ts';

/** The counter of a type, and how far its log is known to be complete. */
export interface Head {
  /** The last ticket and the time it was taken. */
  n: number;
  at: number;
  /** Every slot up to here is filled, and every query sees its writes. */
  settled: number;
  /** The next value of `settled`, and when it was first seen complete. */
  candidate: number;
  seenAt: number;
}

/** The head as it was at `readAt`. */
export interface HeadRead extends Head {
  readAt: number;
}

export const headOf = (item: Item, readAt: number): HeadRead => ({
  readAt,
  n: item.n as number,
  at: item.at as number,
  settled: item.settled as number,
  candidate: item.candidate as number,
  seenAt: item.seenAt as number,
});

/**
 * Starts a type at the present time, so that its positions exceed those of any earlier incarnation
 * of the table.
 */
const begin = async ({ table, clock }: StoreContext, type: string): Promise<HeadRead> => {
  const now = Math.ceil(clock.now());
  const head: Head = { n: now, at: now, settled: now, candidate: now, seenAt: now };
  try {
    await table.write({ put: { ...headKey(type), ...head }, when: { exists: false } });
    return { ...head, readAt: now };
  } catch (error) {
    if (error instanceof Refused && error.item) return headOf(error.item, now);
    throw error;
  }
};

export const readHead = (context: StoreContext, type: string): Promise<HeadRead> =>
  steadily(context, async () => {
    const readAt = context.clock.now();
    const item = await context.table.get(headKey(type), { consistent: true });
    return item ? headOf(item, readAt) : begin(context, type);
  });
