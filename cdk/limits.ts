/** Time limits and retries; the simulation reads them here too. */
import type { FunctionName, WorkerClass } from './names.ts';

/** Shorter than a work item's lease of 120 seconds: an interrupted pass is over before the next one starts. */
const pass = 110;

/** Time limit of one invocation. */
export const seconds: Record<FunctionName, number> = {
  // Below the gateway's timeout, so that the function reports what took so long.
  api: 28,
  // A watch ends within five minutes; the rest is for a clean end.
  watch: 320,
  'audit-webhook': 15,
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

/** Retries of asynchronous invocations. */
export const asyncRetries = 2;

export const queue = {
  /** Longer than a lease, so that a redelivered message finds a dead worker's lease expired. */
  visibilitySeconds: 130,
  /** Throttled invocations count too, and hours of throttling must not look like an unprocessable message. */
  maxReceiveCount: 100,
};

/**
 * Messages in one invocation, whose passes run at the same time. Passes of the others may wait, for clusters or for the
 * account's request rates, and would hold up each other.
 */
export const messagesAtOnce: Record<WorkerClass, number> = { core: 10, aws: 1, workload: 1, gc: 10 };

/** A change that cannot be dispatched is retried for hours and then discarded. */
export const stream = { batchSize: 100, retryAttempts: 1000, maxRecordHours: 6 };

/** Minutes between scheduled runs. */
export const everyMinutes = { sweep: 10, resync: 60 };
