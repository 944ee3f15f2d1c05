/** Whether PodDisruptionBudgets let the Machines go. Pure. */
import { labelMatcher } from '../../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../../machinery/api/object.ts';
import { type Finding, nameOf, ofWorkload } from './facts.ts';
import { isAwaited, isBudgeted } from './pods.ts';

type Budget = KubeObject<
  {
    selector?: LabelSelector;
    maxUnavailable?: number | string;
    minAvailable?: number | string;
    unhealthyPodEvictionPolicy?: string;
  },
  { disruptionsAllowed?: number; expectedPods?: number; currentHealthy?: number; desiredHealthy?: number }
>;

const selects = ({ metadata, spec }: Budget, pod: KubeObject): boolean =>
  metadata.namespace === pod.metadata.namespace && labelMatcher(spec?.selector)(pod.metadata.labels);

const isWhole = (amount: number | string | undefined, of: number): boolean =>
  typeof amount === 'string' ? Number.parseInt(amount, 10) >= 100 : amount !== undefined && amount >= of;
const isNone = (amount: number | string | undefined): boolean =>
  amount !== undefined && Number.parseInt(String(amount), 10) === 0;

/** It permits no eviction even if all its Pods are healthy. */
const permitsNone = ({ spec, status }: Budget): boolean =>
  isNone(spec?.maxUnavailable) || isWhole(spec?.minAvailable, status?.expectedPods ?? 0);

const drainTimeout = 'set deletion.nodeDrainTimeoutSeconds of the Machines';

/** A budget that permits no eviction although its Pods are there. */
const blocked = (budget: Budget, isStuck: boolean): Finding[] => {
  const { disruptionsAllowed = 0, expectedPods = 0, currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  if (expectedPods === 0 || disruptionsAllowed > 0) return [];
  const object = nameOf(budget, true);
  const code = 'DisruptionBudgetBlocks';
  if (permitsNone(budget))
    return [
      {
        code,
        level: isStuck ? 'Refuse' : 'Warn',
        object,
        message: `It never permits an eviction of its ${expectedPods} Pods`,
        remedy: `Permit one, add replicas, or ${drainTimeout}`,
      },
    ];
  const isIll = currentHealthy < desiredHealthy;
  const keepsIll = budget.spec?.unhealthyPodEvictionPolicy !== 'AlwaysAllow';
  return [
    {
      code,
      level: 'Warn',
      object,
      message: `It permits no eviction of its ${expectedPods} Pods now${isIll ? `: ${currentHealthy} are healthy, of ${desiredHealthy} that must be` : ''}`,
      remedy: `Repair its Pods${isIll && keepsIll ? ', set unhealthyPodEvictionPolicy to AlwaysAllow' : ''}, or ${drainTimeout}`,
    },
  ];
};

/** The Eviction API refuses a Pod of two budgets for ever. */
const overlapping = (
  budgets: readonly Budget[],
  pods: readonly KubeObject[],
  isStuck: (pods: readonly KubeObject[]) => boolean,
): Finding[] => {
  const selecting = pods.flatMap((pod) => {
    const names = budgets.filter((budget) => selects(budget, pod)).map(({ metadata }) => metadata.name);
    return names.length > 1 ? [{ pod, of: `${pod.metadata.namespace}/${names.toSorted().join(', ')}` }] : [];
  });
  return [...Map.groupBy(selecting, ({ of }) => of)].map(([of, all]): Finding => {
    const [{ pod }] = all as [(typeof all)[number]];
    return {
      code: 'DisruptionBudgetsOverlap',
      level: isStuck(all.map((one) => one.pod)) ? 'Refuse' : 'Warn',
      object: `PodDisruptionBudgets ${of}`,
      message:
        all.length === 1
          ? `They all select Pod ${pod.metadata.name}: it can never be evicted`
          : `They all select ${all.length} Pods, such as ${pod.metadata.name}: they can never be evicted`,
      remedy: `Let one budget select each Pod, or ${drainTimeout}`,
    };
  });
};

export const checkDisruptionBudgets = ofWorkload(({ podDisruptionBudgets, pods }, facts) => {
  const budgets = podDisruptionBudgets as readonly Budget[];
  if (budgets.length === 0) return [];
  const evicted = pods.filter(isBudgeted);
  const awaited = isAwaited(facts);
  return [
    ...budgets.flatMap((budget) =>
      blocked(
        budget,
        evicted.some((pod) => selects(budget, pod) && awaited(pod)),
      ),
    ),
    ...overlapping(budgets, evicted, (all) => all.some(awaited)),
  ];
});
