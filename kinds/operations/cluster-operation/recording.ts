/** The tasks in which a workflow of any type records its progress. Pure. */
import type { Await } from '../../../machinery/api/reconcile.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { outOfOrder, proceed } from '../shared/hold.ts';
import { cancelled, succeeded } from '../shared/progress.ts';
import { moveTarget, type OperationScope, type Outcome } from '../shared/scope.ts';
import type { OperationStatus } from './schema.ts';

export const recorders = ['Hold', 'Held', 'Succeeded', 'Cancelled'] as const;
export type Recorder = (typeof recorders)[number];

export const recordTask = (
  definition: OperationDefinition,
  scope: OperationScope,
  status: OperationStatus,
  task: Recorder,
  waiting: Await,
): Outcome => {
  const { operation, now } = scope;
  const { messages } = definition;
  switch (task) {
    case 'Hold':
      return { status, answer: proceed, actions: moveTarget(scope, 'Hold') };
    case 'Held':
      return definition.hold(scope, status, waiting.error);
    case 'Succeeded':
      return definition.isProved(scope, status)
        ? { status: succeeded(status, messages.succeeded(status, scope), now), answer: proceed }
        : outOfOrder(status, task);
    case 'Cancelled':
      return {
        status: cancelled(status, messages.cancelled(operation, 'its workflow was told to end', false), now),
        answer: proceed,
      };
    default:
      throw new Error(`unknown task ${task satisfies never}`);
  }
};
