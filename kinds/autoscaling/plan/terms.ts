/** Which pods the terms of pod affinity and anti-affinity, and spread constraints, select. Pure. */
import { type Labels, labelMatcher, ownValue } from '../../../machinery/api/labels.ts';
import type { LabelSelector } from '../../../machinery/api/object.ts';
import type { PodClass } from './classes.ts';
import type { PodTerm, SpreadConstraint } from './types.ts';

export type Selects = (pod: PodClass) => boolean;

/** The namespaces of a term; without any named or selected, the pod's own. */
const inNamespaces = (
  { namespaces = [], namespaceSelector }: PodTerm,
  own: string,
  known: Record<string, Labels>,
): ((namespace: string) => boolean) => {
  if (namespaces.length === 0 && !namespaceSelector) return (namespace) => namespace === own;
  const named = new Set(namespaces);
  const selected = labelMatcher(namespaceSelector);
  return (namespace) => named.has(namespace) || selected(ownValue(known, namespace));
};

export const selectsByTerm = (term: PodTerm, own: string, known: Record<string, Labels>): Selects => {
  const isThere = inNamespaces(term, own, known);
  const isSelected = labelMatcher(term.labelSelector);
  return ({ namespace, shape }) => isThere(namespace) && isSelected(shape.labels);
};

/** The selector narrowed by the values that the pod itself has for matchLabelKeys. */
const narrowed = ({ labelSelector, matchLabelKeys = [] }: SpreadConstraint, labels: Labels): LabelSelector => {
  const own = matchLabelKeys.flatMap((key) => {
    const value = ownValue(labels, key);
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...own] };
};

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

/**
 * Which pods a constraint counts, and whether its own pod is one of them. The scheduler counts no
 * pods for an empty selector, and still adds the pod itself.
 */
export const selectsBySpread = (constraint: SpreadConstraint, pod: PodClass): { counts: Selects; self: boolean } => {
  const selector = constraint.labelSelector && narrowed(constraint, pod.shape.labels);
  const isSelected = labelMatcher(selector);
  const countsNone = !selector || isEmpty(selector);
  return {
    counts: ({ namespace, deleting, shape }) =>
      !countsNone && namespace === pod.namespace && !deleting && isSelected(shape.labels),
    self: isSelected(pod.shape.labels),
  };
};
