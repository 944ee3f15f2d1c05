/** What AWS does with an event while the account has no concurrent execution left. */
import { setTimeout as delay } from 'node:timers/promises';
import { Throttled } from './functions.ts';

const pause = 250;
/**
 * Milliseconds that a request waits. AWS refuses it at once, but there functions do not slow each other down: on the few
 * cores of this machine requests would overlap that do not on AWS.
 */
export const requestPatience = 15_000;

/** Invokes again while the account is throttled, for so many milliseconds. */
export const whenFree = async <T>(invoke: () => Promise<T>, patience: number): Promise<T> => {
  const until = Date.now() + patience;
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
 * The gateway's own answer, as the template has it for INTEGRATION_FAILURE: the gateway cannot tell a throttled function
 * from one that fails.
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
