/**
 * Completes a restore that a user asks for, or refuses it: the object names the snapshot, and what
 * every operation has follows from the Cluster.
 */

import { conflict, invalid } from '../../../machinery/api/errors.ts';
import { type FieldError, resourceOf } from '../../../machinery/api/kind.ts';
import { digestOf } from '../../common/digest.ts';
import { labels } from '../../common/labels.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { namesKind } from '../../core/contract/named.ts';
import { controlPlaneQueries } from '../../core/contract/plain-control-plane.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { operationFinalizer } from '../cluster-operation/controller-names.ts';
import { isOver } from '../cluster-operation/ended.ts';
import { clusterOperation } from '../cluster-operation/kind.ts';
import { clusterReference } from '../cluster-operation/owner.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { AdmissionScope } from '../shared/facts.ts';
import { triesAfter } from '../shared/tries.ts';
import { operationName } from '../starter/new-operation.ts';
import { isRestore } from './is-restore.ts';
import { obstacleToRestore, snapshotStatusOf } from './obstacle.ts';

const operations = resourceOf(clusterOperation);

const refuse = (name: string, error: Partial<FieldError> & Pick<FieldError, 'field'>): never => {
  throw invalid(clusterOperation, name, [{ reason: 'FieldValueInvalid', detail: '', ...error }]);
};

/** The operation that the Cluster names, while it decides something. */
const runningIn = (cluster: Cluster, own: readonly ClusterOperation[]): ClusterOperation | undefined =>
  own.find(
    (one) =>
      one.metadata.name === cluster.metadata.annotations?.[operationAnnotations.operation] &&
      !isOver(one) &&
      one.status?.phase !== 'Held',
  );

/** One that no Cluster names yet. */
const waitingIn = (own: readonly ClusterOperation[]): ClusterOperation | undefined =>
  own.find((one) => isRestore(one) && !isOver(one) && one.status?.execution === undefined);

export const admitRestore = async (
  { store, kinds, controlPlanes, workflows }: AdmissionScope,
  object: ClusterOperation,
): Promise<ClusterOperation> => {
  const { name, namespace = '' } = object.metadata;
  if (!workflows)
    refuse(name, {
      field: 'spec.type',
      reason: 'FieldValueForbidden',
      detail: 'a restore needs workflows, and this installation was started with --no-workflows',
    });
  const { clusterName = '', snapshot: snapshotName = '' } = object.spec ?? {};
  const at = (of: string) => ({ namespace, name: of });
  if (snapshotName === '')
    refuse(name, { field: 'spec.snapshot', reason: 'FieldValueRequired', detail: 'names the EtcdSnapshot to restore' });
  const [cluster, snapshot, { objects: all }] = await Promise.all([
    store.get('clusters.cluster.x-k8s.io', at(clusterName)) as Promise<Cluster | undefined>,
    store.get('etcdsnapshots.capstan.dev', at(snapshotName)),
    store.list(operations, { namespace }) as Promise<{ objects: ClusterOperation[] }>,
  ]);
  if (!cluster)
    return refuse(name, {
      field: 'spec.clusterName',
      value: clusterName,
      detail: `Cluster ${clusterName} is not there; to create a cluster that begins with EtcdSnapshot ${snapshotName}, run: capstan snapshot restore ${snapshotName} --into NEW -f FILE`,
    });
  if (!snapshot) return refuse(name, { field: 'spec.snapshot', value: snapshotName, reason: 'FieldValueNotFound' });
  const { controlPlaneRef } = cluster.spec ?? {};
  const kind = kinds.find((one) => one.role === 'ControlPlane' && namesKind(controlPlaneRef, one));
  const controlPlane = kind && controlPlaneRef && (await store.get(resourceOf(kind), at(controlPlaneRef.name)));
  const provider = controlPlane ? controlPlaneQueries(controlPlane, controlPlanes) : undefined;
  const obstacle = obstacleToRestore({ cluster, controlPlane: controlPlane || undefined, provider, snapshot });
  if (obstacle !== undefined) refuse(name, { field: 'spec.snapshot', value: snapshotName, detail: obstacle });
  const own = all.filter((one) => one.spec?.clusterName === clusterName);
  const other = runningIn(cluster, own) ?? waitingIn(own);
  if (other)
    throw conflict(
      { group: clusterOperation.group, plural: clusterOperation.plural },
      name,
      `ClusterOperation ${other.metadata.name} of the cluster is not over: wait for it, or cancel it`,
    );
  const restores = own.filter(isRestore);
  const attempt = Math.max(0, ...restores.map(({ spec }) => spec?.attempt ?? 0)) + 1;
  const expected = operationName(clusterName, 'restore', attempt);
  if (name !== expected)
    refuse(name, { field: 'metadata.name', value: name, detail: `the next restore of the cluster is ${expected}` });
  const { checksum } = snapshotStatusOf(snapshot);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, [labels.cluster]: clusterName },
      ownerReferences: [clusterReference(cluster)],
      finalizers: [operationFinalizer],
    },
    spec: {
      clusterName,
      type: 'restore',
      snapshot: snapshotName,
      attempt,
      tries: triesAfter(restores),
      // The same snapshot can be restored again later: each restore has a workflow of its own.
      fingerprint: digestOf([snapshot.metadata.uid ?? '', checksum ?? '', cluster.metadata.resourceVersion ?? '']),
    },
  };
};
