/** An ended operation that is deleted, and stays as the record of its Cluster. Pure. */
import { conditionOf, withConditions } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import { deletingBecause } from '../../common/undeleted.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import { isNamed } from '../shared/scope.ts';
import type { Observed } from './observe.ts';
import type { ClusterOperation, OperationStatus } from './schema.ts';

/**
 * Keeps the operation while a Cluster that never was Available names it: without its record, the
 * Cluster would start a new create, at a cost.
 */
export const isKept = ({ operation, cluster: read }: Pick<Observed, 'operation' | 'cluster'>): boolean => {
  const cluster = found(read);
  return cluster !== undefined && !isDeleting(cluster) && !wasAvailable(cluster) && isNamed({ operation, cluster });
};

/** Until when. */
export const keptUntil = ({ spec }: Pick<ClusterOperation, 'spec'>): string =>
  `It stays until the Cluster is deleted or another operation takes its place: without this record Cluster ${spec?.clusterName ?? ''} would be created again`;

const keptMessage = (operation: ClusterOperation): string => {
  const { spec, metadata } = operation;
  const of = `cluster ${spec?.clusterName ?? ''} -n ${metadata.namespace ?? ''}`;
  return `${keptUntil(operation)}. To go on, run: capstan retry ${of}; to give the cluster up: kubectl delete ${of}`;
};

const messageIn = ({ status }: KubeObject): string | undefined =>
  conditionOf((status as OperationStatus | undefined)?.conditions, 'Deleting')?.message;

/** Whether its controller keeps it although it is deleted. */
export const isReportedKept = (operation: KubeObject): boolean => messageIn(operation) !== undefined;

/** Tells its user, at first with an Event, too. */
export const keeping = (operation: ClusterOperation): Plan<OperationStatus> => {
  const { status = {}, metadata } = operation;
  const message = keptMessage(operation);
  const condition = { ...deletingBecause('Kept', message), lastTransitionTime: metadata.deletionTimestamp ?? '' };
  return {
    status: {
      ...status,
      conditions: withConditions((status.conditions ?? []) as Condition[], condition as Condition),
    },
    ...(messageIn(operation) !== message && {
      events: [{ type: 'Normal', reason: 'Kept', message, isOfStatus: true }],
    }),
  };
};
