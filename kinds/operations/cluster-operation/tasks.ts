/** What each task of a workflow means. Pure. */
import type { Await } from '../../../machinery/api/reconcile.ts';
import { createTask, decidedAnswer } from './building.ts';
import { isOver } from './past.ts';
import { stepOf, succeeded } from './progress.ts';
import { policyAfterEnd, type Recorder, recorders, recordTask } from './recording.ts';
import { deleteTask, isSafeFromTearDown, tearDownTask } from './removal.ts';
import { everAvailable, type Outcome, type Scene, type Told } from './scene.ts';
import type { OperationSpec, OperationStatus } from './schema.ts';
import { succeededMessage } from './sentences.ts';
import { type CreateStep, createSteps } from './steps/create.ts';
import { type DeleteStep, deleteSteps } from './steps/delete.ts';

const isCreateStep = (name: string): name is CreateStep => createSteps.some((step) => step === name);
const isDeleteStep = (name: string): name is DeleteStep => deleteSteps.some((step) => step === name);
const isRecorder = (name: string): name is Recorder => recorders.some((task) => task === name);

const order: readonly string[] = [...createSteps, ...deleteSteps, 'TearDown', ...recorders];
/** Where in a workflow a task stands; unknown ones last. */
export const placeOf = (task: string): number => (order.includes(task) ? order.indexOf(task) : order.length);

/** Told to the tasks of an operation that is over, so that its workflow comes to its end. */
export const toldOfEnded = ({ phase, steps, message = '' }: OperationStatus, task: string): Told => {
  const known = steps?.find(({ name }) => name === task);
  const told = known && decidedAnswer(known);
  if (told) return told;
  if (task === 'Decide') return { output: { policy: policyAfterEnd } };
  if (isRecorder(task)) return { output: {} };
  if (phase === 'Succeeded' && (isCreateStep(task) || isDeleteStep(task))) return { output: {} };
  return { error: 'Cancelled', cause: message };
};

/** Undoing what may not be undone: the workflow ends, and the operation says what is so. */
const refusedTearDown = ({ operation, cluster, now }: Scene, status: OperationStatus): Outcome =>
  everAvailable(cluster)
    ? {
        status: succeeded(status, succeededMessage(operation, status), now),
        told: { error: 'Cancelled', cause: 'the cluster is Available' },
      }
    : { status, told: { error: 'NotFromNothing', cause: 'the cluster was there before Capstan' } };

const unknown = (status: OperationStatus, task: string, { type }: OperationSpec): Outcome => ({
  status,
  told: { error: 'UnknownStep', cause: `an operation of type ${type} knows no step ${task}` },
});

export const taskOf = (scene: Scene, status: OperationStatus, waiting: Await): Outcome => {
  const { operation, spec } = scene;
  const task = waiting.step;
  if (isOver({ ...operation, status })) return { status, told: toldOfEnded(status, task) };
  if (spec.type === 'create' && isCreateStep(task)) return createTask(scene, status, task);
  const known = stepOf(status, task);
  const told = known && decidedAnswer(known);
  if (told) return { status, told };
  if (spec.type === 'create' && task === 'TearDown')
    return isSafeFromTearDown(scene) ? refusedTearDown(scene, status) : tearDownTask(scene, status);
  if (spec.type === 'delete' && isDeleteStep(task)) return deleteTask(scene, status, task);
  return isRecorder(task) ? recordTask(scene, status, task, waiting) : unknown(status, task, spec);
};
