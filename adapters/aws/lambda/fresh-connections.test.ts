import type { Agent } from 'node:https';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { answering } from '../service/answers.fixture.ts';
import { withFreshConnections } from './fresh-connections.ts';

it.each([
  { rule: 'reuses a connection right away', frozen: 100, dropped: 0 },
  { rule: 'does not reuse a connection after a long freeze', frozen: 60_000, dropped: 2 },
])('$rule', async ({ frozen, dropped }) => {
  const clock = virtualClock(0);
  const gone: string[] = [];
  const socket = (name: string) => ({ destroy: () => gone.push(name) });
  const agent = { freeSockets: { 'a:443': [socket('one'), socket('two')] } } as unknown as Pick<Agent, 'freeSockets'>;
  const client = withFreshConnections(new DynamoDBClient(answering(() => ({})).config), agent, clock);
  await clock.advance(frozen);
  await client.send(new ListTablesCommand());
  expect(gone.length).toBe(dropped);
  await client.send(new ListTablesCommand());
  expect(gone.length).toBe(dropped);
});
