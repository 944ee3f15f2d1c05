/**
 * Machines in deletion count as replicas until they are gone, and a budget or a hook may hold them for
 * long. Where pods wait for the replicas that they take, they count no more. Pure.
 */
import type { PodClass } from './classes.ts';
import type { Cluster } from './cluster.ts';
import type { Limits } from './limits.ts';
import type { PoolMachines } from './machines.ts';
import { isUnnamed } from './nodes.ts';
import type { Pool } from './types.ts';

export type Draining = {
  beside: { pool: string; machine: string }[];
  /** Why a Machine in deletion goes on to count although pods wait. */
  blocked?: string;
};

/** Nodes that no Machine stands for yet and for which pods wait. */
const awaited = (cluster: Cluster, pool: Pool, pending: ReadonlyMap<PodClass, number>): number => {
  const left = new Map(pending);
  let nodes = 0;
  for (const node of cluster.nodes) {
    if (node.origin !== 'upcoming' || !isUnnamed(node.name, pool)) continue;
    const own = [...node.hosted].filter(([pod]) => (left.get(pod) ?? 0) > 0);
    if (own.length > 0) nodes++;
    for (const [pod, count] of own) left.set(pod, left.get(pod)! - count);
  }
  return nodes;
};

export const drainingOf = (
  pool: Pool,
  { states, uncreated }: PoolMachines,
  {
    cluster,
    pending,
    limits,
    bought,
  }: {
    cluster: Cluster;
    pending: ReadonlyMap<PodClass, number>;
    limits: Limits;
    bought: number;
  },
): Draining => {
  const counted = pool.machines.filter(({ deleting, replaced }) => deleting && !replaced);
  const draining = counted.filter((machine) => machine.draining && states.get(machine) === 'leaving');
  if (pool.held || draining.length === 0) return { beside: [] };
  const kept = [...states.values()].filter((state) => state !== 'leaving').length;
  // What the MachineSet would create now; less than nothing while more Machines leave than replicas.
  const created = pool.replicas + bought - kept - counted.length;
  const wanted = Math.min(bought + awaited(cluster, pool, pending), uncreated + bought);
  const beside: Draining['beside'] = [];
  for (const { name } of draining.slice(0, wanted > 0 ? Math.max(0, wanted - created) : 0)) {
    const limit = limits.exceeded(pool);
    if (limit) {
      limits.reach(limit);
      const count = draining.length;
      const machines =
        count === 1 ? '1 draining Machine counts until it is' : `${count} draining Machines count until they are`;
      return { beside, blocked: `${machines} gone: ${limit.message}` };
    }
    limits.take(pool, 1);
    beside.push({ pool: pool.id, machine: name });
  }
  return { beside };
};
