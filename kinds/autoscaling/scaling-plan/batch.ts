/** Pods of one burst are decided on together. Pure. */
import type { Inputs } from '../plan/types.ts';

/** Milliseconds without a new pod that end a burst, and the most that a decision waits for its end. */
const idle = 2000;
const longest = 10_000;

/**
 * Until when a decision waits for pods that still arrive. The first pods of a burst never wait, so that
 * a single pod gets its node at once.
 */
export const batchedUntil = ({ snapshot, history = {}, now }: Inputs, speed: number): number | undefined => {
  const scaledUpAt = Math.max(0, ...Object.values(history.pools ?? {}).map((pool) => pool.scaledUpAt ?? 0));
  if (scaledUpAt + longest / speed <= now) return undefined;
  const newest = snapshot.pods.reduce(
    (last, { node, unschedulable, createdAt }) =>
      node === undefined && unschedulable ? Math.max(last, createdAt) : last,
    0,
  );
  const until = Math.min(newest + idle / speed, scaledUpAt + longest / speed);
  return until > now ? until : undefined;
};
