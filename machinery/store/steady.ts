import { ApiError, unavailable } from '../api/errors.ts';
import { type Clock, OutcomeUnknown, type Random, sleep, Throttled } from '../ports.ts';

const attempts = 10;

/** Full jitter below a doubling limit, in milliseconds. */
export const backoff = (random: Random, attempt: number): number => random.next() * Math.min(2000, 25 * 2 ** attempt);

/** Whether the table reports why it fails; any other error is a bug. */
export const isOfTable = (error: unknown): boolean =>
  error instanceof ApiError || (error instanceof Error && 'consequence' in error);

/** Repeats an idempotent call until the table accepts it; 503 when it never does. */
export const steadily = async <T>(
  { clock, random }: { clock: Clock; random: Random },
  call: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Throttled || error instanceof OutcomeUnknown)) throw error;
      await sleep(clock, backoff(random, attempt));
    }
  }
  throw unavailable('the store is busy, please try again');
};
