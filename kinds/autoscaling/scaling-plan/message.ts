/** Decisions in one line. Pure. */
import type { Decision } from '../plan/decision.ts';

/** `workers` of `MachineDeployment/default/workers`. */
export const nameOf = (pool: string): string => pool.slice(pool.lastIndexOf('/') + 1);

export const decisionMessage = ({ scale, replace }: Pick<Decision, 'scale' | 'replace'>): string =>
  [
    ...scale.map(({ pool, from, to }) => `${nameOf(pool)} ${from} -> ${to}`),
    ...replace.map(({ pool, machine }) => `${nameOf(pool)} replaces ${machine}`),
  ].join(', ');
