import type { Random } from '../ports.ts';

const base = 1_000;
const floor = 100;
/** The longest wait after a failure, in milliseconds. */
export const longestBackoff = 900_000;

/** Full jitter: anything up to an exponentially growing limit. `attempts` counts this failure, too. */
export const backoff = (attempts: number, random: Random): number =>
  floor + Math.floor(random.next() * (Math.min(longestBackoff, base * 2 ** Math.min(attempts, 20)) - floor));
