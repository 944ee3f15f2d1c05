/** Errors of states, and how Retry and Catch match them. */
import type { Catcher, Retrier } from '../../stepfunctions/asl.ts';

/** The error of a state; Retry and Catch match `error`. */
export class StateError extends Error {
  readonly error: string;
  readonly errorCause: string;
  constructor(error: string, cause: string) {
    super(`${error}: ${cause}`);
    this.error = error;
    this.errorCause = cause;
  }
}

/** Retry and Catch do not apply. */
const isFatal = (error: string) => error === 'States.Runtime';

const matches = (error: string) => (name: string) => {
  switch (name) {
    case 'States.ALL':
      return error !== 'States.DataLimitExceeded';
    case 'States.TaskFailed':
      return error !== 'States.Timeout' && error !== 'States.DataLimitExceeded';
    default:
      return name === error;
  }
};

const firstFor = (rules: readonly { ErrorEquals: string[] }[], error: string): number =>
  isFatal(error) ? -1 : rules.findIndex(({ ErrorEquals }) => ErrorEquals.some(matches(error)));

/**
 * The matching retrier: the first that names the error, even if it is exhausted. `counts` are the retries of
 * each since the state was entered.
 */
export const retryAfter = (
  retriers: readonly Retrier[],
  error: string,
  counts: readonly number[],
): { index: number; seconds: number } | undefined => {
  const index = firstFor(retriers, error);
  const retrier = retriers[index];
  if (!retrier) return undefined;
  const { IntervalSeconds = 1, MaxAttempts = 3, BackoffRate = 2, MaxDelaySeconds = Number.POSITIVE_INFINITY } = retrier;
  const made = counts[index] ?? 0;
  if (made >= MaxAttempts) return undefined;
  return { index, seconds: Math.min(IntervalSeconds * BackoffRate ** made, MaxDelaySeconds) };
};

export const catcherOf = (catchers: readonly Catcher[], error: string): Catcher | undefined =>
  catchers[firstFor(catchers, error)];
