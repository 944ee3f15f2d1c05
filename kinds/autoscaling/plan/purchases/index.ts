/** The purchases of pools: for which pods, with which outcome, and what follows from that. Pure. */
import type { SimNode } from '../cluster.ts';
import type { Pool, Purchase } from '../types.ts';
import type { Gate } from './gate.ts';
import type { Purchases } from './outcomes.ts';
import { shapeKey } from './shape.ts';

export { type Gate, gateOf, type Withheld } from './gate.ts';
export { outcomesOf, type Purchases, pausesOf } from './outcomes.ts';
export { shapeKey } from './shape.ts';
export { isTakenNow } from './standing.ts';

/** Shapes of pods of which a pool remembers the purchases. */
const mostShapes = 10;

const rank = ({ outcome, failures, since, at }: Purchase): number => {
  const isSettled = outcome !== undefined && failures === 0;
  return isSettled ? (since ?? at) : (since ?? at) + Number.MAX_SAFE_INTEGER / 2;
};

const bounded = (purchases: Purchases): Purchases => {
  const entries = Object.entries(purchases);
  if (entries.length <= mostShapes) return purchases;
  return Object.fromEntries(entries.toSorted(([, a], [, b]) => rank(b) - rank(a)).slice(0, mostShapes));
};

/** What the pool remembers with the nodes that it buys. */
export const withBought = (
  before: Purchases,
  pool: Pool,
  added: readonly SimNode[],
  gate: Gate,
  now: number,
): Purchases => {
  const purchases = { ...before };
  for (const node of added) {
    if (node.pool !== pool.id) continue;
    for (const pod of node.hosted.keys()) {
      if (gate.withheld(pod, pool)) continue;
      const key = shapeKey(pod);
      const known = purchases[key];
      const isOpen = known !== undefined && known.outcome === undefined;
      const { namespace, owner } = pod;
      purchases[key] = {
        namespace,
        owner,
        at: isOpen ? known.at : now,
        nodes: (isOpen ? known.nodes : 0) + 1,
        failures: known?.failures ?? 0,
        ...(known?.failures && known.message !== undefined && { message: known.message, takers: known.takers ?? 0 }),
        ...(pool.declaration !== undefined && { declaration: pool.declaration }),
      };
    }
  }
  return bounded(purchases);
};
