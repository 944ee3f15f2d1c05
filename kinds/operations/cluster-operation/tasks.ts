/** Maps each task of a workflow to its handler. Pure. */
import type { Await } from '../../../machinery/api/reconcile.ts';
import { decidedAnswer } from '../shared/answers.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { proceed } from '../shared/hold.ts';
import { stepOf } from '../shared/progress.ts';
import type { OperationScope, Outcome, TaskAnswer } from '../shared/scope.ts';
import { definitionFor, operationsByType } from '../types.ts';
import { isOver } from './ended.ts';
import { type Recorder, recorders, recordTask } from './recording.ts';
import type { OperationSpec, OperationStatus } from './schema.ts';

const definitions = Object.values(operationsByType);
const isRecorder = (name: string): name is Recorder => recorders.some((task) => task === name);

const order: readonly string[] = [
  ...definitions.flatMap(({ steps }) => steps),
  ...definitions.flatMap(({ undo }) => Object.keys(undo)),
  ...recorders,
];
/** The position of a task in the workflow; unknown tasks come last. */
export const placeOf = (task: string): number => (order.includes(task) ? order.indexOf(task) : order.length);

/** The answer to a task of an ended operation, so that its workflow ends too. */
export const answerAfterEnd = (
  { phase, steps, message = '' }: OperationStatus,
  task: string,
  definition: OperationDefinition | undefined,
): TaskAnswer => {
  const known = steps?.find(({ name }) => name === task);
  const answer = known && decidedAnswer(known);
  if (answer) return answer;
  const undo = definition?.undo[task];
  if (undo?.afterEnd) return undo.afterEnd;
  if (isRecorder(task)) return proceed;
  if (phase === 'Succeeded' && definition?.steps.includes(task)) return proceed;
  return { error: 'Cancelled', cause: message };
};

const unknown = (status: OperationStatus, task: string, { type }: OperationSpec): Outcome => ({
  status,
  answer: { error: 'UnknownStep', cause: `an operation of type ${type} knows no step ${task}` },
});

export const taskOf = (scope: OperationScope, status: OperationStatus, waiting: Await): Outcome => {
  const { operation, spec } = scope;
  const task = waiting.step;
  const definition = definitionFor(spec.type);
  if (isOver({ ...operation, status })) return { status, answer: answerAfterEnd(status, task, definition) };
  if (!definition) return unknown(status, task, spec);
  if (definition.steps.includes(task)) return definition.task(scope, status, task);
  const known = stepOf(status, task);
  const answer = known && decidedAnswer(known);
  if (answer) return { status, answer };
  const undo = definition.undo[task];
  if (undo) return undo.run(scope, status);
  return isRecorder(task) ? recordTask(definition, scope, status, task, waiting) : unknown(status, task, spec);
};
