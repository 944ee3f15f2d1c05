/** Removes nodes that are not needed: empty ones first, then those whose pods fit on the others. */
import { ownValue } from '../../../../machinery/api/labels.ts';
import { mapInSteps, type Steps } from '../../../../machinery/api/steps.ts';
import type { Classes } from '../classes.ts';
import type { SimNode } from '../cluster.ts';
import type { NodeState, Removal } from '../decision.ts';
import { keepsHeadroom } from '../headroom.ts';
import type { PoolMachines } from '../machines.ts';
import type { Placing } from '../place.ts';
import type { History, Inputs, Machine, Node, Pod, Pool } from '../types.ts';
import { staysBehind } from './blockers.ts';
import { Budgets } from './budgets.ts';
import { type Candidate, candidateOf, isCandidate, type Owned, type Unremovable } from './candidates.ts';
import { type Removals, removalsOf } from './removals.ts';
import { unneededOf } from './unneeded.ts';

export type ScaleDown = {
  remove: Removal[];
  nodes: NodeState[];
  unneededSince: Record<string, number>;
  nextDue: number[];
  owned: Owned[];
  unneeded: Candidate[];
  /** What the removals leave of the budgets. */
  budgets: Budgets;
  budgetOf: Removals['budgetOf'];
};

export type ScaleDownInputs = {
  inputs: Inputs;
  history: History;
  placing: Placing;
  classes: Classes;
  simulated: ReadonlyMap<string, SimNode>;
  machines: ReadonlyMap<Pool, PoolMachines>;
  pods: ReadonlyMap<string, Pod[]>;
  /** Nodes that another reason keeps, with that reason. */
  kept: ReadonlyMap<string, string>;
};

/** A node stays unneeded from when it was found so; an unready one counts from when it became unready. */
const sinceOf = (candidates: readonly Candidate[], history: History, now: number): Record<string, number> =>
  Object.fromEntries(
    candidates.map(({ node }) => {
      const known = ownValue(history.unneededSince, node.name) ?? now;
      return [node.name, node.ready ? known : Math.min(known, node.readySince ?? known)];
    }),
  );

const ownedNodes = ({ inputs, machines, pods }: ScaleDownInputs): Owned[] => {
  const nodes = new Map<string, Node>(inputs.snapshot.nodes.map((node) => [node.name, node]));
  const owned = (pool: Pool, machine: Machine): Owned[] => {
    const node = machine.node === undefined ? undefined : nodes.get(machine.node);
    if (!node) return [];
    const isLeaving = machines.get(pool)!.states.get(machine) === 'leaving';
    return [{ node, pool, machine, isLeaving, pods: pods.get(node.name) ?? [] }];
  };
  return inputs.pools.flatMap((pool) => pool.machines.flatMap((machine) => owned(pool, machine)));
};

/** What is left of the disruption budgets after the evictions that earlier decisions caused. */
const budgetsLeft = ({ inputs }: ScaleDownInputs, owned: readonly Owned[]): Budgets => {
  const budgets = new Budgets(inputs.snapshot.budgets);
  for (const { isLeaving, pods } of owned)
    if (isLeaving) for (const pod of pods) if (!staysBehind(pod)) budgets.take(pod);
  return budgets;
};

export function* scaleDown(given: ScaleDownInputs): Steps<ScaleDown> {
  const { inputs, history, placing, classes, simulated, machines } = given;
  const { settings = {}, now } = inputs;
  const owned = ownedNodes(given);
  const budgets = budgetsLeft(given, owned);
  const verdictOf = (one: Owned): Candidate | Unremovable => {
    const verdict = candidateOf(one, budgets, now);
    const message = one.isLeaving ? undefined : given.kept.get(one.node.name);
    return message === undefined ? verdict : { reason: 'NotUnneededOtherReason', message };
  };
  const judged = yield* mapInSteps(owned, (one) => ({ owned: one, verdict: verdictOf(one) }));
  const stateOf = ({ node, pool }: Owned, reason: NodeState['reason'], message: string): NodeState => ({
    node: node.name,
    pool: pool.id,
    reason,
    message,
  });
  const staying = judged.flatMap(({ owned: one, verdict }) =>
    isCandidate(verdict) ? [] : [stateOf(one, verdict.reason, verdict.message)],
  );
  const candidates = judged.flatMap(({ verdict }) => (isCandidate(verdict) ? [verdict] : []));
  const { unneeded, needed } = yield* unneededOf(placing, classes, candidates, simulated);
  const since = sinceOf(unneeded, history, now);
  const removals = removalsOf({ unneeded, since, machines, budgets, history, settings, now });
  return {
    remove: removals.remove,
    nodes: [
      ...staying,
      ...needed.map((one) =>
        keepsHeadroom(simulated.get(one.node.name)!)
          ? stateOf(one, 'NotUnneededOtherReason', 'it keeps the headroom of the pool free')
          : stateOf(one, 'NoPlaceToMovePods', 'its pods do not fit on the other nodes'),
      ),
      ...removals.nodes,
    ],
    unneededSince: since,
    nextDue: removals.nextDue,
    owned,
    unneeded,
    budgets,
    budgetOf: removals.budgetOf,
  };
}
