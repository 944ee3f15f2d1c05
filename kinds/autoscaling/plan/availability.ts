/** Whether a pool may grow now, and if not, why and until when. Pure. */
import type { PoolState } from './decision.ts';
import {
  launchesForgottenAt,
  lostLaunches,
  offeringBlockedUntil,
  offeringOf,
  onDemand,
  provisionBlockedUntil,
  rolloutAwaitedUntil,
} from './history.ts';
import { inState, type PoolMachines } from './machines.ts';
import type { History, Pool, Settings } from './types.ts';

export type Availability = PoolState & {
  /** How many nodes the pool may add in this decision; 0 if blocked. */
  room: number;
  /** The zone of the next node. */
  zone?: string;
};

export const nextZone = ({ zone }: Availability, { zones }: Pool): string | undefined => zone ?? zones?.[0];

/** The largest number of nodes that a decision adds to a pool. */
const mostAdded = 1000;

type Offerings = NonNullable<History['offerings']>;

/** The offerings from which a new node in the zone may come. */
const offeringsIn = (pool: Pool, zone: string): string[] => [
  offeringOf(pool, zone),
  ...(pool.fallback ? [offeringOf(onDemand(pool), zone)] : []),
];

const zonesBlocked = (pool: Pool, offerings: Offerings, now: number) => {
  const zones = pool.zones?.length ? pool.zones : [''];
  const until = zones.map((zone) => ({
    zone,
    until: Math.min(...offeringsIn(pool, zone).map((key) => offeringBlockedUntil(offerings, key))),
  }));
  const open = until.find((one) => one.until <= now);
  return { open, until: Math.min(...until.map((one) => one.until)) };
};

export const availabilityOf = (
  pool: Pool,
  machines: PoolMachines,
  { offerings = {}, pools = {} }: History,
  { maxLostLaunches = 5 }: Settings,
  now: number,
): Availability => {
  const blocked = (reason: string, until?: number): Availability => ({
    pool: pool.id,
    blocked: reason,
    room: 0,
    ...(until !== undefined && { until }),
  });
  const past = pools[pool.id] ?? {};
  const obstacle = pool.held ?? pool.cannotCreate;
  if (obstacle) return blocked(obstacle);
  if (!pool.template) return blocked('the capacity of its machines is unknown');
  if (pool.replicas >= pool.max) return blocked('max node group size reached');
  const awaited = rolloutAwaitedUntil(past);
  if (awaited > now) return blocked(`${pool.rolloutWaits}: more nodes of the old template would be replaced`, awaited);
  const provisioned = provisionBlockedUntil(past);
  if (provisioned > now) return blocked('in backoff after failed scale-up', provisioned);
  if (lostLaunches(past.launches, machines) >= maxLostLaunches)
    return blocked('launched machines are lost before they become ready', launchesForgottenAt(past));
  const { open, until } = zonesBlocked(pool, offerings, now);
  if (!open) return blocked('no capacity for its instance type', until);
  // One Machine finds out whether capacity is back, and the others wait for its outcome.
  const isProbe = offeringsIn(pool, open.zone).every((key) => offerings[key] !== undefined);
  const coming = inState(machines, 'upcoming').length + machines.uncreated;
  return {
    pool: pool.id,
    room: isProbe ? Math.max(0, 1 - coming) : Math.min(mostAdded, pool.max - pool.replicas),
    ...(open.zone && { zone: open.zone }),
  };
};
