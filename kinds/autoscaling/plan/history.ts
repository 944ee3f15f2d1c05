/** What a decision remembers of failed launches, and until when they block a pool. Pure. */
import { inState, isCreatedSince, type PoolMachines } from './machines.ts';
import type { History, Inputs, Machine, Pool, PoolHistory, Settings } from './types.ts';
import { missingAfter, missingUntil } from './unfilled.ts';
import { writesAfter } from './writers.ts';

const minute = 60_000;
const launchWindow = 10 * minute;
const forgetAfter = 180 * minute;

/** Doubles from `first` to `last`. */
const backoff = (failures: number, first: number, last: number): number =>
  Math.min(last, first * 2 ** Math.min(30, failures - 1));
const capacityBackoff = (failures: number) => backoff(failures, minute, 15 * minute);
const provisionBackoff = (failures: number) => backoff(failures, 5 * minute, 30 * minute);

export const offeringOf = ({ instanceType, market = 'on-demand', zones }: Pool, zone = zones?.[0] ?? ''): string =>
  `${instanceType ?? ''}/${zone}/${market}`;

type Offerings = NonNullable<History['offerings']>;

/** Failures within a backoff are one failure: Machines of one decision are refused together. */
const afterFailure = (known: Offerings[string] | undefined, at: number): Offerings[string] => {
  if (!known) return { failures: 1, at };
  if (at < known.at + capacityBackoff(known.failures)) return known;
  return { failures: known.failures + 1, at };
};

type Outcome = { key: string; at: number; failed: boolean };

/** The on-demand offerings of a pool. */
export const onDemand = (pool: Pool): Pool => ({ ...pool, market: 'on-demand' });

/**
 * A Machine that fell back shows that the spot market had no capacity in any zone of its pool. One
 * without a zone has tried them all.
 */
const outcomesOf = (pool: Pool, machine: Machine, now: number): Outcome[] => {
  const { capacityError, fallback, interruptedAt, launchedAt } = machine;
  const isRecent = fallback !== undefined && now - fallback.at < forgetAfter;
  const all = pool.zones?.length ? pool.zones : [''];
  const bought = fallback ? onDemand(pool) : pool;
  const keys = (machine.zone === undefined ? all : [machine.zone]).map((zone) => offeringOf(bought, zone));
  const each = (of: readonly string[], at: number | undefined, failed: boolean): Outcome[] =>
    at === undefined ? [] : of.map((key) => ({ key, at, failed }));
  return [
    ...(isRecent
      ? each(
          all.map((zone) => offeringOf(pool, zone)),
          fallback.at,
          true,
        )
      : []),
    ...each(keys, interruptedAt, true),
    ...each(keys, capacityError?.at, true),
    ...each(keys, launchedAt, false),
  ];
};

export const offeringsAfter = (before: Offerings, pools: readonly Pool[], now: number): Offerings => {
  const offerings = { ...before };
  const events = pools
    .flatMap((pool) => pool.machines.flatMap((machine) => outcomesOf(pool, machine, now)))
    .sort((a, b) => a.at - b.at || Number(b.failed) - Number(a.failed));
  for (const { key, at, failed } of events) {
    const known = offerings[key];
    if (failed) offerings[key] = afterFailure(known, at);
    else if (known && at > known.at) delete offerings[key];
  }
  return offerings;
};

export const offeringBlockedUntil = (offerings: Offerings, key: string): number => {
  const known = offerings[key];
  return known ? known.at + capacityBackoff(known.failures) : 0;
};

const isReadySince = (machine: Machine, at: number, ready: ReadonlySet<string>): boolean =>
  machine.node !== undefined && ready.has(machine.node) && isCreatedSince(machine, at);

/**
 * Machines that were launched in the window and are gone or failed before they joined, while none
 * became ready.
 */
export const lostLaunches = (launches: PoolHistory['launches'], machines: PoolMachines): number => {
  const first = launches?.[0]?.at;
  if (first === undefined) return 0;
  const launched = launches!.reduce((sum, { count }) => sum + count, 0);
  const present = [...machines.states].filter(
    ([machine, state]) => isCreatedSince(machine, first) && state !== 'leaving' && (state !== 'failed' || machine.node),
  );
  return Math.max(0, launched - present.length - machines.uncreated);
};

type Launches = NonNullable<PoolHistory['launches']>;

/** The launches without so many of the newest. */
const withoutNewest = (launches: Launches, count: number): Launches => {
  let left = Math.max(0, count);
  return launches
    .toReversed()
    .flatMap(({ at, count: launched }) => {
      const taken = Math.min(left, launched);
      left -= taken;
      return launched > taken ? [{ at, count: launched - taken }] : [];
    })
    .toReversed();
};

export const poolHistoryAfter = (
  before: PoolHistory,
  pool: Pool,
  machines: PoolMachines,
  { ready, settings, now }: { ready: ReadonlySet<string>; settings: Settings; now: number },
): PoolHistory => {
  const { replicas: known = pool.replicas } = before;
  // Replicas that a user took back were never launched, or are not lost.
  const recent = withoutNewest(before.launches ?? [], known - pool.replicas).filter(
    ({ at }) => at > now - launchWindow,
  );
  const isReady = (at: number) => pool.machines.some((machine) => isReadySince(machine, at, ready));
  const launches = recent.length > 0 && isReady(recent[0]!.at) ? [] : recent;
  let { provisionFailures = 0, provisionFailedAt } = before;
  if (provisionFailedAt !== undefined && isReady(provisionFailedAt))
    [provisionFailures, provisionFailedAt] = [0, undefined];
  const { provisionTime = 15 * minute } = pool.options ?? {};
  const missing = missingAfter(before.missing, pool, machines, now);
  const missingSince = missingUntil(pool, missing);
  const failures = [
    ...inState(machines, 'expired').map(({ createdAt }) => createdAt + provisionTime),
    // A Machine that was a node worked: the next one probably does, too.
    ...inState(machines, 'failed').flatMap(({ node, failedAt }) => (node === undefined ? [failedAt!] : [])),
    // A cause that a user removes says nothing of the Machines after it.
    ...(missingSince !== undefined && missingSince <= now && pool.cannotCreate === undefined ? [missingSince] : []),
  ];
  for (const at of failures.sort((a, b) => a - b)) {
    if (provisionFailedAt !== undefined && at < provisionFailedAt + provisionBackoff(provisionFailures)) continue;
    // An old failure counts no more, but is kept: forgetting it would be a write of a pool at rest.
    const isForgotten = provisionFailedAt !== undefined && at - provisionFailedAt > forgetAfter;
    [provisionFailures, provisionFailedAt] = [isForgotten ? 1 : provisionFailures + 1, at];
  }
  return {
    ...writesAfter(before, pool, settings, now),
    ...(launches.length > 0 && { launches }),
    ...(provisionFailedAt !== undefined && { provisionFailures, provisionFailedAt }),
    ...(missing && { missing }),
    ...(pool.rolloutWaits !== undefined && { rolloutWaitsSince: before.rolloutWaitsSince ?? now }),
  };
};

/** Pods wait so long for new Machines of a rollout before they get old ones, which it replaces. */
const rolloutWait = 5 * minute;

export const rolloutAwaitedUntil = ({ rolloutWaitsSince }: PoolHistory): number =>
  rolloutWaitsSince === undefined ? 0 : rolloutWaitsSince + rolloutWait;

export const provisionBlockedUntil = ({ provisionFailedAt, provisionFailures = 0 }: PoolHistory): number =>
  provisionFailedAt === undefined ? 0 : provisionFailedAt + provisionBackoff(provisionFailures);

export const launchesForgottenAt = ({ launches }: PoolHistory): number | undefined =>
  launches?.[0] && launches[0].at + launchWindow;

/** History with the outcomes that the inputs show. */
export const historyNow = (
  { history = {}, pools, snapshot, settings = {}, now }: Inputs,
  machines: Map<Pool, PoolMachines>,
): History => {
  const ready = new Set(snapshot.nodes.filter((node) => node.ready).map(({ name }) => name));
  return {
    ...history,
    offerings: offeringsAfter(history.offerings ?? {}, pools, now),
    pools: Object.fromEntries(
      pools.map((pool) => [
        pool.id,
        poolHistoryAfter(history.pools?.[pool.id] ?? {}, pool, machines.get(pool)!, { ready, settings, now }),
      ]),
    ),
  };
};
