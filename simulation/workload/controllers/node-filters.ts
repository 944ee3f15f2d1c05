/** What a pod requires of its node's labels and taints. */
import { ownValue } from '../../../machinery/api/labels.ts';
import {
  meets,
  type NodeObject,
  type NodeSelectorTerm,
  type NodeTaint,
  type PodObject,
  type Toleration,
} from '../objects.ts';

export const tolerates = (tolerations: Toleration[] | undefined, taint: NodeTaint): Toleration | undefined =>
  tolerations?.find(
    ({ key, operator = 'Equal', value, effect }) =>
      (!effect || effect === taint.effect) &&
      (!key ? operator === 'Exists' : key === taint.key) &&
      (operator === 'Exists' || (value ?? '') === (taint.value ?? '')),
  );

export const matchesTerm = (term: NodeSelectorTerm, node: NodeObject): boolean =>
  ((term.matchExpressions?.length ?? 0) > 0 || (term.matchFields?.length ?? 0) > 0) &&
  meets(term.matchExpressions, node.metadata.labels ?? {}) &&
  meets(term.matchFields, { 'metadata.name': node.metadata.name });

/** Node selector and required node affinity. */
export const matchesNode = (pod: Pick<PodObject, 'spec'>, node: NodeObject): boolean => {
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return (
    Object.entries(pod.spec?.nodeSelector ?? {}).every(
      ([key, value]) => ownValue(node.metadata.labels, key) === value,
    ) &&
    (!required || (required.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node)))
  );
};

/** The taint that the pod does not tolerate, if any; with `effects` only those. */
export const repelling = (
  pod: Pick<PodObject, 'spec'>,
  node: NodeObject,
  effects = ['NoSchedule', 'NoExecute'],
): NodeTaint | undefined => {
  const cordon: NodeTaint[] = node.spec?.unschedulable
    ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }]
    : [];
  return [...(node.spec?.taints ?? []), ...cordon].find(
    (taint) => effects.includes(taint.effect) && !tolerates(pod.spec?.tolerations, taint),
  );
};
