/**
 * Connections of a function that may have been frozen since its last request. The other end closes what is idle, and a function
 * that wakes learns of it only by writing: a request that is sent once would then have an unknown outcome.
 */
import type { Agent } from 'node:https';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../machinery/ports.ts';

/** Milliseconds without a request after which no connection is used again. */
const idle = 5_000;

/** `agent` must be the client's own. */
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
