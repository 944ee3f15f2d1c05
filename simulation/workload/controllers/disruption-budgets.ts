import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  controllerOf,
  type DisruptionBudgetObject,
  type DisruptionBudgetStatus,
  isPodActive,
  isPodReady,
  type PodObject,
  resolve,
  type StatusCondition,
  selects,
  withCondition,
} from '../objects.ts';
import type { ClusterController } from '../world.ts';

/** Desired replicas of the pods' owners; percentages of a budget refer to this. */
const expectedOf = (pods: PodObject[], owners: Map<string, KubeObject>): number => {
  const seen = new Set<string>();
  let expected = 0;
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    const owner = uid ? owners.get(uid) : undefined;
    if (!owner || uid === undefined) expected++;
    else if (!seen.has(uid)) {
      seen.add(uid);
      expected += Number((owner.spec as { replicas?: number } | undefined)?.replicas ?? 1);
    }
  }
  return expected;
};

/** The counters of a budget over its selected pods. */
export const budgetStatus = (
  { spec, status, metadata }: DisruptionBudgetObject,
  pods: PodObject[],
  owners: Map<string, KubeObject>,
  now: number,
): DisruptionBudgetStatus => {
  const matching = pods.filter(
    (pod) => pod.metadata.namespace === metadata.namespace && selects(spec?.selector, pod.metadata.labels),
  );
  const counted = matching.filter(isPodActive);
  const currentHealthy = counted.filter(isPodReady).length;
  const { minAvailable, maxUnavailable } = spec ?? {};
  const total = expectedOf(matching, owners);
  const expectedPods = maxUnavailable !== undefined || typeof minAvailable === 'string' ? total : counted.length;
  const desiredHealthy =
    maxUnavailable !== undefined
      ? Math.max(0, expectedPods - resolve(maxUnavailable, expectedPods, 'up'))
      : resolve(minAvailable ?? 1, expectedPods, 'up');
  const disruptionsAllowed = expectedPods > 0 ? Math.max(0, currentHealthy - desiredHealthy) : 0;
  const condition: StatusCondition = {
    type: 'DisruptionAllowed',
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
  };
  const conditions = withCondition(status?.conditions, condition, now);
  return {
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    conditions,
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
};

export const ownerTypes = ['replicasets.apps', 'statefulsets.apps', 'daemonsets.apps', 'jobs.batch'];

export const disruptionBudgets: ClusterController = (world, plan) => {
  const budgets = world.list<DisruptionBudgetObject>('poddisruptionbudgets.policy');
  if (budgets.length === 0) return;
  const pods = world.list<PodObject>('pods');
  const owners = new Map(
    ownerTypes.flatMap((type) => world.list(type).map((owner) => [owner.metadata.uid ?? '', owner])),
  );
  for (const budget of budgets) {
    const status = budgetStatus(budget, pods, owners, world.now);
    if (!equal(status, budget.status)) plan.update('poddisruptionbudgets.policy', { ...budget, status });
  }
};
