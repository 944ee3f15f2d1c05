/**
 * Renews connections of a function that may have been frozen. Servers close idle connections, and a thawed
 * function notices that only on a write, which then has an unknown outcome.
 */
import type { Agent } from 'node:https';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../machinery/ports.ts';

/** Milliseconds without a request after which connections are not reused. */
const idle = 5_000;

/** `agent` must be used by this client only. */
export const withFreshConnections = (
  client: DynamoDBClient,
  agent: Pick<Agent, 'freeSockets'>,
  clock: Pick<Clock, 'now'>,
): DynamoDBClient => {
  let used = clock.now();
  const dropIdle = () => {
    const now = clock.now();
    if (now - used >= idle)
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    used = now;
  };
  client.middlewareStack.add(
    (next) => (args) => {
      dropIdle();
      return next(args);
    },
    { step: 'finalizeRequest', name: 'freshConnections' },
  );
  return client;
};
