import type { Clock } from '../machinery/ports.ts';

const first = 1000;
const longest = 60_000;

export interface Retries {
  /** Runs until it succeeds, ever more rarely. */
  run(attempt: () => Promise<void>): void;
  /** Nothing is tried any more. */
  stop(): void;
}

/** For what nobody would ask for again: a queue of AWS would deliver it until it is taken. */
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
