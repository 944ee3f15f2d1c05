/** The tasks of a delete: each waits until its objects are gone. Pure. */
import type { OperationStatus } from '../cluster-operation/schema.ts';
import type { Judgement } from '../shared/cluster-state.ts';
import { type Course, onwards, waiting } from '../shared/progress.ts';
import { entered, judged, type Removal } from '../shared/removal.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { awaitedFinal, takeFinal, withFinal } from './final-snapshot.ts';
import { heldInDeletion } from './messages.ts';
import { withCopies, withSnapshots, withStays } from './stays.ts';
import { type DeleteStep, deleteSteps, judgeDelete } from './steps.ts';

const messageOf = (step: DeleteStep, waitsFor: string): string => `${step}: ${waitsFor}`;

const removalOf = (step: DeleteStep): Removal => ({
  name: step,
  isProof: step === 'Prove',
  waiting: (_, waitsFor) => messageOf(step, waitsFor),
  held: (_, waitsFor) => heldInDeletion(waitsFor),
});

/** The control plane keeps its Machines until the last snapshot is over. */
const judge = (scope: OperationScope, status: OperationStatus, step: DeleteStep): Judgement => {
  const judgement = judgeDelete[step](scope.clusterState);
  return (step === 'DeleteWorkers' && judgement.verdict === 'done' && awaitedFinal(scope, status)) || judgement;
};

const courseOf = (scope: OperationScope, before: OperationStatus): Course<DeleteStep> => ({
  steps: deleteSteps,
  judge: (step) => judge(scope, before, step),
  enter: (status, step) => entered(status, step, scope.now),
  wait: (status, step, waitsFor) => ({ ...waiting(status, step, waitsFor), message: messageOf(step, waitsFor) }),
  now: scope.now,
});

export const deleteTask = (scope: OperationScope, status: OperationStatus, name: DeleteStep): Outcome => {
  const noted = [withStays, withSnapshots, withCopies, withFinal].reduce(
    (before, note) => note(before, scope.clusterState),
    entered(status, name, scope.now),
  );
  const judgement = judge(scope, noted, name);
  const judgedNow = judged(scope, noted, removalOf(name), judgement);
  const taken = name === 'DeleteWorkers' ? takeFinal(scope, noted) : [];
  const outcome = taken.length > 0 ? { ...judgedNow, actions: [...taken, ...(judgedNow.actions ?? [])] } : judgedNow;
  // A held operation begins a step only when its workflow reaches it.
  if (judgement.verdict !== 'done' || outcome.status.phase === 'Held') return outcome;
  return { ...outcome, status: onwards(courseOf(scope, outcome.status), outcome.status, name) };
};
