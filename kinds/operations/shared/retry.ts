/** Whether a user may ask for the next attempt of a cluster's operation. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { isChanging } from '../../core/contract/operation.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import { isOver } from '../cluster-operation/ended.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import { factsOf } from '../facts.ts';

/** Phases in which an upgrade waits for its user. */
const retried: readonly string[] = ['Held', 'RolledBack', 'Cancelled'];

/** Why there is no next attempt; undefined if there is. `operation`: the one that the Cluster names. */
export const refusalToRetry = (cluster: KubeObject, operation: ClusterOperation | undefined): string | undefined => {
  const { name, namespace, deletionTimestamp } = cluster.metadata;
  if (deletionTimestamp) return `cluster ${name} is being deleted: there is nothing to retry`;
  const phase = operation?.status?.phase ?? 'Pending';
  const isOfUser = factsOf(operation?.spec?.type)?.admission !== undefined;
  if (operation && isOfUser && phase === 'Held')
    return `operation ${operation.metadata.name} is Held, and retries no step: ${operation.status?.message}`;
  const isRetried = operation?.spec !== undefined && isChanging({ spec: operation.spec }) && !isOfUser;
  if (operation && isRetried && !isOver(operation) && phase !== 'Held')
    return operation.spec?.cancel
      ? `operation ${operation.metadata.name} is being cancelled: retry when that is over, which  kubectl get clop ${operation.metadata.name} -n ${namespace} -w  shows`
      : `operation ${operation.metadata.name} is ${phase}: there is nothing to retry`;
  if (wasAvailable(cluster) && !(isRetried && retried.includes(phase)))
    return `cluster ${name} has been available: there is nothing to retry, and what differs from its spec is worked on anyway`;
  return undefined;
};
