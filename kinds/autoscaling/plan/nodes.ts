/** Nodes of the simulation: those that exist, those that come, and those that a pool would add. */
import { meetsAffinity } from './affinity.ts';
import type { NodeFacts } from './cluster.ts';
import { hostnameLabel, isDerived, ownLabels, zoneLabel, zoneLabelsFrom } from './labels.ts';
import { inState, type PoolMachines } from './machines.ts';
import { asDeclared, isYoung, progressOf } from './progress.ts';
import { daemonTolerations, isRemovalTaint, isStartupTaint, untolerated } from './taints.ts';
import type { Node, NodeTemplate, Pool, Snapshot, Taint } from './types.ts';
import { type Axes, capacityVector, requestVector, subtract, type Vector } from './vector.ts';

export type NodeMaker = {
  existing(node: Node, pool: Pool | undefined, isLeaving: boolean): NodeFacts;
  /** `zone`: of those that no launch has given one. */
  upcoming(pool: Pool, machines: PoolMachines, zone: string | undefined): NodeFacts[];
  /** A node that the pool would add; undefined without a template. */
  added(pool: Pool, name: string, zone: string | undefined): NodeFacts | undefined;
};

/** The name of a node for which no Machine exists yet. */
const nameOfUnnamed = ({ id }: Pool, at: number): string => `${id}+${at}`;
export const isUnnamed = (name: string, { id }: Pool): boolean => name.startsWith(`${id}+`);

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
  const zoneLabels = zoneLabelsFrom(snapshot.nodes);
  /** Cloud controllers and drivers label a node after it is ready, if the cluster has them. */
  const withDerived = (node: Node, { machines, template, zones }: Pool): Node => {
    const derived = Object.entries(template?.labels ?? {}).filter(([key]) => isDerived(key));
    const zone = node.labels[zoneLabel] ?? machines.find((machine) => machine.node === node.name)?.zone ?? zones?.[0];
    return { ...node, labels: { ...Object.fromEntries(derived), ...zoneLabels(zone), ...node.labels } };
  };
  /** Reserves what DaemonSets will run on the node. */
  const withDaemons = (facts: NodeFacts, present: ReadonlySet<string>): NodeFacts => {
    const allocatable: Vector = facts.allocatable.slice();
    for (const { key, shape, tolerations, request } of daemons)
      if (!present.has(key) && !untolerated(facts.taints, tolerations) && meetsAffinity(facts, shape))
        subtract(allocatable, request, 1);
    return { ...facts, allocatable };
  };
  const fromTemplate = (
    pool: Pool,
    template: NodeTemplate,
    more: Pick<NodeFacts, 'name' | 'origin'>,
    zone: string | undefined,
  ): NodeFacts =>
    withDaemons(
      {
        ...more,
        pool: pool.id,
        labels: ownLabels({ ...template.labels, ...zoneLabels(zone), [hostnameLabel]: more.name }),
        taints: (template.taints ?? []).filter((taint) => !isStartupTaint(taint, pool)),
        allocatable: capacityVector(axes, template.allocatable),
        isTarget: true,
      },
      new Set(),
    );

  return {
    existing: (given, pool, isLeaving) => {
      const starting = progressOf(given, pool, now) === 'starting';
      const own = starting && pool?.template ? asDeclared(given, pool.template) : given;
      const node = pool && isYoung(given, pool, now) ? withDerived(own, pool) : own;
      const { taints = [] } = node;
      const isStartup = (taint: Taint) => isStartupTaint(taint, pool);
      const facts: NodeFacts = {
        name: node.name,
        labels: ownLabels(node.labels),
        taints: [...taints.filter((taint) => !isStartup(taint)), ...(node.unschedulable ? [cordonTaint] : [])],
        origin: starting || (node.ready && taints.some(isStartup)) ? 'upcoming' : 'existing',
        ...(pool && { pool: pool.id }),
        allocatable: capacityVector(axes, node.allocatable),
        isTarget: !isLeaving && !taints.some(isRemovalTaint) && (node.ready || starting),
      };
      const present = (bound.get(node.name) ?? []).map(({ namespace, owner }) => `${namespace}/${owner!.name}`);
      return starting ? withDaemons(facts, new Set(present)) : facts;
    },
    upcoming: (pool, machines, next) => {
      const { template } = pool;
      if (!template) return [];
      const named = inState(machines, 'upcoming').map(({ name, zone }) => ({ name, zone }));
      const unnamed = Array.from({ length: machines.uncreated }, (_, at) => ({
        name: nameOfUnnamed(pool, at),
        zone: undefined,
      }));
      return [...named, ...unnamed].map(({ name, zone = next }) =>
        fromTemplate(pool, template, { name, origin: 'upcoming' }, zone),
      );
    },
    added: (pool, name, zone) => pool.template && fromTemplate(pool, pool.template, { name, origin: 'new' }, zone),
  };
};
