/** The last snapshot of the cluster, taken while its workers leave. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { deletionOf } from '../../common/owners.ts';
import {
  finalDeadline,
  finalSnapshotAnnotation,
  finalSnapshotName,
  finalTtl,
  isFinalWanted,
} from '../../core/contract/final-snapshot.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { snapshotStatusOf } from '../restore/obstacle.ts';
import { conditionsOf, oneLine } from '../shared/cause.ts';
import { type ClusterState, type Judgement, pending } from '../shared/cluster-state.ts';
import { everAvailable, type OperationScope } from '../shared/scope.ts';

type Final = NonNullable<OperationStatus['finalSnapshot']>;

const workflows = { workflows: true };

const answers = ({ workload }: ClusterState): boolean => workload?.reachable === true;

const finalIn = ({ snapshots, cluster }: ClusterState): KubeObject | undefined =>
  snapshots.find(({ metadata }) => metadata.name === finalSnapshotName(cluster));

const silent = 'No last snapshot was taken, because the API server of the cluster does not answer';
const untaken = (message: string): Final => ({ message });

const finalOf = (clusterState: ClusterState): Final | undefined => {
  const { cluster, managesEtcd } = clusterState;
  if (!everAvailable(cluster)) return undefined;
  if (!isFinalWanted(cluster, workflows))
    return untaken(`No last snapshot was taken, because of ${finalSnapshotAnnotation} of the Cluster`);
  const snapshot = finalIn(clusterState);
  if (!snapshot) {
    if (!managesEtcd) return untaken('No last snapshot was taken, because Capstan does not manage its etcd');
    return answers(clusterState) ? undefined : untaken(silent);
  }
  const { phase, completedAt = '' } = snapshotStatusOf(snapshot);
  const { name } = snapshot.metadata;
  const { message = '' } = conditionOf(conditionsOf(snapshot), 'Ready') ?? {};
  switch (phase) {
    case 'Succeeded':
      return { name, keptUntil: timestamp(Date.parse(completedAt) + finalTtl * 1000) };
    case 'Failed':
      return untaken(`No last snapshot was taken: ${oneLine(message)}`);
    default:
      return answers(clusterState) ? undefined : untaken(silent);
  }
};

/** What is decided about it stays so: later the cluster does not answer any more. */
export const withFinal = (status: OperationStatus, clusterState: ClusterState): OperationStatus => {
  const finalSnapshot = status.finalSnapshot ?? finalOf(clusterState);
  return finalSnapshot ? { ...status, finalSnapshot } : status;
};

/** Awaited before the control plane goes; undefined once it is decided. */
export const awaitedFinal = (
  { clusterState }: OperationScope,
  { finalSnapshot }: OperationStatus,
): Judgement | undefined => {
  const { cluster } = clusterState;
  return finalSnapshot || !everAvailable(cluster) || finalOf(clusterState)
    ? undefined
    : pending(`waiting for EtcdSnapshot ${finalSnapshotName(cluster)}, the last one of the cluster`);
};

const isUnfinished = (snapshot: KubeObject): boolean =>
  !['Succeeded', 'Failed'].includes(snapshotStatusOf(snapshot).phase ?? '');

/** It has no owner, and outlives the cluster. One that is decided against goes. */
export const takeFinal = ({ clusterState }: OperationScope, status: OperationStatus): Action[] => {
  const { cluster, managesEtcd } = clusterState;
  const snapshot = finalIn(clusterState);
  if (snapshot) {
    const isInVain = status.finalSnapshot && isUnfinished(snapshot) && !isDeleting(snapshot);
    return isInVain ? [deletionOf(snapshot)] : [];
  }
  const isDue = isFinalWanted(cluster, workflows) && managesEtcd && answers(clusterState) && !status.finalSnapshot;
  if (!isDue) return [];
  const { namespace = '', name } = cluster.metadata;
  const object: KubeObject = {
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'EtcdSnapshot',
    metadata: { namespace, name: finalSnapshotName(cluster), labels: { [labels.cluster]: name } },
    spec: {
      clusterName: name,
      reason: 'Deletion',
      activeDeadlineSeconds: finalDeadline,
      ttlSecondsAfterFinished: finalTtl,
    },
  };
  return [{ do: 'create', object }];
};

/** For the deletion's last message. */
export const finalMessage = ({ finalSnapshot }: OperationStatus, namespace: string): string => {
  const { name, keptUntil, message } = finalSnapshot ?? {};
  if (name === undefined) return message === undefined ? '' : `. ${message}`;
  return `. Its last state is EtcdSnapshot ${name} until ${keptUntil}; to remove it now, run: kubectl delete etcdsnapshot ${name} -n ${namespace}`;
};
