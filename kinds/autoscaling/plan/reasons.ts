/** Why pods got no node: by pool, in cluster-autoscaler's and the scheduler's words. */
import { lacksZoneOnly, meetsTerms } from './affinity.ts';
import type { Availability } from './availability.ts';
import type { PodClass } from './classes.ts';
import { fault } from './fit.ts';
import { zoneLabel } from './labels.ts';
import type { Packer, Wanted } from './pack.ts';
import { emptyFault } from './scale-up.ts';
import type { Domain } from './topology.ts';
import type { Pool } from './types.ts';
import { undeclared } from './undeclared.ts';
import type { Vector } from './vector.ts';

export type Empty = Domain & { allocatable: Vector };

const roomFault = ({ bought, limits }: Packer, pool: Pool, { room }: Availability): string | undefined => {
  const limit = limits.exceeded(pool);
  if (limit) {
    limits.reach(limit);
    return limit.message;
  }
  if ((bought.get(pool) ?? 0) < room) return undefined;
  return pool.replicas + room >= pool.max
    ? 'max node group size reached'
    : 'waiting for the nodes that are launched first';
};

/** A fault on an empty new node that other pods cause. */
const topologyFault = (packer: Packer, { pod }: Wanted, pool: Pool, zone: string | undefined): string | undefined => {
  const { cluster } = packer.placing;
  const mark = cluster.mark();
  const node = cluster.open(packer.maker.added(pool, `${pool.id}#`, zone)!);
  const found = fault(cluster, packer.axes, pod, node);
  cluster.rollback(mark);
  return found;
};

/** A volume stays in its zone, and a pod may select one. */
const elsewhere = ({ shape, topologies }: PodClass, empty: Empty): string | undefined => {
  const { [zoneLabel]: zone } = empty.labels;
  const isElsewhere = lacksZoneOnly(empty, shape) || !topologies.every((terms) => meetsTerms(empty, terms));
  if (zone === undefined || !isElsewhere) return undefined;
  return `new machines of the pool start in ${zone}, failureDomain of a MachineDeployment chooses another zone`;
};

const neverBecause = (packer: Packer, one: Wanted, pool: Pool, empty: Empty): string | undefined => {
  const never = emptyFault(packer, one.pod, empty);
  const more = never && (undeclared(packer, one, pool, empty) ?? elsewhere(one.pod, empty));
  return more ? `${never}: ${more}` : never;
};

export const reasonsFor = (
  packer: Packer,
  one: Wanted,
  pools: ReadonlyMap<Pool, Availability>,
  empties: ReadonlyMap<Pool, Empty>,
): Record<string, string> =>
  Object.fromEntries(
    pools.entries().map(([pool, availability]) => {
      const empty = empties.get(pool);
      const never = empty && neverBecause(packer, one, pool, empty);
      const reason =
        never ??
        availability.blocked ??
        packer.gate.withheld(one.pod, pool)?.reason ??
        roomFault(packer, pool, availability) ??
        topologyFault(packer, one, pool, availability.zone);
      return [pool.id, reason ?? 'waiting for the next decision'];
    }),
  );
