/** Decisions in one line. Pure. */
import type { Decision, PodGroup } from '../plan/decision.ts';

/** `workers` of `MachineDeployment/default/workers`. */
export const nameOf = (pool: string): string => pool.slice(pool.lastIndexOf('/') + 1);

export const decisionMessage = ({ scale, replace }: Pick<Decision, 'scale' | 'replace'>): string =>
  [
    ...scale.map(({ pool, from, to }) => `${nameOf(pool)} ${from} -> ${to}`),
    ...replace.map(({ pool, machine }) => `${nameOf(pool)} replaces ${machine}`),
  ].join(', ');

/** Pools that a message names for one reason. */
const mostNamed = 5;

const named = (pools: readonly string[]): string => {
  const names = pools.slice(0, mostNamed).map(nameOf).join(', ');
  return pools.length > mostNamed ? `${names} and ${pools.length - mostNamed} more pools` : names;
};

/** `a, b: Insufficient cpu; c: max node group size reached` */
export const whyNot = (reasons: PodGroup['reasons']): string =>
  [...Map.groupBy(Object.keys(reasons), (pool) => reasons[pool]!)]
    .map(([reason, pools]) => (pools.includes('') ? reason : `${named(pools)}: ${reason}`))
    .join('; ');
