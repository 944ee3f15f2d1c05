import type { JsonValue } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Target, targetOf } from '../../core/contract/target.ts';

/**
 * What the Cluster admits; undefined while it is not read. `clusterUid`: what the tags in the account name. Nobody knows
 * what a Cluster that is not there, or a namesake of that one, would have: nothing is made then, and nothing removed.
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
