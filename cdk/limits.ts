/** Time limits and retries; the simulation reads them here too. */
import { lambdas } from './lambdas/index.ts';
import type { FunctionName, WorkerClass } from './names.ts';

/** Time limit of one invocation. */
export const seconds = Object.fromEntries(
  Object.entries(lambdas).map(([name, lambda]) => [name, lambda.seconds]),
) as Record<FunctionName, number>;

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
