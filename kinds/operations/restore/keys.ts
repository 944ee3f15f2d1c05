/**
 * Has the Secrets made again that the control plane needs and lost, from what is kept with the
 * snapshot. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { patchOf } from '../../common/owners.ts';
import { restoreKeysAnnotation } from '../../core/contract/file-requests.ts';
import { conditionsOf, oneLine, withCause } from '../shared/cause.ts';
import { done, type Judgement, pending, skipped } from '../shared/cluster-state.ts';
import type { OperationScope } from '../shared/scope.ts';
import { snapshotIn, snapshotStatusOf } from './obstacle.ts';
import { controlPlaneIn } from './parts.ts';

const keysIn = (scope: OperationScope) => {
  const snapshot = snapshotIn(scope);
  return snapshot ? snapshotStatusOf(snapshot).keys : undefined;
};

const isAnswered = (scope: OperationScope): boolean => keysIn(scope)?.request === scope.operation.metadata.name;

/** What the control plane says about its Secrets, unless it has not seen yet that they are there again. */
const judgeSecrets = (scope: OperationScope, restored: readonly string[]): Judgement => {
  const certificates = conditionOf(conditionsOf(controlPlaneIn(scope)), 'CertificatesAvailable');
  if (certificates?.status !== 'False') return done;
  const message = oneLine(certificates.message ?? 'certificates are missing');
  return restored.some((name) => message.includes(name))
    ? pending(message, 'KeysNotRestored')
    : { verdict: 'refused', message };
};

export const judgeKeys = (scope: OperationScope): Judgement => {
  const { kept = [], restored = [], message } = keysIn(scope) ?? {};
  if (kept.length === 0) return judgeSecrets(scope, []);
  if (!isAnswered(scope))
    return pending(
      withCause('waiting until it is known which Secrets of the cluster are absent', message),
      'KeysNotRead',
    );
  const judgement = judgeSecrets(scope, restored);
  return judgement.verdict === 'done' && restored.length > 0 ? skipped(message ?? '') : judgement;
};

/** The controller of the snapshot answers each new value of the annotation. */
export const askForKeys = (scope: OperationScope): Action[] => {
  const snapshot = snapshotIn(scope);
  const { name } = scope.operation.metadata;
  if (
    !snapshot ||
    !keysIn(scope)?.kept ||
    isAnswered(scope) ||
    snapshot.metadata.annotations?.[restoreKeysAnnotation] === name
  )
    return [];
  return [patchOf(snapshot, { metadata: { annotations: { [restoreKeysAnnotation]: name } } })];
};
