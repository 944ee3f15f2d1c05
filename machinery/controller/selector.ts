import { labelMatcher } from '../api/labels.ts';
import type { KubeObject } from '../api/object.ts';
import type { Where } from '../api/reconcile.ts';

export const matches = ({ namespace, cluster, owner, labels }: Where, { metadata }: KubeObject): boolean =>
  (namespace === undefined || (metadata.namespace ?? '') === namespace) &&
  (cluster === undefined || metadata.labels?.['cluster.x-k8s.io/cluster-name'] === cluster) &&
  (owner === undefined || (metadata.ownerReferences?.some(({ uid }) => uid === owner) ?? false)) &&
  (labels === undefined || labelMatcher(labels)(metadata.labels));
