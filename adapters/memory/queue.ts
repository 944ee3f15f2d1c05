import type { Verdict } from '../../machinery/controller/work.ts';
import type { Clock, Queue } from '../../machinery/ports.ts';

const longestDelay = 900;

export interface MemoryQueue extends Queue {
  /** Delivers nothing any more. What was not received is lost, as messages may be. */
  stop(): void;
}

export interface MemoryQueueOptions {
  /** Milliseconds after which a message that was not acknowledged is delivered again. */
  visibility?: number;
  onError?: (error: unknown) => void;
}

/** A queue whose messages go to `receive`, until it acknowledges them. */
export const memoryQueue = (
  clock: Clock,
  receive: (message: string, deliveries: number) => Promise<Verdict>,
  { visibility = 1000, onError }: MemoryQueueOptions = {},
): MemoryQueue => {
  let isStopped = false;
  const deliver = async (message: string, deliveries: number): Promise<void> => {
    if (isStopped) return;
    const again = (ms: number) => clock.after(ms, () => void deliver(message, deliveries + 1));
    try {
      const verdict = await receive(message, deliveries);
      if (verdict.do === 'putBack') again(verdict.ms);
    } catch (error) {
      if (isStopped) return;
      onError?.(error);
      again(visibility);
    }
  };
  return {
    stop: () => {
      isStopped = true;
    },
    send: async (message, delaySeconds = 0) => {
      if (delaySeconds > longestDelay) throw new Error(`a message is delayed by at most ${longestDelay} s`);
      clock.after(delaySeconds * 1000, () => void deliver(message, 1));
    },
  };
};
