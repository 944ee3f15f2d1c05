/** Disruption budgets, shared by all pods that one decision moves. Pure. */
import { labelMatcher } from '../../../../machinery/api/labels.ts';
import type { DisruptionBudget, Pod } from '../types.ts';

type Known = { namespace: string; selects: ReturnType<typeof labelMatcher>; index: number };

export class Budgets {
  readonly #known: Known[];
  readonly #allowed: number[];

  constructor(budgets: readonly DisruptionBudget[]) {
    this.#known = budgets.map(({ namespace, selector }, index) => ({
      namespace,
      selects: labelMatcher(selector),
      index,
    }));
    this.#allowed = budgets.map(({ disruptionsAllowed }) => disruptionsAllowed);
  }

  #of({ namespace, shape }: Pod): Known[] {
    return this.#known.filter((one) => one.namespace === namespace && one.selects(shape.labels));
  }
  isCovered(pod: Pod): boolean {
    return this.#of(pod).length > 0;
  }
  /** The eviction API refuses a pod with several budgets. */
  allows(pod: Pod): boolean {
    const own = this.#of(pod);
    return own.length === 0 || (own.length === 1 && this.#allowed[own[0]!.index]! > 0);
  }
  take(pod: Pod): void {
    for (const { index } of this.#of(pod)) this.#allowed[index]!--;
  }
  giveBack(pod: Pod): void {
    for (const { index } of this.#of(pod)) this.#allowed[index]!++;
  }
}

/** Takes from the budgets for all pods, or for none of them; answers the pod that has none left. */
export const takeAll = (budgets: Budgets, pods: readonly Pod[]): Pod | undefined => {
  for (const [at, pod] of pods.entries()) {
    if (budgets.allows(pod)) {
      budgets.take(pod);
      continue;
    }
    for (const taken of pods.slice(0, at)) budgets.giveBack(taken);
    return pod;
  }
  return undefined;
};
