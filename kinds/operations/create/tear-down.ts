/** The undo of a create: moves the target to Nothing and waits until nothing is left. Pure. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { stepOf } from '../shared/progress.ts';
import { judgeTearDown } from '../shared/proof.ts';
import { entered, judged, type Removal, waitForRemoval } from '../shared/removal.ts';
import { everAvailable, moveTarget, type OperationScope, type Outcome, writtenTarget } from '../shared/scope.ts';
import { heldInTearDown, tearingDown } from './messages.ts';

const tearDown: Removal = { name: 'TearDown', isProof: true, waiting: tearingDown, held: heldInTearDown };

/** Seconds after which resources that were being created when the target moved are visible. */
const settling = 10;

/** A cluster that ever was Available, or existed before Capstan, is never torn down. */
export const isSafeFromTearDown = ({ cluster, spec }: Pick<OperationScope, 'cluster' | 'spec'>): boolean =>
  everAvailable(cluster) || spec.adopted === true;

/** Resources that were being created when the target moved become visible only later. */
const isSettled = (status: OperationStatus, now: number): boolean => {
  const wasAdmitted = stepOf(status, 'Preflight')?.verdict === 'Succeeded';
  const started = stepOf(status, 'TearDown')?.started ?? '';
  return !wasAdmitted || now - Date.parse(started) >= settling * 1000;
};

export const tearDownTask = (scope: OperationScope, before: OperationStatus): Outcome => {
  const { deadline: _, late: __, ...rest } = before;
  const status = entered(rest, tearDown.name, scope.now);
  const actions = moveTarget(scope, 'Nothing');
  const waiting = 'waiting for the teardown to begin';
  if (writtenTarget(scope.cluster) !== 'Nothing')
    return { ...waitForRemoval(scope, status, tearDown, waiting), actions };
  const judgement = judgeTearDown(scope.clusterState);
  if (judgement.verdict === 'done' && !isSettled(status, scope.now))
    return waitForRemoval(scope, status, tearDown, waiting);
  return judged(scope, status, tearDown, judgement);
};
