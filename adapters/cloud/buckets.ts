/** Client-side token buckets with AWS's rates, which avoid throttled calls. */
import { type Caller, type Cloud, type CloudAction, CloudError, isMutating } from '../../kinds/ports/cloud/index.ts';
import { type Draw, drawsOf, isThrottled } from '../../kinds/ports/cloud-limits.ts';
import { type Clock, sleep } from '../../machinery/ports.ts';

export interface Buckets {
  /** Resolves when the call may be sent; throws CloudError if that would exceed `timeout`. */
  admit(region: string, action: CloudAction, input: object): Promise<void>;
  /** AWS throttled an admitted call: other processes have emptied the account's buckets. */
  refused(region: string, action: CloudAction, input: object): void;
  /** The buckets of another account. */
  of(account: string): Buckets;
}

/** Delays calls by the buckets, and reports throttled ones to them. */
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
  ...(cloud.as && { as: (caller: Caller) => paced(cloud.as!(caller), buckets.of(caller.account)) }),
});

export interface BucketOptions {
  clock: Clock;
  /** Maximum wait in milliseconds; reads wait longer by default. */
  timeout?: number;
  /** This process's share of the account's tokens; 1 by default. */
  share?: number;
  /** Factor by which the simulated account refills its buckets faster. */
  speed?: number;
}

const defaultTimeout = 2_000;
/**
 * A pass that fails one read repeats all of them. With a small share of the tokens, passes with less patience
 * would never complete.
 */
const readTimeout = 15_000;

export const createBuckets = ({ clock, timeout, share = 1, speed = 1 }: BucketOptions): Buckets => {
  /** Negative: promised to waiting calls. */
  const levels = new Map<string, { tokens: number; at: number }>();

  const levelsOf = (account: string, region: string, draws: Draw[]) => {
    const now = clock.now();
    return draws.map(({ bucket, limits, tokens }) => {
      const name = `${account}/${region}/${bucket}`;
      // A single call always fits into a full bucket.
      const capacity = Math.max(1, limits.capacity * share);
      const refill = (limits.refill * share * speed) / 1000;
      const level = levels.get(name) ?? { tokens: capacity, at: now };
      const available = Math.min(capacity, level.tokens + Math.max(0, now - level.at) * refill);
      return { name, now, available, refill, tokens: Math.min(tokens, capacity) };
    });
  };

  const bucketsOf = (account: string): Buckets => ({
    admit: async (region, action, input) => {
      const drawn = levelsOf(account, region, drawsOf(action, input));
      const waits = drawn.map(({ available, tokens, refill }) => Math.max(0, (tokens - available) / refill));
      // Tolerates rounding errors.
      const wait = Math.ceil(Math.max(...waits) - 1e-6);
      if (wait > (timeout ?? (isMutating(action) ? defaultTimeout : readTimeout)))
        throw new CloudError(
          'RequestLimitExceeded',
          `${action} was held back: the account's request limit for it in ${region} is used up for now`,
        );
      for (const { name, now, available, tokens } of drawn) levels.set(name, { tokens: available - tokens, at: now });
      if (wait > 0) await sleep(clock, wait);
    },
    refused: (region, action, input) => {
      for (const { name, now, available } of levelsOf(account, region, drawsOf(action, input)))
        levels.set(name, { tokens: Math.min(0, available), at: now });
    },
    of: bucketsOf,
  });
  return bucketsOf('');
};
