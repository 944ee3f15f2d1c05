/** The load of clients that each send their next request when the previous one is answered. */
import { quantile } from './objects.ts';

/** Milliseconds that each call takes, with a bounded concurrency. */
export const closedLoop = async (
  calls: number,
  concurrency: number,
  call: (index: number) => Promise<unknown>,
): Promise<number[]> => {
  const taken: number[] = [];
  let next = 0;
  const worker = async () => {
    while (next < calls) {
      const index = next++;
      const began = performance.now();
      await call(index);
      taken.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return taken;
};

export interface Spread {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** The longest stall that a client saw. */
  longest: number;
}

export const spread = (taken: number[], perSecond: number): Spread => {
  taken.sort((a, b) => a - b);
  return { perSecond, p50: quantile(taken, 0.5), p99: quantile(taken, 0.99), longest: taken.at(-1) ?? 0 };
};
