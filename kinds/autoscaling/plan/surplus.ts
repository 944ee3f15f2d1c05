/** Machines beyond the maximum of their pool, which a user or its schedule lowered. Pure. */
import type { KeptNode, Removal } from './decision.ts';
import type { PoolMachines } from './machines.ts';
import { blockerOf, forbidsEviction, staysBehind } from './scale-down/blockers.ts';
import type { Budgets } from './scale-down/budgets.ts';
import { disabledBy } from './scale-down/candidates.ts';
import type { Machine, Node, Pod, Pool } from './types.ts';

export type SurplusInputs = {
  nodes: ReadonlyMap<string, Node>;
  pods: ReadonlyMap<string, Pod[]>;
  budgets: Budgets;
  now: number;
};

export type Surplus = {
  remove: Removal[];
  /** Nodes above the maximum that may not be removed. */
  kept: KeptNode[];
};

/** Why the Machine stays until a person decides; undefined if it may go. */
const keptBecause = ({ node: name = '' }: Machine, { nodes, pods, now }: SurplusInputs): string | undefined => {
  const annotation = disabledBy(nodes.get(name));
  if (annotation !== undefined) return `its annotation ${annotation} forbids its removal`;
  const holding = (pods.get(name) ?? []).find((pod) => !staysBehind(pod) && forbidsEviction(pod, now));
  return holding && `pod ${holding.namespace}/${holding.name} forbids its eviction`;
};

/** Machines without a node leave first, then nodes that lose few pods, then those whose pods object. */
const byHarm = ({ pods, budgets, now }: SurplusInputs) => {
  const harm = ({ node }: Machine): [objections: number, moving: number] => {
    if (node === undefined) return [-1, 0];
    const moving = (pods.get(node) ?? []).filter((pod) => !staysBehind(pod));
    return [moving.filter((pod) => blockerOf(pod, budgets, now)).length, moving.length];
  };
  return (a: Machine, b: Machine): number => {
    const [left, right] = [harm(a), harm(b)];
    return left[0] - right[0] || left[1] - right[1] || (a.name < b.name ? -1 : 1);
  };
};

export const isClamped = ({ held, rollingOut }: Pool): boolean => !held && !rollingOut;

export const surplusOf = (
  pool: Pool,
  { states, uncreated }: PoolMachines,
  removed: readonly Removal[],
  inputs: SurplusInputs,
): Surplus => {
  const none: Surplus = { remove: [], kept: [] };
  if (!isClamped(pool)) return none;
  const leaving = new Set(removed.filter((one) => one.pool === pool.id).map(({ machine }) => machine));
  const surplus = pool.replicas - leaving.size - uncreated - pool.max;
  if (surplus <= 0) return none;
  const staying = [...states].flatMap(([machine, state]) =>
    state === 'leaving' || leaving.has(machine.name) ? [] : [machine],
  );
  const protectedNodes = staying.flatMap((machine): KeptNode[] => {
    const message = keptBecause(machine, inputs);
    return message === undefined ? [] : [{ pool: pool.id, node: machine.node!, message }];
  });
  const isProtected = new Set(protectedNodes.map(({ node }) => node));
  const remove = staying
    .filter(({ node }) => node === undefined || !isProtected.has(node))
    .sort(byHarm(inputs))
    .slice(0, surplus)
    .map(
      ({ name, node }): Removal => ({
        pool: pool.id,
        machine: name,
        ...(node !== undefined && { node }),
        reason: 'MaxSize',
      }),
    );
  return { remove, kept: protectedNodes.slice(0, surplus - remove.length) };
};
