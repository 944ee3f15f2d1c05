/**
 * Reads the whole file once more before the first member stops: afterwards nothing else is left.
 * Pure.
 */

import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import { patchOf } from '../../common/owners.ts';
import { verifyAnnotation } from '../../core/contract/file-requests.ts';
import { conditionsOf, withCause } from '../shared/cause.ts';
import { done, type Judgement, pending } from '../shared/cluster-state.ts';
import type { OperationScope } from '../shared/scope.ts';
import { snapshotIn, snapshotStatusOf } from './obstacle.ts';

const isAsked = ({ operation, ...scope }: OperationScope): boolean =>
  snapshotIn(scope)?.metadata.annotations?.[verifyAnnotation] === operation.metadata.name;

const unread = (snapshot: KubeObject | undefined): string | undefined => {
  const { reason, message } = (snapshot && conditionOf(conditionsOf(snapshot), 'Ready')) ?? {};
  return reason === 'StorageUnreadable' ? message : undefined;
};

export const judgeFile = (scope: OperationScope): Judgement => {
  const snapshot = snapshotIn(scope);
  const { name } = scope.operation.metadata;
  const { verification } = snapshot ? snapshotStatusOf(snapshot) : {};
  if (!snapshot || verification?.request !== name)
    return pending(
      withCause(`waiting until the file of EtcdSnapshot ${scope.spec.snapshot} is read again`, unread(snapshot)),
      'FileNotRead',
    );
  if (verification.valid) return done;
  return { verdict: 'refused', message: `EtcdSnapshot ${scope.spec.snapshot} is damaged: ${verification.message}` };
};

/** The controller of the snapshot answers each new value of the annotation. */
export const askForProof = (scope: OperationScope): Action[] => {
  const snapshot = snapshotIn(scope);
  if (!snapshot || isAsked(scope)) return [];
  return [patchOf(snapshot, { metadata: { annotations: { [verifyAnnotation]: scope.operation.metadata.name } } })];
};
