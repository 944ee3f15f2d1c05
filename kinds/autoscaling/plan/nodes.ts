/** Nodes of the simulation: those that exist, those that come, and those that a pool would add. */
import { meetsAffinity } from './affinity.ts';
import type { NodeFacts } from './cluster.ts';
import { inState, isStarting, type PoolMachines } from './machines.ts';
import { daemonTolerations, isRemovalTaint, isStartupTaint, untolerated } from './taints.ts';
import type { Node, NodeTemplate, Pool, Snapshot, Taint } from './types.ts';
import { type Axes, capacityVector, requestVector, subtract, type Vector } from './vector.ts';

export const zoneLabel = 'topology.kubernetes.io/zone';

export type NodeMaker = {
  existing(node: Node, pool: Pool | undefined, isLeaving: boolean): NodeFacts;
  upcoming(pool: Pool, machines: PoolMachines): NodeFacts[];
  /** A node that the pool would add; undefined without a template. */
  added(pool: Pool, name: string, zone: string | undefined): NodeFacts | undefined;
};

const cordonTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

export const nodeMaker = (snapshot: Snapshot, axes: Axes, now: number): NodeMaker => {
  const daemons = snapshot.daemonSets.map(({ namespace, name, shape }) => ({
    key: `${namespace}/${name}`,
    shape,
    tolerations: [...(shape.tolerations ?? []), ...daemonTolerations],
    request: requestVector(axes, shape.requests),
  }));
  const bound = Map.groupBy(
    snapshot.pods.filter(({ node, owner }) => node !== undefined && owner?.kind === 'DaemonSet'),
    ({ node }) => node!,
  );
  /** Reserves what DaemonSets will run on the node. */
  const withDaemons = (facts: NodeFacts, present: ReadonlySet<string>): NodeFacts => {
    const allocatable: Vector = facts.allocatable.slice();
    for (const { key, shape, tolerations, request } of daemons)
      if (!present.has(key) && !untolerated(facts.taints, tolerations) && meetsAffinity(facts, shape))
        subtract(allocatable, request, 1);
    return { ...facts, allocatable };
  };
  const fromTemplate = (template: NodeTemplate, more: Pick<NodeFacts, 'name' | 'origin' | 'pool'>, zone?: string) =>
    withDaemons(
      {
        ...more,
        labels: { ...template.labels, ...(zone && { [zoneLabel]: zone }), 'kubernetes.io/hostname': more.name! },
        taints: (template.taints ?? []).filter((taint) => !isStartupTaint(taint)),
        allocatable: capacityVector(axes, template.allocatable),
        isTarget: true,
      },
      new Set(),
    );

  return {
    existing: (node, pool, isLeaving) => {
      const taints = node.taints ?? [];
      const starting = isStarting(node, pool, now);
      const facts: NodeFacts = {
        name: node.name,
        labels: node.labels,
        taints: [...taints.filter((taint) => !isStartupTaint(taint)), ...(node.unschedulable ? [cordonTaint] : [])],
        origin: starting || (node.ready && taints.some(isStartupTaint)) ? 'upcoming' : 'existing',
        ...(pool && { pool: pool.id }),
        allocatable: capacityVector(axes, node.allocatable),
        isTarget: !isLeaving && !taints.some(isRemovalTaint) && (node.ready || starting),
      };
      const present = (bound.get(node.name) ?? []).map(({ namespace, owner }) => `${namespace}/${owner!.name}`);
      return starting ? withDaemons(facts, new Set(present)) : facts;
    },
    upcoming: (pool, machines) => {
      const { template } = pool;
      if (!template) return [];
      const named = inState(machines, 'upcoming').map(({ name, zone }) => ({ name, zone }));
      const unnamed = Array.from({ length: machines.uncreated }, (_, at) => ({
        name: `${pool.id}+${at}`,
        zone: undefined,
      }));
      return [...named, ...unnamed].map(({ name, zone = pool.zones?.[0] }) =>
        fromTemplate(template, { name, origin: 'upcoming', pool: pool.id }, zone),
      );
    },
    added: (pool, name, zone) =>
      pool.template && fromTemplate(pool.template, { name, origin: 'new', pool: pool.id }, zone),
  };
};
