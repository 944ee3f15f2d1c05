import type { Verdict } from '../../machinery/controller/work.ts';
import type { Clock, Queue } from '../../machinery/ports.ts';

const longestDelay = 900;

export interface MemoryQueue extends Queue {
  /**
   * Stops delivery, and resolves when the running ones have ended. Messages in the queue are lost, as
   * the port permits.
   */
  stop(): Promise<void>;
}

export interface MemoryQueueOptions {
  /** Milliseconds after which an unacknowledged message is redelivered. */
  visibility?: number;
  onError?: (error: unknown) => void;
}

/** A queue that delivers messages to `receive` until they are acknowledged. */
export const memoryQueue = (
  clock: Clock,
  receive: (message: string, deliveries: number) => Promise<Verdict>,
  { visibility = 1000, onError }: MemoryQueueOptions = {},
): MemoryQueue => {
  let isStopped = false;
  const running = new Set<Promise<void>>();
  const attempt = async (message: string, deliveries: number): Promise<void> => {
    const again = (ms: number) => clock.after(ms, () => deliver(message, deliveries + 1));
    try {
      const verdict = await receive(message, deliveries);
      if (verdict.do === 'putBack') again(verdict.ms);
    } catch (error) {
      if (isStopped) return;
      onError?.(error);
      again(visibility);
    }
  };
  const deliver = (message: string, deliveries: number): void => {
    if (isStopped) return;
    const delivery = attempt(message, deliveries).finally(() => running.delete(delivery));
    running.add(delivery);
  };
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(running);
    },
    send: async (message, delaySeconds = 0) => {
      if (delaySeconds > longestDelay) throw new Error(`a message is delayed by at most ${longestDelay} s`);
      clock.after(delaySeconds * 1000, () => deliver(message, 1));
    },
  };
};
