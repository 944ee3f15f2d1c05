/**
 * Which pods of lower priority make room for a pod: of the nodes where that helps, the one where it
 * hurts least. Source: the scheduler's plugin DefaultPreemption.
 */
import { type DisruptionBudgetObject, isMirrorPod, type NodeObject, type PodObject, selects } from '../../objects.ts';
import { Usage } from '../../resources.ts';
import type { World } from '../../world.ts';
import type { Storage } from '../storage/objects.ts';
import { filterFor, type Occupied } from './filters.ts';

export interface Preemption {
  node: NodeObject;
  victims: PodObject[];
}

export const priorityOf = ({ spec }: PodObject): number => spec?.priority ?? 0;

const isProtected = (pod: PodObject, budgets: readonly DisruptionBudgetObject[]): boolean =>
  budgets.some(
    ({ metadata, spec, status }) =>
      metadata.namespace === pod.metadata.namespace &&
      selects(spec?.selector, pod.metadata.labels) &&
      (status?.disruptionsAllowed ?? 0) <= 0,
  );

/** Those that budgets protect are spared first, then the more important, then the older. */
const sparedFirst =
  (budgets: readonly DisruptionBudgetObject[]) =>
  (a: PodObject, b: PodObject): number =>
    Number(isProtected(b, budgets)) - Number(isProtected(a, budgets)) ||
    priorityOf(b) - priorityOf(a) ||
    ((a.status?.startTime ?? '') < (b.status?.startTime ?? '') ? -1 : 1);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const preemptionFor = (
  pod: PodObject,
  candidates: readonly NodeObject[],
  { nodes, placed }: Occupied,
  world: World,
  storage: Storage,
): Preemption | undefined => {
  const budgets = world.list<DisruptionBudgetObject>('poddisruptionbudgets.policy');
  const fits = (node: NodeObject, without: ReadonlySet<PodObject>): boolean => {
    const left = placed.filter((one) => !without.has(one));
    const { lacks, volumes } = filterFor(pod, { nodes, placed: left, usage: new Usage(left) }, world, storage);
    return volumes.refusal === undefined && lacks(node).length === 0;
  };
  const on = (node: NodeObject): Preemption[] => {
    const lower = placed.filter(
      (one) => one.spec?.nodeName === node.metadata.name && priorityOf(one) < priorityOf(pod) && !isMirrorPod(one),
    );
    const victims = new Set(lower);
    if (lower.length === 0 || !fits(node, victims)) return [];
    for (const spared of lower.toSorted(sparedFirst(budgets))) {
      victims.delete(spared);
      if (!fits(node, victims)) victims.add(spared);
    }
    return [{ node, victims: [...victims] }];
  };
  const harm = ({ victims }: Preemption): number[] => [
    victims.filter((one) => isProtected(one, budgets)).length,
    Math.max(...victims.map(priorityOf)),
    sum(victims.map(priorityOf)),
    victims.length,
  ];
  const compared = (a: Preemption, b: Preemption): number => {
    const [left, right] = [harm(a), harm(b)];
    const at = left.findIndex((value, index) => value !== right[index]);
    return at < 0 ? 0 : left[at]! - right[at]!;
  };
  return candidates.flatMap(on).sort(compared)[0];
};
