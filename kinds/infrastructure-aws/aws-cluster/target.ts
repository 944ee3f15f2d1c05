import type { JsonValue } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Target, targetOf } from '../../core/contract/target.ts';

/**
 * The target that the Cluster admits; undefined while unread. `clusterUid`: the uid in the
 * account's tags. Without the Cluster, or with another one of the same name, the target is unknown:
 * the controller creates nothing and removes nothing.
 */
export const admittedTarget = (
  cluster: Read<Cluster>,
  clusterUid: string | undefined,
  config: Record<string, JsonValue>,
): Target | undefined => {
  if (config.workflows !== true) return 'Build';
  if (cluster.state === 'unread') return undefined;
  const admitting = found(cluster);
  const isMeant = clusterUid === undefined || admitting?.metadata.uid === clusterUid;
  return admitting && isMeant ? targetOf(admitting, config) : 'Hold';
};
