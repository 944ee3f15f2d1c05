/** Rate limits by name: one caller must not exhaust what the others need. */
import type { Clock } from './ports.ts';

export interface Rate {
  /** Tokens per second. */
  rate: number;
  burst: number;
}

export interface Limits {
  /** Takes a token from the bucket of this name; false when the bucket is empty. */
  take(name: string): boolean;
}

/** Token buckets by name. Evicts full buckets first, then the oldest. */
export const createLimits = (clock: Pick<Clock, 'now'>, { rate, burst }: Rate, most = 1000): Limits => {
  const buckets = new Map<string, { left: number; at: number }>();
  const leftIn = (name: string): number => {
    const bucket = buckets.get(name);
    if (!bucket) return burst;
    return Math.min(burst, bucket.left + ((clock.now() - bucket.at) / 1000) * rate);
  };
  const keep = (name: string, left: number): void => {
    buckets.delete(name);
    if (buckets.size >= most) for (const known of buckets.keys()) if (leftIn(known) >= burst) buckets.delete(known);
    const [oldest] = buckets.keys();
    if (buckets.size >= most && oldest !== undefined) buckets.delete(oldest);
    buckets.set(name, { left, at: clock.now() });
  };
  return {
    take: (name) => {
      const left = leftIn(name) - 1;
      if (left < 0) return false;
      keep(name, left);
      return true;
    },
  };
};
