/** The tasks of a delete: each waits until its objects are gone. Pure. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import { type Course, onwards, waiting } from '../shared/progress.ts';
import { entered, judged, type Removal } from '../shared/removal.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { heldInDeletion } from './messages.ts';
import { withStays } from './stays.ts';
import { type DeleteStep, deleteSteps, judgeDelete } from './steps.ts';

const messageOf = (step: DeleteStep, waitsFor: string): string => `${step}: ${waitsFor}`;

const removalOf = (step: DeleteStep): Removal => ({
  name: step,
  isProof: step === 'Prove',
  waiting: (_, waitsFor) => messageOf(step, waitsFor),
  held: (_, waitsFor) => heldInDeletion(waitsFor),
});

const courseOf = ({ clusterState, now }: OperationScope): Course<DeleteStep> => ({
  steps: deleteSteps,
  judge: (step) => judgeDelete[step](clusterState),
  enter: (status, step) => entered(status, step, now),
  wait: (status, step, waitsFor) => ({ ...waiting(status, step, waitsFor), message: messageOf(step, waitsFor) }),
  now,
});

export const deleteTask = (scope: OperationScope, status: OperationStatus, name: DeleteStep): Outcome => {
  const judgement = judgeDelete[name](scope.clusterState);
  const noted = withStays(entered(status, name, scope.now), scope.clusterState);
  const outcome = judged(scope, noted, removalOf(name), judgement);
  // A held operation begins a step only when its workflow reaches it.
  if (judgement.verdict !== 'done' || outcome.status.phase === 'Held') return outcome;
  return { ...outcome, status: onwards(courseOf(scope), outcome.status, name) };
};
