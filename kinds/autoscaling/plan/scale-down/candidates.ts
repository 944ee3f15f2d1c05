/** Nodes that may be removed if their pods fit elsewhere. Pure. */
import type { UnremovableReason } from '../decision.ts';
import { isAccelerator } from '../groups.ts';
import { progressOf } from '../progress.ts';
import type { Machine, Node, Pod, Pool } from '../types.ts';
import { blockerOf, staysBehind } from './blockers.ts';
import { type Budgets, takeAll } from './budgets.ts';

const minute = 60_000;

export type Owned = { node: Node; pool: Pool; machine: Machine; isLeaving: boolean; pods: readonly Pod[] };
export type Unremovable = { reason: UnremovableReason; message: string };
export type Candidate = Owned & {
  moving: Pod[];
  utilization: number;
  /** How long it must be unneeded. */
  unneededTime: number;
};

const sum = (pods: readonly Pod[], name: string): number =>
  pods.reduce((total, { shape }) => total + (shape.requests[name] ?? 0), 0);
const ratio = (used: number, of: number | undefined): number => (of ? used / of : 0);

/** The larger share of cpu and memory; of a node with accelerators, theirs. */
export const utilizationOf = ({ allocatable }: Node, pods: readonly Pod[]): { value: number; resource: string } => {
  const accelerators = Object.keys(allocatable).filter((name) => isAccelerator(name) && allocatable[name]! > 0);
  const names = accelerators.length > 0 ? accelerators : ['cpu', 'memory'];
  const shares = names.map((resource) => ({ resource, value: ratio(sum(pods, resource), allocatable[resource]) }));
  return shares.reduce((most, one) => (one.value > most.value ? one : most));
};

const no = (reason: UnremovableReason, message: string): Unremovable => ({ reason, message });

const disabling = ['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'karpenter.sh/do-not-disrupt'];

/** The annotation of the node that disables its removal. */
export const disabledBy = (node: Node | undefined): string | undefined =>
  disabling.find((key) => node?.annotations?.[key] === 'true');

const isOver = ({ node, pool, pods }: Owned): Unremovable | undefined => {
  const { utilizationThreshold = 0.5, gpuUtilizationThreshold = 0.5 } = pool.options ?? {};
  const { value, resource } = utilizationOf(node, pods);
  const threshold = isAccelerator(resource) ? gpuUtilizationThreshold : utilizationThreshold;
  if (value < threshold) return undefined;
  return no(
    'NotUnderutilized',
    `${resource} requested (${(value * 100).toFixed(1)}% of allocatable) is above the threshold`,
  );
};

const blockedBy = ({ pods }: Owned, budgets: Budgets, now: number): Unremovable | undefined => {
  for (const pod of pods) {
    const reason = blockerOf(pod, budgets, now);
    if (!reason) continue;
    const name = `${pod.namespace}/${pod.name}`;
    if (reason === 'OnCompletion') return no('BlockedByOnCompletionPod', `pod ${name} runs to completion`);
    return no('BlockedByPod', `pod ${name}: ${reason}`);
  }
  return undefined;
};

/** A node that its own budgets would never let go; the pods of other nodes are not considered. */
const overBudget = (moving: readonly Pod[], budgets: Budgets): Unremovable | undefined => {
  const refused = takeAll(budgets, moving);
  if (refused) return no('BlockedByPod', `pod ${refused.namespace}/${refused.name}: NotEnoughPdb`);
  for (const pod of moving) budgets.giveBack(pod);
  return undefined;
};

/** Why the node stays, whatever it is used for. */
const fixedBecause = ({ isLeaving, pool, node }: Owned, now: number): Unremovable | undefined => {
  if (isLeaving) return no('CurrentlyBeingDeleted', 'its Machine is being deleted');
  if (pool.held) return no('NotAutoscaled', pool.held);
  if (disabledBy(node)) return no('ScaleDownDisabledAnnotation', 'an annotation of the node disables its removal');
  if (pool.rollingOut) return no('NotUnneededOtherReason', 'a rollout of its pool is in progress');
  if (progressOf(node, pool, now) === 'starting') return no('NotUnreadyLongEnough', 'the node is starting');
  if (!(node.allocatable.cpu! > 0 && node.allocatable.memory! > 0))
    return no('NoNodeInfo', 'the node reports no allocatable resources');
  return undefined;
};

const judged = (owned: Owned, budgets: Budgets, now: number, over: Unremovable | undefined) => {
  const { node, pool, pods } = owned;
  const { unneededTime = 10 * minute, unreadyTime = 20 * minute } = pool.options ?? {};
  const moving = pods.filter((pod) => !staysBehind(pod));
  const fault = over ?? blockedBy(owned, budgets, now) ?? overBudget(moving, budgets);
  if (fault) return fault;
  return {
    ...owned,
    moving,
    utilization: utilizationOf(node, pods).value,
    unneededTime: node.ready ? unneededTime : unreadyTime,
  };
};

export const candidateOf = (owned: Owned, budgets: Budgets, now: number): Candidate | Unremovable =>
  // Pods of an unready node no longer run, so that its utilization means nothing.
  fixedBecause(owned, now) ?? judged(owned, budgets, now, owned.node.ready ? isOver(owned) : undefined);

/** The same of a node however much it is used. */
export const movableOf = (owned: Owned, budgets: Budgets, now: number): Candidate | Unremovable =>
  fixedBecause(owned, now) ?? judged(owned, budgets, now, undefined);

export const isCandidate = (one: Candidate | Unremovable): one is Candidate => 'moving' in one;
