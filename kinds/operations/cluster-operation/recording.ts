/** The tasks in which a workflow says where it has come to, and is told how to go on. Pure. */
import type { Await } from '../../../machinery/api/reconcile.ts';
import type { FailurePolicy } from '../../core/contract/operation.ts';
import { cancelled, decided, failedStep, held, reopened, stepOf, succeeded, tornDown } from './progress.ts';
import { isSafeFromTearDown } from './removal.ts';
import { everAvailable, moveTarget, type Outcome, type Scene, type Told } from './scene.ts';
import type { OperationStatus } from './schema.ts';
import {
  cancelledMessage,
  failureOf,
  heldByError,
  heldByPolicy,
  heldInDeletion,
  heldInTearDown,
  succeededMessage,
  tornDownMessage,
} from './sentences.ts';

export const recorders = ['Decide', 'Hold', 'Held', 'TearDownHeld', 'TornDown', 'Succeeded', 'Cancelled'] as const;
export type Recorder = (typeof recorders)[number];

const go: Told = { output: {} };
/** No state of a workflow that is as it should be leads here; the workflow holds. */
const outOfOrder = (status: OperationStatus, task: Recorder): Outcome => ({
  status,
  told: { error: 'OutOfOrder', cause: `${task} was reached although nothing proves it` },
});

/** For a workflow that has yet to hear that its operation is over. */
export const policyAfterEnd: FailurePolicy = 'Hold';

/** Read at the moment of the decision, and never a teardown of what may not be torn down. */
export const policyNow = ({ policy, ...scene }: Scene): FailurePolicy =>
  policy.onFailure === 'TearDown' && isSafeFromTearDown(scene) ? 'Hold' : policy.onFailure;

const succeed = ({ operation, now }: Scene, status: OperationStatus): Outcome => ({
  status: succeeded(status, succeededMessage(operation, status), now),
  told: go,
});

const decide = (scene: Scene, status: OperationStatus): Outcome => {
  const policy = policyNow(scene);
  const told = { output: { policy } };
  if (policy !== 'Retry') return { status, told };
  return { status: reopened(status, ({ verdict }) => verdict !== 'Succeeded'), told };
};

/** What our own tasks answer; every other name is that of an error nobody meant. */
const ownErrors = ['StepRefused', 'DeadlineExceeded', 'Held'];
const isOwn = (error: string | undefined): boolean => error === undefined || ownErrors.includes(error);

/** The step that ran when the error struck. */
const withError = (status: OperationStatus, error: string, now: number): OperationStatus =>
  status.step && stepOf(status, status.step)?.verdict === 'Running'
    ? decided(status, status.step, 'Failed', `its workflow met the error ${error}`, now)
    : status;

const holdDelete = (scene: Scene, status: OperationStatus, error: string | undefined): Outcome => {
  const { now } = scene;
  if (error !== undefined && !isOwn(error)) {
    const because = `The workflow met the error ${error}`;
    return { status: held(withError(status, error, now), heldByError(scene, because), now), told: go };
  }
  const waitsFor = failedStep(status)?.message ?? failureOf(status);
  const again = reopened(status, ({ name, verdict }) => name === 'Prove' && verdict !== 'Succeeded');
  return { status: held(again, heldInDeletion(waitsFor), now), told: go };
};

const holdCreate = (scene: Scene, status: OperationStatus, error: string | undefined): Outcome => {
  const { operation, cluster, now } = scene;
  if (everAvailable(cluster)) return succeed(scene, status);
  if (failedStep(status) && isOwn(error))
    return { status: held(status, heldByPolicy(operation, status), now), told: go };
  const name = error ?? 'unknown';
  const because = `The workflow met the error ${name}`;
  return { status: held(withError(status, name, now), heldByError(scene, because), now), told: go };
};

/** Tearing down begins again, for as long as it takes. */
const holdTearDown = ({ now }: Scene, status: OperationStatus): Outcome => {
  const waitsFor = stepOf(status, 'TearDown')?.message ?? 'something is left';
  const again = reopened(status, ({ name, verdict }) => name === 'TearDown' && verdict !== 'Succeeded');
  return { status: held(again, heldInTearDown(again, waitsFor), now), told: go };
};

const isDone = (status: OperationStatus, name: string): boolean => stepOf(status, name)?.verdict === 'Succeeded';

const isProved = ({ cluster, spec }: Scene, status: OperationStatus): boolean =>
  spec.type === 'delete' ? isDone(status, 'Prove') : isDone(status, 'Available') || everAvailable(cluster);

export const recordTask = (scene: Scene, status: OperationStatus, task: Recorder, waiting: Await): Outcome => {
  const { operation, spec, now } = scene;
  switch (task) {
    case 'Decide':
      return decide(scene, status);
    case 'Hold':
      return { status, told: go, actions: moveTarget(scene, 'Hold') };
    case 'Held':
      return (spec.type === 'delete' ? holdDelete : holdCreate)(scene, status, waiting.error);
    case 'TearDownHeld':
      return holdTearDown(scene, status);
    case 'TornDown':
      if (!isDone(status, 'TearDown')) return outOfOrder(status, task);
      return { status: tornDown(status, tornDownMessage(operation, status), now), told: go };
    case 'Succeeded':
      return isProved(scene, status) ? succeed(scene, status) : outOfOrder(status, task);
    case 'Cancelled':
      return {
        status: cancelled(status, cancelledMessage(operation, 'its workflow was told to end', false), now),
        told: go,
      };
    default:
      throw new Error(`unknown task ${task satisfies never}`);
  }
};
