import { labelMatcher } from '../api/labels.ts';
import type { KubeObject } from '../api/object.ts';
import type { Where } from '../api/reconcile.ts';

const isOwned = ({ metadata }: KubeObject, owner: string): boolean =>
  metadata.ownerReferences?.some(({ uid }) => uid === owner) ?? false;

const isSelected = ({ cluster, owner, labels }: Where, object: KubeObject): boolean =>
  (cluster === undefined || object.metadata.labels?.['cluster.x-k8s.io/cluster-name'] === cluster) &&
  (owner === undefined || isOwned(object, owner)) &&
  (labels === undefined || labelMatcher(labels)(object.metadata.labels));

export const matches = (where: Where, object: KubeObject): boolean =>
  (where.namespace === undefined || (object.metadata.namespace ?? '') === where.namespace) &&
  (isSelected(where, object) || (where.orOwner !== undefined && isOwned(object, where.orOwner)));
