/** Begins to delete a cluster, and lets its object go once nothing is left. Pure. */
import { createHash } from 'node:crypto';
import { found, type Plan } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { Beginning } from '../shared/beginning.ts';
import { begin, isUnnamed, latestOf, nameAnew, recordedRegion } from '../starter/current.ts';
import { newOperation } from '../starter/new-operation.ts';
import type { Observed } from '../starter/observe.ts';

/** A delete does not depend on the cluster's description. */
const deletionFingerprint = ({ metadata }: Cluster): string =>
  createHash('sha256')
    .update(metadata.uid ?? '')
    .digest('hex')
    .slice(0, 16);

const reconcileDelete = (snapshot: Observed): Plan => {
  const { cluster, namespace } = snapshot;
  const terminating = namespace.state === 'absent' || (found(namespace) && isDeleting(found(namespace)!));
  if (terminating) return { finished: true };
  const latest = latestOf(snapshot, 'delete');
  if (!latest || latest.status?.phase === 'Cancelled') {
    const region = recordedRegion(snapshot);
    return begin(newOperation(snapshot, 'delete', deletionFingerprint(cluster), { ...(region && { region }) }));
  }
  if (isUnnamed(cluster, latest)) return nameAnew(latest);
  return latest.status?.phase === 'Succeeded' ? { finished: true } : {};
};

export const deleteBegins: Beginning = { of: 'deleted', begin: reconcileDelete };
