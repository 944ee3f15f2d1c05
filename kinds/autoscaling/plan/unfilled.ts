/**
 * Replicas that get no Machine, because a quota forbids it or because the MachineSet creates none.
 * They are given back, so that they do not count as upcoming nodes for ever. Pure.
 */
import { defaultProvisionTime, type PoolMachines } from './machines.ts';
import type { Inputs, Pool, PoolHistory, Quota } from './types.ts';

type Pools<T> = Map<Pool, T>;

/** A rollout creates Machines when its surge allows that. */
const isStuck = ({ held, rollingOut }: Pool): boolean => !held && !rollingOut;

/** Since when the pool lacks Machines without getting any. */
export const missingAfter = (
  before: PoolHistory['missing'],
  pool: Pool,
  { uncreated }: PoolMachines,
  now: number,
): PoolHistory['missing'] => {
  if (uncreated === 0 || !isStuck(pool)) return undefined;
  return before && uncreated >= before.count ? { ...before, count: uncreated } : { since: now, count: uncreated };
};

export const missingUntil = ({ options }: Pool, missing: PoolHistory['missing']): number | undefined =>
  missing && missing.since + (options?.provisionTime ?? defaultProvisionTime);

/** How many more replicas lack a Machine than the quotas allow. */
const beyond = (quotas: readonly Quota[], missing: number): number =>
  quotas
    .filter(({ limit }) => limit === 'machines')
    .reduce((most, quota) => Math.max(most, missing - Math.max(0, quota.most - quota.used)), 0);

/** Replicas to give back, by pool. */
export const unfilledOf = (
  { quotas = [], now }: Inputs,
  machines: ReadonlyMap<Pool, PoolMachines>,
  histories: Record<string, PoolHistory>,
): Pools<number> => {
  const stuck = [...machines]
    .filter(([pool, { uncreated }]) => isStuck(pool) && uncreated > 0)
    .sort(([, a], [, b]) => b.uncreated - a.uncreated);
  const counts: Pools<number> = new Map(
    stuck.flatMap(([pool, { uncreated }]) =>
      (missingUntil(pool, histories[pool.id]?.missing) ?? Number.POSITIVE_INFINITY) <= now ? [[pool, uncreated]] : [],
    ),
  );
  const missing = stuck.reduce((sum, [, { uncreated }]) => sum + uncreated, 0);
  let left = beyond(quotas, missing);
  for (const [pool, { uncreated }] of stuck) {
    const given = Math.min(left, uncreated);
    left -= given;
    if (given > 0) counts.set(pool, Math.max(given, counts.get(pool) ?? 0));
  }
  return counts;
};
