/** Token buckets as AWS has them: what would be refused is not sent. */
import { type Cloud, type CloudAction, CloudError, isMutating } from '../../kinds/ports/cloud.ts';
import { type Draw, drawsOf, isThrottled } from '../../kinds/ports/cloud-limits.ts';
import { type Clock, sleep } from '../../machinery/ports.ts';

export interface Buckets {
  /** Returns when the call may be sent; throws CloudError when that would take longer than `patience`. */
  admit(region: string, action: CloudAction, input: object): Promise<void>;
  /** AWS refused what was admitted: others draw from the same buckets, and have emptied them. */
  refused(region: string, action: CloudAction, input: object): void;
}

/** Sends what the buckets admit, and tells them when AWS refused it all the same. */
export const paced = (cloud: Cloud, buckets: Buckets): Cloud => ({
  call: async (region, action, input) => {
    await buckets.admit(region, action, input);
    try {
      return await cloud.call(region, action, input);
    } catch (error) {
      if (error instanceof CloudError && isThrottled(error.code)) buckets.refused(region, action, input);
      throw error;
    }
  },
});

export interface BucketOptions {
  clock: Clock;
  /** Milliseconds that a call waits for its tokens at most; a call that only reads waits longer when absent. */
  patience?: number;
  /** Of an account's tokens, the part that this process may count on: 1 when it is alone. */
  share?: number;
  /** How much faster than AWS the account fills its buckets. */
  speed?: number;
}

const usualPatience = 2_000;
/**
 * A pass that is refused one of its reads has learned nothing, and all of them are asked again: with a small share of the
 * tokens, passes that give up sooner than this never get to their end.
 */
const patienceToRead = 15_000;

export const createBuckets = ({ clock, patience, share = 1, speed = 1 }: BucketOptions): Buckets => {
  /** Below zero: promised to calls that wait. */
  const levels = new Map<string, { tokens: number; at: number }>();

  const levelsOf = (region: string, draws: Draw[]) => {
    const now = clock.now();
    return draws.map(({ bucket, limits, tokens }) => {
      const name = `${region}/${bucket}`;
      // A call always fits into a full bucket.
      const capacity = Math.max(1, limits.capacity * share);
      const refill = (limits.refill * share * speed) / 1000;
      const level = levels.get(name) ?? { tokens: capacity, at: now };
      const available = Math.min(capacity, level.tokens + Math.max(0, now - level.at) * refill);
      return { name, now, available, refill, tokens: Math.min(tokens, capacity) };
    });
  };

  return {
    admit: async (region, action, input) => {
      const drawn = levelsOf(region, drawsOf(action, input));
      const waits = drawn.map(({ available, tokens, refill }) => Math.max(0, (tokens - available) / refill));
      // What is missing only by rounding is there.
      const wait = Math.ceil(Math.max(...waits) - 1e-6);
      if (wait > (patience ?? (isMutating(action) ? usualPatience : patienceToRead)))
        throw new CloudError(
          'RequestLimitExceeded',
          `${action} was held back: the account's request limit for it in ${region} is used up for now`,
        );
      for (const { name, now, available, tokens } of drawn) levels.set(name, { tokens: available - tokens, at: now });
      if (wait > 0) await sleep(clock, wait);
    },
    refused: (region, action, input) => {
      for (const { name, now, available } of levelsOf(region, drawsOf(action, input)))
        levels.set(name, { tokens: Math.min(0, available), at: now });
    },
  };
};
