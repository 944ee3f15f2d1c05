import type { Random } from '../ports.ts';

const base = 1_000;
const floor = 100;
/** The longest backoff, in milliseconds. */
export const longestBackoff = 900_000;

/**
 * Full jitter: a random wait below an exponentially growing limit. `attempts` includes this
 * failure.
 */
export const backoff = (attempts: number, random: Random): number =>
  floor + Math.floor(random.next() * (Math.min(longestBackoff, base * 2 ** Math.min(attempts, 20)) - floor));
