/** Names a restore on its Cluster, and keeps other operations away from it. A user creates it. Pure. */

import type { Plan } from '../../../machinery/api/reconcile.ts';
import { type ObjectTargets, objectTargets } from '../../core/contract/object-targets.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import { isOver } from '../cluster-operation/ended.ts';
import type { ClusterOperation } from '../cluster-operation/schema.ts';
import type { Beginning } from '../shared/beginning.ts';
import { annotate, isNamed, isUnnamed, latestOf } from '../starter/current.ts';
import type { Observed } from '../starter/observe.ts';

const isHeld = ({ status }: ClusterOperation): boolean => status?.phase === 'Held';

/** An operation that still decides something. */
const isAnotherRunning = ({ cluster, operations }: Observed, restore: ClusterOperation): boolean =>
  operations.some((one) => one !== restore && isNamed(cluster, one) && !isOver(one) && !isHeld(one));

/** After a success the control plane follows its spec again, also if the workflow did not record the success. */
const withoutRestore = ({ cluster }: Observed): Plan | undefined => {
  const all = Object.entries(objectTargets(cluster) as ObjectTargets);
  const kept = all.filter(([, { target }]) => target !== 'Restore');
  if (kept.length === all.length) return undefined;
  const value = kept.length > 0 ? JSON.stringify(Object.fromEntries(kept)) : null;
  return annotate({ [operationAnnotations.objectTargets]: value });
};

/** Undefined if other operations may begin. */
const reconcileRestore = (snapshot: Observed): Plan | undefined => {
  const { cluster } = snapshot;
  const latest = latestOf(snapshot, 'restore');
  if (!latest) return undefined;
  if (isUnnamed(cluster, latest)) {
    // The target of the cluster stays as it is: it was Available.
    const name = { [operationAnnotations.operation]: latest.metadata.name };
    return isAnotherRunning(snapshot, latest) ? {} : annotate(name);
  }
  if (!isOver(latest)) return isNamed(cluster, latest) ? {} : undefined;
  if (latest.status?.phase === 'Succeeded') return withoutRestore(snapshot);
  const left = Object.values(objectTargets(cluster)).find((one) => one?.target === 'Restore');
  if (!left) return undefined;
  // A control plane that was stopped, and not restored, has nothing to upgrade. One whose restore was
  // superseded once it served follows its spec.
  return left.restore?.step === 'Join' ? withoutRestore(snapshot) : {};
};

export const restoreBegins: Beginning = { of: 'available', comesFirst: true, begin: reconcileRestore };
