import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import type { AWSClusterControllerIdentity } from '../aws-cluster-controller-identity/schema.ts';

/** An identity of any kind. */
export type Identity = KubeObject<{
  allowedNamespaces?: NonNullable<AWSClusterControllerIdentity['spec']>['allowedNamespaces'];
}>;

const isEmpty = ({ matchLabels, matchExpressions }: LabelSelector) =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/**
 * Whether clusters in a namespace may use the identity: absent allows none, empty allows all, an empty selector none.
 */
export const allowsNamespace = (identity: Identity, namespace: KubeObject): boolean => {
  const allowed = identity.spec?.allowedNamespaces;
  if (!allowed) return false;
  const { list, selector } = allowed;
  if (!list?.length && !selector) return true;
  if (list?.includes(namespace.metadata.name)) return true;
  if (!selector || isEmpty(selector as LabelSelector)) return false;
  return labelMatcher(selector as LabelSelector)(namespace.metadata.labels);
};
