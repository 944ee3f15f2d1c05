/** The undo of a create: the infrastructure is planned towards nothing. Pure. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { stepOf } from '../shared/progress.ts';
import { judgeTearDown } from '../shared/proof.ts';
import { entered, judged, waitForRemoval } from '../shared/removal.ts';
import { everAvailable, moveTarget, type OperationScope, type Outcome, writtenTarget } from '../shared/scope.ts';

/** Seconds in which what was under way when the target moved has shown itself. */
const settling = 10;

/** A cluster that was ever Available, or was there before Capstan, is not torn down whatever led here. */
export const isSafeFromTearDown = ({ cluster, spec }: Pick<OperationScope, 'cluster' | 'spec'>): boolean =>
  everAvailable(cluster) || spec.adopted === true;

/** What was being bought when the target moved shows only a moment later. */
const isSettled = (status: OperationStatus, now: number): boolean => {
  const wasAdmitted = stepOf(status, 'Preflight')?.verdict === 'Succeeded';
  const started = stepOf(status, 'TearDown')?.started ?? '';
  return !wasAdmitted || now - Date.parse(started) >= settling * 1000;
};

export const tearDownTask = (scope: OperationScope, before: OperationStatus): Outcome => {
  const name = 'TearDown';
  const { deadline: _, late: __, ...rest } = before;
  const status = entered(rest, name, scope.now);
  const actions = moveTarget(scope, 'Nothing');
  const waiting = 'waiting for the teardown to begin';
  if (writtenTarget(scope.cluster) !== 'Nothing') return { ...waitForRemoval(scope, status, name, waiting), actions };
  const judgement = judgeTearDown(scope.clusterState);
  if (judgement.verdict === 'done' && !isSettled(status, scope.now))
    return waitForRemoval(scope, status, name, waiting);
  return judged(scope, status, name, judgement);
};
