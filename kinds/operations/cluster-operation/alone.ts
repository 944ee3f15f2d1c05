/** An operation that no task waits for: it has yet to begin, its workflow is between two tasks, or has ended. Pure. */
import { type Context, found } from '../../../machinery/api/reconcile.ts';
import type { Execution } from '../../ports/workflows.ts';
import { executionName, startOf } from './execution.ts';
import type { Snapshot } from './observe.ts';
import { held, stepOf, succeeded, tornDown } from './progress.ts';
import { endsByItself, lookAgain, proofOf, takeAway } from './removal.ts';
import { everAvailable, isNamed, type Outcome, type Scene, writtenTarget } from './scene.ts';
import type { OperationStatus } from './schema.ts';
import { heldByError, heldInDeletion, heldInTearDown, succeededMessage, tornDownMessage } from './sentences.ts';
import { sentence } from './steps/cause.ts';

/** Starting what was started is no harm, so that a crash before the status is written is none either. */
const start = ({ operation, spec, cluster }: Scene, status: OperationStatus, { lastFailure }: Context): Outcome => {
  const name = executionName(cluster.metadata.uid ?? '', spec);
  const actions = [startOf(operation, spec, name)];
  if (lastFailure?.operation === 'StartExecution') {
    const message = `Its workflow cannot be started: ${lastFailure.code}: ${sentence(lastFailure.message)}`;
    return { status: { ...status, phase: 'Pending', message }, actions };
  }
  return { status: { ...status, phase: 'Pending', execution: name, message: 'Waiting for its workflow' }, actions };
};

/** Seconds until a workflow that runs is looked at again, between two tasks or when it has ended and nobody was told. */
export const untold = 3600;

/** A start is not seen at once by those who ask. */
const startGrace = 60_000;
const isYoung = ({ operation, now }: Scene): boolean =>
  now - Date.parse(operation.metadata.creationTimestamp ?? '') < startGrace;

const stoppedBecause = (execution: Execution | undefined): string => {
  if (!execution) return 'Its workflow is gone';
  const why = [execution.error, execution.cause].filter(Boolean).join(': ');
  return `Its workflow was stopped${why ? `: ${sentence(why)}` : ''}`;
};

/** What is on hold looks by itself whether it has come true. */
const onHold = (scene: Scene, status: OperationStatus): Outcome => {
  const { operation, spec, now } = scene;
  if (!endsByItself(scene)) return { status };
  const isDelete = spec.type === 'delete';
  const proof = proofOf(scene);
  if (proof.verdict === 'done')
    return {
      status: isDelete
        ? succeeded(status, succeededMessage(operation, status), now)
        : tornDown(status, tornDownMessage(operation, status), now),
    };
  const waitsFor = proof.verdict === 'pending' ? proof.waitsFor : proof.message;
  const message = isDelete ? heldInDeletion(waitsFor) : heldInTearDown(status, waitsFor);
  return { status: { ...status, message }, ...takeAway(scene), requeueAfter: lookAgain };
};

const ranOut = (scene: Scene, status: OperationStatus, because: string): Outcome => {
  const { cluster, now } = scene;
  const isUndoing = stepOf(status, 'TearDown') !== undefined || writtenTarget(cluster) === 'Nothing';
  const message = isUndoing ? heldInTearDown(status, sentence(because)) : heldByError(scene, because);
  return { status: held(status, message, now), requeueAfter: 1 };
};

export const unattended = (
  scene: Scene,
  status: OperationStatus,
  execution: Snapshot['execution'],
  context: Context,
): Outcome => {
  const { operation, spec, cluster, now } = scene;
  if (status.execution === undefined) {
    if (isNamed(scene)) return start(scene, status, context);
    return { status: { ...status, phase: 'Pending', message: 'Waiting to be named by its Cluster' } };
  }
  const isAvailable = spec.type === 'create' && everAvailable(cluster);
  if (status.phase === 'Held')
    return isAvailable
      ? { status: succeeded(status, succeededMessage(operation, status), now) }
      : onHold(scene, status);
  switch (execution?.state) {
    case undefined:
    case 'unread':
    case 'unreadable':
      return { status };
    case 'absent':
      if (isYoung(scene)) return { status, requeueAfter: 10 };
      // It may have been started just now, long after it was made.
      if (status.started === undefined) return { ...start(scene, status, context), requeueAfter: 10 };
      break;
    case 'found':
      if (execution.value.status === 'RUNNING') return { status, requeueAfter: untold };
      break;
    default:
      throw new Error(`unknown answer ${execution satisfies never}`);
  }
  if (isAvailable) return { status: succeeded(status, succeededMessage(operation, status), now) };
  return ranOut(scene, status, stoppedBecause(found(execution!)));
};
