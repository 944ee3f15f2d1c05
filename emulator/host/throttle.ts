/** The behaviour of AWS for an event while the account's concurrency limit is reached. */
import { setTimeout as delay } from 'node:timers/promises';
import { Throttled } from './functions.ts';

const pause = 250;
/**
 * Milliseconds that a request waits. AWS throttles it at once, but functions on AWS do not slow each other down: on the few
 * cores of this machine requests overlap that would not on AWS.
 */
export const requestTimeout = 15_000;

/** Retries while the account is throttled, for this many milliseconds. */
export const whenFree = async <T>(invoke: () => Promise<T>, timeout: number): Promise<T> => {
  const until = Date.now() + timeout;
  for (;;) {
    try {
      return await invoke();
    } catch (error) {
      if (!(error instanceof Throttled) || Date.now() + pause > until) throw error;
      await delay(pause);
    }
  }
};

/**
 * The gateway's own response, as the template has it for INTEGRATION_FAILURE: it cannot tell a throttled function
 * from a failed one.
 */
export const unavailable = () => {
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the account has no concurrent execution of a function left',
    reason: 'ServiceUnavailable',
    code: 503,
  };
  return { statusCode: 503, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
};
