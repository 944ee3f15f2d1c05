import {
  type Action,
  type Answer,
  type Await,
  type Context,
  found,
  type Plan,
} from '../../../machinery/api/reconcile.ts';
import { checked, checkInterval, stopped } from '../shared/clock.ts';
import { cancelled as cancelledBecause, outageMessage, pausedMessage } from '../shared/messages.ts';
import { cancelled } from '../shared/progress.ts';
import { pollInterval } from '../shared/removal.ts';
import {
  answerTo,
  isPaused,
  moveTarget,
  type OperationScope,
  type Outcome,
  scopeOf,
  writtenTarget,
} from '../shared/scope.ts';
import { definitionFor } from '../types.ts';
import { type Cancellation, cancellationOf } from './cancel.ts';
import { isOver } from './ended.ts';
import { eventsBetween } from './events.ts';
import { stopOf } from './execution.ts';
import { isKept, keeping } from './kept.ts';
import type { Observed } from './observe.ts';
import { claimOf } from './owner.ts';
import { withoutPause, withPause } from './paused.ts';
import { recorded } from './recorded.ts';
import type { OperationSpec, OperationStatus } from './schema.ts';
import { answerAfterEnd, placeOf, taskOf } from './tasks.ts';
import { executionPoll, unattended } from './unattended.ts';

const isGoing = ({ operation }: Observed): boolean => operation.metadata.deletionTimestamp !== undefined;

/**
 * Splits the waiting tasks into those of this object, and answers to those of a former object of
 * its name.
 */
const sorted = ({ operation }: Observed, { awaits }: Context): { own: readonly Await[]; formers: Answer[] } => {
  const isOwn = ({ uid }: Await) => uid === operation.metadata.uid;
  const cause = 'the operation that it waits for is gone';
  return {
    own: awaits.filter(isOwn),
    formers: awaits.filter((waiting) => !isOwn(waiting)).map(({ id }) => answerTo(id, { error: 'Cancelled', cause })),
  };
};

/** Seconds between passes that only counts ask for: a Cluster and its parts change in bursts. */
const counting = 5;

const planOf = (
  { operation }: Observed,
  { status, actions, requeueAfter }: Outcome,
  answers: Answer[],
  now: number,
): Plan<OperationStatus> => {
  const before = operation.status ?? {};
  const events = eventsBetween(before, status);
  return {
    status: recorded(before, status, events, now),
    events,
    answers,
    debounce: counting,
    ...(actions?.length && { actions }),
    ...(requeueAfter !== undefined && { requeueAfter }),
  };
};

/**
 * The status of an ended operation is final: the controller only answers waiting tasks, and releases
 * the object or says why it stays.
 */
const afterwards = (observed: Observed, status: OperationStatus, context: Context): Plan<OperationStatus> => {
  const { own, formers } = sorted(observed, context);
  const { spec } = observed.operation;
  const definition = spec && definitionFor(spec.type);
  return {
    answers: [...formers, ...own.map(({ id, step }) => answerTo(id, answerAfterEnd(status, step, definition)))],
    ...(isGoing(observed) && (isKept(observed) ? keeping(observed.operation) : { finished: true })),
  };
};

/** Stops the clock; no step is decided. */
const withStoppedClock = (status: OperationStatus, message: string, now: number): OperationStatus => {
  const { deadline: _, ...rest } = status;
  if (rest.phase === 'Held' || !rest.clock) return status;
  return { ...rest, clock: stopped(rest.clock, now), message };
};

/**
 * Waiting tasks receive Cancelled, and their workflow records the end. Without a workflow, or if no
 * task can be waiting, the controller records the end itself.
 */
const cancel = (
  observed: Observed,
  spec: OperationSpec,
  own: readonly Await[],
  { because, holds, now }: Cancellation & { now: number },
): { outcome: Outcome; answers: Answer[] } => {
  const { operation, execution } = observed;
  const status = operation.status ?? {};
  const definition = definitionFor(spec.type);
  const message = definition?.messages.cancelled(operation, because, holds) ?? cancelledBecause(because);
  const isRunning = execution && found(execution)?.status === 'RUNNING';
  const recorders = ['Cancelled', 'Held'];
  const isRecorded = own.some(({ step }) => recorders.includes(step)) || (own.length === 0 && !isRunning);
  const isCut = own.length === 0 && isRunning && isGoing(observed);
  const isEnded = isRecorded || isCut;
  const next = isEnded ? cancelled(status, message, now) : { ...status, message };
  const answers = own.map(({ id, step }) =>
    answerTo(id, isEnded ? answerAfterEnd(next, step, definition) : { error: 'Cancelled', cause: message }),
  );
  const isUntasked = !isEnded && own.length === 0;
  return {
    outcome: {
      status: next,
      ...(isCut && { actions: [stopOf(spec, status.execution ?? '', message)] }),
      ...(isUntasked && { requeueAfter: executionPoll }),
    },
    answers,
  };
};

const joined = (one: Outcome, next: Outcome): Outcome => {
  const due = [one.requeueAfter, next.requeueAfter].filter((seconds) => seconds !== undefined);
  const actions: Action[] = [...(one.actions ?? []), ...(next.actions ?? [])];
  return { status: next.status, actions, ...(due.length > 0 && { requeueAfter: Math.min(...due) }) };
};

/**
 * Handles tasks in workflow order; two tokens of the same task are evaluated once and answered
 * both.
 */
const attend = (scope: OperationScope, own: readonly Await[]): { outcome: Outcome; answers: Answer[] } => {
  let outcome: Outcome = { status: scope.operation.status ?? {} };
  const answers: Answer[] = [];
  const byTask = [...Map.groupBy(own, ({ step }) => step)].toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  for (const [, waiting] of byTask) {
    const next = taskOf(scope, outcome.status, waiting[0]!);
    const { answer } = next;
    if (answer) answers.push(...waiting.map(({ id }) => answerTo(id, answer)));
    outcome = joined(outcome, next);
  }
  // The workflow may have stopped since, and no event reports that: requeue, so that the operation
  // does not stall.
  const isHeld = outcome.status.phase === 'Held' && definitionFor(scope.spec.type)?.awaited(scope) !== undefined;
  const isBetween = answers.length === own.length && !isOver(outcome);
  const isRunning = outcome.status.phase === 'Running';
  const poll = isHeld ? pollInterval : isBetween ? executionPoll : isRunning ? checkInterval : undefined;
  const due = [outcome.requeueAfter, poll].filter((seconds) => seconds !== undefined);
  return { outcome: { ...outcome, ...(due.length > 0 && { requeueAfter: Math.min(...due) }) }, answers };
};

export const reconcile = (observed: Observed, context: Context): Plan<OperationStatus> => {
  const { status, ...plan } = decide({ ...observed, operation: withoutPause(observed.operation) }, context);
  const cluster = found(observed.cluster);
  const claim = cluster && !isGoing(observed) ? claimOf(observed.operation, cluster) : undefined;
  return {
    ...plan,
    ...(status && { status: withPause(status, cluster !== undefined && isPaused(cluster)) }),
    ...(claim && { intent: claim }),
  };
};

const decide = (observed: Observed, context: Context): Plan<OperationStatus> => {
  const { operation, cluster, clusterState, preflight, execution, outage } = observed;
  const { spec, status = {} } = operation;
  const { now } = context;
  if (!spec || isOver(operation)) return afterwards(observed, status, context);
  if (context.config.workflows !== true) return isGoing(observed) ? { finished: true } : {};
  const { own, formers } = sorted(observed, context);
  const ending = (cancellation: Cancellation): Plan<OperationStatus> => {
    const { outcome, answers } = cancel(observed, spec, own, { ...cancellation, now });
    return planOf(observed, outcome, [...formers, ...answers], now);
  };
  if (cluster.state === 'absent') return ending({ because: 'the Cluster is gone', holds: false });
  if (!clusterState) return {};
  if (isPaused(clusterState.cluster))
    return planOf(observed, { status: withStoppedClock(status, pausedMessage, now) }, formers, now);
  const seen = { ...operation, status: checked(status, now) };
  const scope = scopeOf(seen, spec, { clusterState, preflight }, context);
  const cancellation = cancellationOf(observed, clusterState, definitionFor(spec.type) ?? {});
  if (cancellation) {
    // Records the end only once the target is Hold: an ended operation cannot move the target any
    // more.
    const holding =
      cancellation.holds && writtenTarget(clusterState.cluster) !== 'Hold' ? moveTarget(scope, 'Hold') : [];
    return holding.length > 0 ? { actions: holding, again: true, answers: formers } : ending(cancellation);
  }
  if (outage !== undefined) {
    const waits = {
      status: withStoppedClock(seen.status ?? {}, outageMessage(status, outage), now),
      requeueAfter: checkInterval,
    };
    return planOf(observed, waits, formers, now);
  }
  if (own.length === 0) return planOf(observed, unattended(scope, status, execution, context), formers, now);
  const { outcome, answers } = attend(scope, own);
  return planOf(observed, outcome, [...formers, ...answers], now);
};
