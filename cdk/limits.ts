/** How long things may take and how often they are tried; what simulates a deployment reads it here. */
import type { FunctionName } from './names.ts';

/** Shorter than the lease of a work item, which is 120 seconds: a pass that is cut off is over before the next begins. */
const pass = 110;

/** That one event of a function may take. */
export const seconds: Record<FunctionName, number> = {
  // Less than the gateway waits, so that it is the function that says what took so long.
  api: 28,
  // A watch ends within five minutes; what is left is for ending in good order.
  watch: 320,
  dispatch: 60,
  'reconcile-core': pass,
  'reconcile-aws': pass,
  'reconcile-workload': pass,
  'reconcile-gc': pass,
  operate: 30,
  executions: 30,
  instances: 30,
  sweep: 300,
  guard: 60,
};

/** What is invoked by an event that nobody waits for is tried so many times more. */
export const asyncRetries = 2;

export const queue = {
  /** Longer than a lease, so that a message which comes back finds its dead holder's lease over. */
  visibilitySeconds: 130,
  /** Throttled invocations count, too: hours of them must not look like a message that cannot be handled. */
  maxReceiveCount: 100,
};

/** A change that cannot be dispatched is tried for hours, and then given up. */
export const stream = { batchSize: 100, retryAttempts: 1000, maxRecordHours: 6 };

/** Minutes between what fires at intervals. */
export const everyMinutes = { sweep: 10, resync: 60 };
