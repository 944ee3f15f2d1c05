import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import type { Table } from '../../../machinery/ports.ts';
import { virtualClock } from '../../memory/virtual-clock.ts';
import { type Answer, answering, refusing } from '../service/answers.fixture.ts';
import { dynamoTable } from './table.ts';

const clock = virtualClock(Date.UTC(2026, 0, 1));
const over = (answer: (operation: string) => Answer = () => ({})) => {
  const { config, sent } = answering(({ operation }) => answer(operation));
  const table = dynamoTable({ client: new DynamoDBClient(config), tableName: 'objects', clock });
  return { table, sent };
};
const item = (sk: string, ttl?: number) => ({
  pk: { S: 'p' },
  sk: { S: sk },
  ...(ttl !== undefined && { ttl: { N: String(ttl) } }),
});

const cases: { does: string; call: (table: Table) => Promise<unknown>; operation: string; body: object }[] = [
  {
    does: 'reads consistently when told to',
    call: (table) => table.get({ pk: 'p', sk: 'a' }, { consistent: true }),
    operation: 'GetItem',
    body: { TableName: 'objects', Key: item('=a'), ConsistentRead: true },
  },
  {
    does: 'queries between two keys, behind one, and backwards',
    call: (table) =>
      table.query({
        pk: 'p',
        from: 2,
        to: 9,
        after: { pk: 'p', sk: 5 },
        limit: 3,
        descending: true,
        consistent: false,
      }),
    operation: 'Query',
    body: {
      TableName: 'objects',
      ConsistentRead: false,
      ScanIndexForward: false,
      Limit: 3,
      ExclusiveStartKey: item('#0000000000000005'),
      ExpressionAttributeValues: { ':v1': { S: '#0000000000000002' }, ':v2': { S: '#0000000000000009' } },
      KeyConditionExpression: '#a0 = :v0 AND #a1 BETWEEN :v1 AND :v2',
    },
  },
  {
    does: 'asks for the item that a condition failed on',
    call: (table) => table.write({ put: { pk: 'p', sk: 'a' }, when: { exists: false } }),
    operation: 'PutItem',
    body: { ConditionExpression: 'attribute_not_exists(#a0)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
  },
  {
    does: 'asks for what an update makes of the item',
    call: (table) => table.write({ update: { pk: 'p', sk: 'a' }, add: { n: 1 } }),
    operation: 'UpdateItem',
    body: { Key: item('=a'), UpdateExpression: 'ADD #a0 :v0', ReturnValues: 'ALL_NEW' },
  },
];

it.each(cases)('$does', async ({ call, operation, body }) => {
  const { table, sent } = over();
  await call(table);
  expect(sent).toMatchObject([{ operation, body }]);
});

describe('a transaction', () => {
  const writes = [{ put: { pk: 'p', sk: 'a' } }, { check: { pk: 'p', sk: 'b' }, when: { exists: true } }];

  it('has the same token in every process, and another one for other writes', async () => {
    const { table, sent } = over();
    await table.transact('one', writes);
    await table.transact('one', writes);
    await table.transact('two', writes);
    const [first, again, other] = sent.map(({ body }) => body.ClientRequestToken);
    expect(first).toMatch(/^[0-9a-f]{36}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
  });

  it('is refused locally when it is too large', async () => {
    const { table, sent } = over();
    const many = Array.from({ length: 101 }, (_, sk) => ({ put: { pk: 'p', sk } }));
    await expect(table.transact('t', many)).rejects.toThrow('at most 100');
    expect(sent).toEqual([]);
  });

  it('names the items whose conditions failed', async () => {
    const refused = {
      status: 400,
      body: {
        __type: 'com.amazonaws.dynamodb#TransactionCanceledException',
        CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }],
      },
    };
    const { table } = over(() => refused);
    await expect(table.transact('t', writes)).rejects.toMatchObject({
      name: 'TransactionRefused',
      refused: [false, true],
    });
  });
});

describe('an expired item', () => {
  const now = clock.now() / 1000;
  it.each([
    { ttl: undefined, isShown: true },
    { ttl: now + 1, isShown: true },
    { ttl: now, isShown: false },
    { ttl: now - 86_400, isShown: false },
  ])('is shown: $isShown, for the TTL $ttl', async ({ ttl, isShown }) => {
    const { table } = over(() => ({ body: { Item: item('=a', ttl), Items: [item('=a', ttl)] } }));
    expect((await table.get({ pk: 'p', sk: 'a' }, { consistent: true })) !== undefined).toBe(isShown);
    expect((await table.query({ pk: 'p', consistent: true })).items).toHaveLength(isShown ? 1 : 0);
  });

  it('does not end a query when it is the only item on a page', async () => {
    const { table } = over(() => ({ body: { Items: [item('=a', now - 1)], LastEvaluatedKey: item('=a') } }));
    expect(await table.query({ pk: 'p', consistent: true })).toEqual({ items: [], next: { pk: 'p', sk: 'a' } });
  });
});

it('sends no request for an empty range', async () => {
  const { table, sent } = over();
  expect(await table.query({ pk: 'p', from: 9, to: 2, consistent: true })).toEqual({ items: [] });
  expect(sent).toEqual([]);
});

it('reports a busy service as throttling, not as a refusal', async () => {
  const { table } = over(() => refusing('ThrottlingException'));
  await expect(table.write({ put: { pk: 'p', sk: 'a' } })).rejects.toMatchObject({ name: 'Throttled' });
});
