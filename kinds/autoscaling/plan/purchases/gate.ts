/** Which pools buy nothing more for pods because earlier purchases were in vain. Pure. */
import type { PodClass } from '../classes.ts';
import { iso } from '../scale-down/removals.ts';
import type { Pool, Purchase } from '../types.ts';
import { type Purchases, pauseAfter } from './outcomes.ts';
import { shapeKey } from './shape.ts';

/** Purchases in vain of one pool, of any shape, after which it buys for other shapes rarely. */
const mostFailures = 5;

export type Withheld = { reason: string; until?: number };

export type Gate = {
  withheld(pod: PodClass, pool: Pool): Withheld | undefined;
  /** Whether one node at a time finds out if such pods run in the pool. */
  isProbe(pod: PodClass, pool: Pool): boolean;
};

const ownFault = ({ outcome, message, until = 0 }: Purchase, now: number): Withheld | undefined => {
  if (until > now) {
    const node =
      outcome === 'Lost' ? 'what was bought for such pods is lost' : 'a node bought for such pods refuses them';
    const next = `the next one is bought at ${iso(until)}, or when what the pool declares or its nodes change`;
    return { reason: `${node} (${message}): ${next}`, until };
  }
  if (outcome !== undefined) return undefined;
  return { reason: `the node that was bought for such pods shows whether they run there (${message})` };
};

const failuresOf = (purchases: Purchases = {}): number =>
  Object.values(purchases).reduce((sum, { failures }) => sum + failures, 0);

const inVain = (failures: number): string => `${failures} purchases of the pool were in vain`;

/** Shapes that change with each pod must not buy as if each were the first. */
const poolFault = (purchases: Purchases, now: number): Withheld | undefined => {
  const failed = Object.values(purchases).filter(({ failures }) => failures > 0);
  const failures = failuresOf(purchases);
  if (failures < mostFailures) return undefined;
  const last = Math.max(...failed.map(({ since = 0 }) => since));
  const until = last + pauseAfter(failures - mostFailures + 1);
  const isAwaited = Object.values(purchases).some(({ outcome, at }) => outcome === undefined && at > last);
  if (until <= now)
    return isAwaited ? { reason: `${inVain(failures)}: the node that was bought last shows if others are` } : undefined;
  return { reason: `${inVain(failures)}: pods of another shape get a node at ${iso(until)}`, until };
};

export const gateOf = (
  purchases: Readonly<Record<string, Purchases>>,
  takesNow: (pod: PodClass, pool: Pool) => boolean,
  now: number,
): Gate => {
  const found = (pod: PodClass, { id }: Pool): Purchase | undefined => purchases[id]?.[shapeKey(pod)];
  const isStopped = (pod: PodClass, pool: Pool): Withheld | undefined => {
    const fault = poolFault(purchases[pool.id] ?? {}, now);
    return fault && !takesNow(pod, pool) ? fault : undefined;
  };
  return {
    withheld: (pod, pool) => {
      const own = found(pod, pool);
      if (own?.failures === 0) return undefined;
      return (own && ownFault(own, now)) ?? isStopped(pod, pool);
    },
    isProbe: (pod, pool) => {
      const own = found(pod, pool);
      if (own) return own.failures > 0;
      return failuresOf(purchases[pool.id]) >= mostFailures && !takesNow(pod, pool);
    },
  };
};
