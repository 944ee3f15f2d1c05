import type { Worker } from './runtime.ts';
import { keyOfMessage } from './work-item.ts';

/**
 * A worker that runs no passes of a controller that must not act, and drops its messages. When the
 * controller may act again, a sweep and a resync requeue everything.
 */
export const gated = (worker: Worker, mayAct: (controller: string) => boolean): Worker => ({
  ...worker,
  receive: async (message, deliveries) =>
    mayAct(keyOfMessage(message).controller) ? worker.receive(message, deliveries) : { do: 'acknowledge' },
});
