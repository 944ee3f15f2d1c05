/** Builds a new operation object. Pure. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { regionOf } from '../../core/contract/cluster.ts';
import { findNamed } from '../../core/contract/named.ts';
import { operationAnnotations, policyAnnotations } from '../../core/contract/target.ts';
import { operationFinalizer } from '../cluster-operation/controller-names.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import type { ClusterOperation, OperationSpec } from '../cluster-operation/schema.ts';
import type { OperationType } from '../facts.ts';
import { triesAfter } from '../shared/tries.ts';
import { ownOperations } from './current.ts';
import type { Observed } from './observe.ts';

const longestName = 253;

/** Derived from type and attempt, so that creating it twice collides. */
export const operationName = (cluster: string, type: OperationType, attempt: number): string => {
  const ending = `-${type}-${attempt}`;
  return `${cluster.slice(0, longestName - ending.length)}${ending}`;
};

/**
 * The attempt in the name of the operation that the Cluster names, even if that operation is gone.
 */
const namedAttempt = ({ metadata }: KubeObject, type: OperationType): number => {
  const name = metadata.annotations?.[operationAnnotations.operation] ?? '';
  const attempt = Number(new RegExp(`-${type}-(\\d+)$`).exec(name)?.[1] ?? 0);
  return operationName(metadata.name, type, attempt) === name ? attempt : 0;
};

/** Never reuses a name, not even of an operation of a former Cluster of this name. */
export const nextAttempt = ({ cluster, operations }: Observed, type: OperationType): number => {
  const before = operations.filter(({ spec }) => spec?.type === type).map(({ spec }) => spec?.attempt ?? 0);
  return Math.max(0, namedAttempt(cluster, type), ...before) + 1;
};

/** That of its infrastructure, or of a control plane that has the infrastructure with it. */
const regionIn = ({ cluster: { spec }, description }: Observed): string | undefined =>
  regionOf(findNamed(description.objects, spec?.infrastructureRef)) ??
  regionOf(findNamed(description.objects, spec?.controlPlaneRef));

export const newOperation = (
  observed: Observed,
  type: OperationType,
  fingerprint: string,
  more: Pick<OperationSpec, 'adopted' | 'region' | 'objects' | 'policy'> = {},
): ClusterOperation => {
  const { cluster } = observed;
  const { namespace = '', name, annotations = {} } = cluster.metadata;
  const attempt = nextAttempt(observed, type);
  const retry = annotations[policyAnnotations.retry];
  const region = more.region ?? regionIn(observed);
  return {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: {
      namespace,
      name: operationName(name, type, attempt),
      labels: { [labels.cluster]: name },
      ownerReferences: [clusterReference(cluster)],
      finalizers: [operationFinalizer],
    },
    spec: {
      clusterName: name,
      type,
      fingerprint,
      attempt,
      tries: triesAfter(ownOperations(observed).filter(({ spec }) => spec?.type === type)),
      ...(region && { region }),
      ...(retry !== undefined && { retry }),
      ...(more.policy && { policy: more.policy }),
      ...(more.objects && { objects: more.objects }),
      ...(more.adopted && { adopted: true }),
    },
  };
};
