import type { Clock } from '../machinery/ports.ts';

const first = 1000;
const longest = 60_000;

export interface Retries {
  /** Runs until it succeeds, with increasing delays. */
  run(attempt: () => Promise<void>): void;
  /** Stops all retries, and resolves when the running attempts have ended. */
  stop(): Promise<void>;
}

/** Retries what SQS would redeliver on AWS. */
export const createRetries = (clock: Clock, onError: (error: unknown) => void): Retries => {
  let isStopped = false;
  const running = new Set<Promise<void>>();
  const attemptOnce = async (attempt: () => Promise<void>, wait: number): Promise<void> => {
    try {
      await attempt();
    } catch (error) {
      if (isStopped) return;
      onError(error);
      clock.after(wait, () => run(attempt, Math.min(wait * 2, longest)));
    }
  };
  const run = (attempt: () => Promise<void>, wait: number): void => {
    if (isStopped) return;
    const attempted = attemptOnce(attempt, wait).finally(() => running.delete(attempted));
    running.add(attempted);
  };
  return {
    run: (attempt) => run(attempt, first),
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
  };
};
