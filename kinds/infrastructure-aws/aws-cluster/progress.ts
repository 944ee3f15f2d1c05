/** How the calls of the last passes went: when to go on, and what to tell. */
import type { Action, Context, EventDraft, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { isBenign } from './conditions.ts';
import { doneEvents, failedEvents } from './events.ts';
import { retryAfter, type Schedule, type Step } from './step.ts';

/**
 * Whether nothing asks any more for what failed: somebody else did it, or a describe call that lagged had asked for it. Then it
 * failed for no reason, and nobody would ever try it again.
 */
export const isMoot = ({ lastFailure }: Context, wanted: readonly Step[]): boolean =>
  lastFailure?.group !== undefined && !wanted.some(({ key }) => key === lastFailure.group);

/** What failed for a reason outside is looked at again, for nothing tells us that it was repaired. */
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

/** Failures that come to pass while nothing is wrong, and go by themselves. */
export type IsTransient = (failure: Failure) => boolean;

/** The last failure, when it is one to tell of. */
const reportable = ({ lastFailure }: Context, isTransient: IsTransient): Failure | undefined =>
  lastFailure && !isBenign(lastFailure) && !isTransient(lastFailure) ? lastFailure : undefined;

/** After a failed call the loop decides once more, in the same pass, and then only tells of it. */
const isJust = ({ at }: Failure, { now }: Context): boolean => at === now;

/** A failure counts until the calls are tried again: what is said then is what holds if they succeed. */
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
