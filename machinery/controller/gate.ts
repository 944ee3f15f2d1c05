import type { Worker } from './runtime.ts';
import { keyOfMessage } from './work-item.ts';

/**
 * A worker that runs no pass of a controller that may not act. Its messages are taken and lead to nothing: when it may act
 * again, a sweep and a resync ask for everything.
 */
export const gated = (worker: Worker, mayAct: (controller: string) => boolean): Worker => ({
  ...worker,
  receive: async (message, deliveries) =>
    mayAct(keyOfMessage(message).controller) ? worker.receive(message, deliveries) : { do: 'acknowledge' },
});
