import type { Receiver } from './runtime.ts';
import { keyOfMessage } from './work-item.ts';

/**
 * A worker that runs no passes of a controller that must not act, and drops its messages. When the
 * controller may act again, a sweep and a resync requeue everything.
 */
export const gated = (worker: Receiver, mayAct: (controller: string) => boolean): Receiver => ({
  receive: async (message, deliveries) =>
    mayAct(keyOfMessage(message).controller) ? worker.receive(message, deliveries) : { do: 'acknowledge' },
});
