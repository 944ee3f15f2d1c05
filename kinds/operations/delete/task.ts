/** The tasks of a delete: each waits until its objects are gone. Pure. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { type Course, onwards, waiting } from '../shared/progress.ts';
import { entered, judged } from '../shared/removal.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { withStays } from './stays.ts';
import { type DeleteStep, deleteSteps, judgeDelete } from './steps.ts';

const courseOf = ({ clusterState, now }: OperationScope): Course<DeleteStep> => ({
  steps: deleteSteps,
  judge: (step) => judgeDelete[step](clusterState),
  enter: (status, step) => entered(status, step, now),
  wait: (status, step, waitsFor) => ({ ...waiting(status, step, waitsFor), message: `${step}: ${waitsFor}` }),
  now,
});

export const deleteTask = (scope: OperationScope, status: OperationStatus, name: DeleteStep): Outcome => {
  const judgement = judgeDelete[name](scope.clusterState);
  const noted = withStays(entered(status, name, scope.now), scope.clusterState);
  const outcome = judged(scope, noted, name, judgement);
  // A held operation begins a step only when its workflow reaches it.
  if (judgement.verdict !== 'done' || outcome.status.phase === 'Held') return outcome;
  return { ...outcome, status: onwards(courseOf(scope), outcome.status, name) };
};
