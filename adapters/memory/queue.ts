import type { Clock, Queue } from '../../machinery/ports.ts';

const longestDelay = 900;

/** A queue whose messages go to `receive`; one that it fails is delivered again after `visibility` milliseconds. */
export const memoryQueue = (
  clock: Clock,
  receive: (message: string, deliveries: number) => Promise<void>,
  visibility = 30_000,
): Queue => {
  const deliver = async (message: string, deliveries: number): Promise<void> => {
    try {
      await receive(message, deliveries);
    } catch {
      clock.after(visibility, () => void deliver(message, deliveries + 1));
    }
  };
  return {
    send: async (message, delaySeconds = 0) => {
      if (delaySeconds > longestDelay) throw new Error(`a message is delayed by at most ${longestDelay} s`);
      clock.after(delaySeconds * 1000, () => void deliver(message, 1));
    },
  };
};
