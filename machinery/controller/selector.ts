import type { KubeObject, LabelSelector } from '../api/object.ts';
import type { Where } from '../api/reconcile.ts';

/** Whether labels satisfy every requirement of a selector; an empty one selects everything. */
export const isSelected = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Record<string, string> = {},
): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator, values = [] }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      case 'DoesNotExist':
        return value === undefined;
      default:
        return false;
    }
  });

export const matches = ({ namespace, cluster, owner, labels }: Where, { metadata }: KubeObject): boolean =>
  (namespace === undefined || (metadata.namespace ?? '') === namespace) &&
  (cluster === undefined || metadata.labels?.['cluster.x-k8s.io/cluster-name'] === cluster) &&
  (owner === undefined || (metadata.ownerReferences?.some(({ uid }) => uid === owner) ?? false)) &&
  (labels === undefined || isSelected(labels, metadata.labels));
