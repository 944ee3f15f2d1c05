/** Decides from the results of the last passes when to requeue and what to report. */
import type { Action, Context, EventDraft, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { retryAfter, type Schedule, type Step } from '../engine/step.ts';
import { doneEvents, failedEvents } from './events.ts';

/**
 * Whether no step asks any more for what failed, because another actor did it or a lagging describe
 * call had caused it. The failure must be cleared, or nothing would retry it.
 */
export const isMoot = ({ lastFailure }: Context, wanted: readonly Step[]): boolean =>
  lastFailure?.group !== undefined && !wanted.some(({ key }) => key === lastFailure.group);

/** Requeues after a failure with an outside cause, because no event reports its repair. */
export const next = (
  { actions, wait }: Schedule,
  complete: boolean,
  context: Context,
): Pick<Plan, 'again' | 'requeueAfter'> => {
  if (context.lastFailure) return { again: actions.length > 0, requeueAfter: retryAfter(context) };
  if (actions.length > 0) return { again: true };
  if (complete && wait === undefined) return {};
  return { requeueAfter: complete ? wait! : Math.min(wait ?? 15, 15) };
};

/** Failures that are expected in normal operation and pass by themselves. */
export type IsTransient = (failure: Failure) => boolean;

/** The last failure, when it is worth reporting. */
const reportable = ({ lastFailure }: Context, isTransient: IsTransient): Failure | undefined =>
  lastFailure && !isTransient(lastFailure) ? lastFailure : undefined;

/** After a failed call the loop decides once more in the same pass, and then only reports it. */
const isJust = ({ at }: Failure, { now }: Context): boolean => at === now;

/**
 * A failure is reported until the calls are tried again. Then conditions show what holds if the
 * calls succeed.
 */
export const standingFailure = (
  context: Context,
  actions: readonly Action[],
  isTransient: IsTransient,
): Failure | undefined => {
  const failure = reportable(context, isTransient);
  return failure && (isJust(failure, context) || actions.length === 0) ? failure : undefined;
};

export const eventsFor = (context: Context, actions: readonly Action[], isTransient: IsTransient): EventDraft[] => {
  const failure = reportable(context, isTransient);
  return failure && isJust(failure, context) ? failedEvents(failure) : doneEvents(actions);
};
