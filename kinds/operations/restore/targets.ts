/**
 * What the control plane may do in each step. It follows from the recorded steps, so that a crash in
 * between loses nothing. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { patchAsObserved } from '../../common/owners.ts';
import { type ObjectTargets, objectTargets, targetKey } from '../../core/contract/object-targets.ts';
import type { Restoring } from '../../core/contract/restore.ts';
import { operationAnnotations } from '../../core/contract/target.ts';
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { stepOf } from '../shared/progress.ts';
import { isNamed, type OperationScope } from '../shared/scope.ts';
import { controlPlaneIn } from './parts.ts';
import { followerTargets, restoredBy } from './workers.ts';

const stepFor = (status: OperationStatus): Restoring['step'] | undefined => {
  if (stepOf(status, 'Join')) return 'Join';
  if (stepOf(status, 'RestoreFirst')) return 'First';
  return stepOf(status, 'StopMembers') ? 'Stop' : undefined;
};

const restoringIn = ({ operation }: OperationScope, status: OperationStatus): Restoring | undefined => {
  const step = stepFor(status);
  const { snapshot, version, hosts = [] } = status;
  if (!step || !snapshot) return undefined;
  const { location, checksum } = snapshot;
  const { name, uid = '' } = operation.metadata;
  const proved = version === undefined ? {} : { version };
  return { operation: name, uid, step, location, checksum, ...proved, hosts: step === 'Join' ? hosts : [] };
};

/** Conditional on the observed resourceVersion, as every move of a target. */
const written = ({ cluster, ...scope }: OperationScope, targets: ObjectTargets): Action[] => {
  if (!isNamed({ ...scope, cluster }) || isDeepStrictEqual(targets, objectTargets(cluster))) return [];
  const value = Object.keys(targets).length > 0 ? JSON.stringify(targets) : null;
  return [patchAsObserved(cluster, { metadata: { annotations: { [operationAnnotations.objectTargets]: value } } })];
};

/** Workers follow once the restored control plane is complete. */
const others = (scope: OperationScope, status: OperationStatus): ObjectTargets => {
  const controlPlane = controlPlaneIn(scope);
  const entries = Object.entries(
    stepOf(status, 'Verify')
      ? followerTargets(scope.clusterState, restoredBy(controlPlane, status.snapshot))
      : (objectTargets(scope.cluster) as ObjectTargets),
  );
  return Object.fromEntries(entries.filter(([key]) => !controlPlane || key !== targetKey(controlPlane)));
};

export const moveRestore = (scope: OperationScope, status: OperationStatus): Action[] => {
  const controlPlane = controlPlaneIn(scope);
  const restore = restoringIn(scope, status);
  if (!controlPlane || !restore) return [];
  return written(scope, { ...others(scope, status), [targetKey(controlPlane)]: { target: 'Restore', restore } });
};

/** The control plane follows its spec again. */
export const endRestore = (scope: OperationScope, status: OperationStatus): Action[] =>
  written(scope, others(scope, status));
