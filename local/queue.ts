import type { Verdict } from '../machinery/controller/index.ts';
import type { Clock, Queue } from '../machinery/ports.ts';

export interface LocalQueue extends Queue {
  /** Delivers nothing any more. */
  stop(): void;
}

/** A queue of this process. What a stopped process has not received is lost, as messages may be: the sweep covers it. */
export const localQueue = (
  clock: Clock,
  receive: (message: string, deliveries: number) => Promise<Verdict>,
  onError: (error: unknown) => void,
): LocalQueue => {
  let isStopped = false;
  const deliver = async (message: string, deliveries: number): Promise<void> => {
    if (isStopped) return;
    try {
      const verdict = await receive(message, deliveries);
      if (verdict.do === 'putBack') clock.after(verdict.ms, () => void deliver(message, deliveries + 1));
    } catch (error) {
      if (isStopped) return;
      onError(error);
      clock.after(1000, () => void deliver(message, deliveries + 1));
    }
  };
  return {
    stop: () => {
      isStopped = true;
    },
    send: async (message, delaySeconds = 0) => {
      clock.after(delaySeconds * 1000, () => void deliver(message, 1));
    },
  };
};
