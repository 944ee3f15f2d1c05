import type { Clock } from '../machinery/ports.ts';

const first = 1000;
const longest = 60_000;

export interface Retries {
  /** Runs until it succeeds, with increasing delays. */
  run(attempt: () => Promise<void>): void;
  /** Stops all retries. */
  stop(): void;
}

/** Retries what SQS would redeliver on AWS. */
export const createRetries = (clock: Clock, onError: (error: unknown) => void): Retries => {
  let isStopped = false;
  const run = async (attempt: () => Promise<void>, wait: number): Promise<void> => {
    if (isStopped) return;
    try {
      await attempt();
    } catch (error) {
      if (isStopped) return;
      onError(error);
      clock.after(wait, () => void run(attempt, Math.min(wait * 2, longest)));
    }
  };
  return {
    run: (attempt) => void run(attempt, first),
    stop: () => {
      isStopped = true;
    },
  };
};
