/**
 * An operation without a waiting task: it has not started, its workflow is between two tasks, or
 * has ended. Pure.
 */
import { type Context, found } from '../../../machinery/api/reconcile.ts';
import type { Execution } from '../../ports/workflows.ts';
import { factsOf } from '../facts.ts';
import { oneLine } from '../shared/cause.ts';
import { running } from '../shared/clock.ts';
import type { OperationDefinition } from '../shared/definition.ts';
import { held, succeeded } from '../shared/progress.ts';
import { deleteStranded, pollInterval } from '../shared/removal.ts';
import { isNamed, type OperationScope, type Outcome } from '../shared/scope.ts';
import { definitionFor } from '../types.ts';
import { isOfFuture, isRestarted, isTakenBack, nextExecution, startOf } from './execution.ts';
import type { Observed } from './observe.ts';
import type { OperationStatus } from './schema.ts';

/**
 * Idempotent: after a crash before the status is written, the next pass starts the same execution.
 */
const start = (
  { operation, spec }: OperationScope,
  status: OperationStatus,
  name: string,
  { lastFailure }: Context,
): Outcome => {
  const actions = [startOf(operation, spec, name)];
  if (lastFailure?.operation === 'StartExecution') {
    const message = `Its workflow cannot be started: ${lastFailure.code}: ${oneLine(lastFailure.message)}`;
    return { status: { ...status, phase: 'Pending', message }, actions };
  }
  const phase = status.started === undefined ? 'Pending' : status.phase;
  return { status: { ...status, phase, execution: name, message: 'Waiting for its workflow' }, actions };
};

/**
 * Starts another workflow, which passes over the steps that are decided. The time before it does not
 * count: Capstan did not work on the operation.
 */
const restart = (scope: OperationScope, status: OperationStatus, context: Context): Outcome => {
  const { deadline: _, clock, ...rest } = status;
  const again = { ...rest, ...(clock && { clock: clock.since ? running({ seconds: 0 }, scope.now) : clock }) };
  return start(scope, again, nextExecution(scope.operation), context);
};

/** Seconds between checks of a running workflow: no event reports that it stopped. */
export const executionPoll = 3600;

/** Seconds until an operation of a user checks again whether its Cluster names it. */
const namingPoll = 2;

/** Milliseconds. DescribeExecution may not return a new execution at once. */
const startGrace = 60_000;
const isYoung = ({ operation, now }: OperationScope): boolean =>
  now - Date.parse(operation.metadata.creationTimestamp ?? '') < startGrace;

const stoppedBecause = (execution: Execution | undefined): string => {
  if (!execution) return 'Its workflow is gone';
  const why = [execution.error, execution.cause].filter(Boolean).join(': ');
  return `Its workflow was stopped${why ? `: ${oneLine(why)}` : ''}`;
};

/** A held operation checks whether the condition that it waits for has come true. */
const onHold = (definition: OperationDefinition, scope: OperationScope, status: OperationStatus): Outcome => {
  const proof = definition.awaited(scope);
  if (!proof) return { status };
  if (proof.verdict === 'done') return { status: definition.ended(scope, status) };
  const waitsFor = proof.verdict === 'pending' ? proof.waitsFor : proof.message;
  const message = definition.messages.waiting(scope.operation, status, waitsFor);
  return { status: { ...status, message }, ...deleteStranded(scope), requeueAfter: pollInterval };
};

export const unattended = (
  scope: OperationScope,
  status: OperationStatus,
  execution: Observed['execution'],
  context: Context,
): Outcome => {
  const { spec, now } = scope;
  if (status.execution === undefined) {
    if (isNamed(scope)) return start(scope, status, nextExecution(scope.operation), context);
    return {
      status: { ...status, phase: 'Pending', message: 'Waiting to be named by its Cluster' },
      // A user creates it before its Cluster names it, and a name alone hurries no other controller.
      ...(factsOf(spec.type)?.admission && { requeueAfter: namingPoll }),
    };
  }
  const definition = definitionFor(spec.type);
  if (!definition) return { status };
  const isFulfilled = definition.isFulfilled(scope);
  const whileHeld = (outcome: Outcome): Outcome => {
    const actions = [...(outcome.actions ?? []), ...(definition.whileHeld?.(scope) ?? [])];
    return actions.length > 0 ? { ...outcome, actions } : outcome;
  };
  const fulfilled = () => ({ status: succeeded(status, definition.messages.succeeded(status, scope), now) });
  if (status.phase === 'Held') {
    if (isFulfilled) return fulfilled();
    const resumed = definition.resumed?.(scope);
    if (!resumed) return whileHeld(onHold(definition, scope, status));
    const next = restart(scope, resumed, context);
    // It stays held until its workflow can be started.
    return next.status.execution === status.execution ? { ...next, status, requeueAfter: pollInterval } : next;
  }
  switch (execution?.state) {
    case undefined:
    case 'unread':
    case 'unreadable':
      return { status };
    case 'absent':
      if (isTakenBack(scope.operation)) return restart(scope, status, context);
      if (isYoung(scope)) return { status, requeueAfter: 10 };
      // It may have been started only now, long after the operation was created.
      if (status.started === undefined || isRestarted(scope.operation))
        return { ...start(scope, status, status.execution, context), requeueAfter: 10 };
      break;
    case 'found':
      if (execution.value.status === 'RUNNING') return { status, requeueAfter: executionPoll };
      // It goes through the steps that its record lacks, also where nothing is left to do.
      if (isTakenBack(scope.operation)) return restart(scope, status, context);
      if (isFulfilled) return fulfilled();
      if (isOfFuture(scope.operation, execution.value)) return restart(scope, status, context);
      break;
    default:
      throw new Error(`unknown answer ${execution satisfies never}`);
  }
  if (isFulfilled) return fulfilled();
  const message = definition.messages.heldByError(scope, status, stoppedBecause(found(execution!)));
  return whileHeld({ status: held(status, message, now), requeueAfter: 1 });
};
