/** Which MachineDrainRule applies to a Pod that leaves a Node. Pure. */
import { type Labels, labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import type { MachineDrainRule } from './schema.ts';

const selects = (selector: LabelSelector | undefined, labels: Labels | undefined): boolean =>
  selector === undefined || labelMatcher(selector)(labels);

/** The rules for a Machine, in the order in which they are tried. */
export const rulesFor = (
  rules: readonly MachineDrainRule[],
  machine: KubeObject,
  cluster: KubeObject | undefined,
): MachineDrainRule[] =>
  rules
    .filter(
      ({ spec }) =>
        spec?.machines?.some(
          ({ selector, clusterSelector }) =>
            selects(selector, machine.metadata.labels) && selects(clusterSelector, cluster?.metadata.labels),
        ) ?? true,
    )
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

export const selectsNamespaces = (rules: readonly MachineDrainRule[]): boolean =>
  rules.some(({ spec }) => spec?.pods?.some(({ namespaceSelector }) => namespaceSelector !== undefined));

/** `namespaces`: the labels of each namespace of the workload cluster. */
export const ruleFor = (
  pod: KubeObject,
  rules: readonly MachineDrainRule[],
  namespaces: ReadonlyMap<string, Labels>,
): MachineDrainRule | undefined =>
  rules.find(
    ({ spec }) =>
      spec?.pods?.some(
        ({ selector, namespaceSelector }) =>
          selects(selector, pod.metadata.labels) &&
          selects(namespaceSelector, namespaces.get(pod.metadata.namespace ?? '')),
      ) ?? true,
  );
