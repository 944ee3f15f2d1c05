import type { Verdict } from '../machinery/controller/index.ts';
import type { Clock, Queue } from '../machinery/ports.ts';

/** A queue of this process. What a stopped process has not received is lost, as messages may be: the sweep covers it. */
export const localQueue = (
  clock: Clock,
  receive: (message: string, deliveries: number) => Promise<Verdict>,
  onError: (error: unknown) => void,
): Queue => {
  const deliver = async (message: string, deliveries: number): Promise<void> => {
    try {
      const verdict = await receive(message, deliveries);
      if (verdict.do === 'putBack') clock.after(verdict.ms, () => void deliver(message, deliveries + 1));
    } catch (error) {
      onError(error);
      clock.after(1000, () => void deliver(message, deliveries + 1));
    }
  };
  return {
    send: async (message, delaySeconds = 0) => {
      clock.after(delaySeconds * 1000, () => void deliver(message, 1));
    },
  };
};
