import type { OperationStatus } from '../cluster-operation/schema.ts';
import { decidedAnswer } from '../shared/answers.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { isDone, isOwn, proceed, withError } from '../shared/hold.ts';
import { failureOf } from '../shared/messages.ts';
import { failedStep, held, reopened, stepOf, succeeded } from '../shared/progress.ts';
import type { OperationScope, Outcome } from '../shared/scope.ts';
import { heldInDeletion, messages } from './messages.ts';
import { observeDelete } from './observe.ts';
import { type DeleteStep, deleteSteps, judgeDelete } from './steps.ts';
import { deleteTask } from './task.ts';

const holdDelete = (scope: OperationScope, status: OperationStatus, error: string | undefined): Outcome => {
  const { now } = scope;
  if (error !== undefined && !isOwn(error)) {
    const because = `The workflow met the error ${error}`;
    return {
      status: held(withError(status, error, now), messages.heldByError(scope, status, because), now),
      answer: proceed,
    };
  }
  const waitsFor = failedStep(status)?.message ?? failureOf(status);
  const again = reopened(status, ({ name, verdict }) => name === 'Prove' && verdict !== 'Succeeded');
  return { status: held(again, heldInDeletion(waitsFor), now), answer: proceed };
};

export const deletion: OperationDefinition = {
  steps: deleteSteps,
  observe: observeDelete,
  task: (scope, status, name) => {
    const step = stepOf(status, name);
    const answer = step && decidedAnswer(step);
    return answer ? { status, answer } : deleteTask(scope, status, name as DeleteStep);
  },
  undo: {},
  isFulfilled: () => false,
  isProved: (_, status) => isDone(status, 'Prove'),
  hold: holdDelete,
  awaited: ({ clusterState }) => judgeDelete.Prove(clusterState),
  ended: (scope, status) => succeeded(status, messages.succeeded(status, scope), scope.now),
  messages,
  endsCluster: true,
};
