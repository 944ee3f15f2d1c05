import { expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { OutcomeUnknown, type Table, Throttled, TransactionRefused } from '../../machinery/ports.ts';
import { clientOf, configMap, configMaps } from './client.ts';
import { createTestServer } from './world.ts';

const fails = (error: Error) => () => Promise.reject(error);
const busy = fails(new Throttled());
const denied = fails(Object.assign(new Error('allow it to the role'), { consequence: 'retry' }));
const isSlot = ({ pk }: { pk: string }) => pk.startsWith('l#');

/** The calls of a table that a fault replaces. */
type Fault = (table: Table) => Partial<Table>;
/** The slot of a write can be neither read nor sealed. */
const unreadable = (table: Table, how: () => Promise<never>): Partial<Table> => ({
  get: (key, options) => (isSlot(key) ? how() : table.get(key, options)),
  write: (given) => ('put' in given && isSlot(given.put) ? how() : table.write(given)),
});
const applied =
  (table: Table, error: Error): Table['transact'] =>
  async (token, writes) => {
    await table.transact(token, writes);
    throw error;
  };
/** The first transaction is applied; `then` decides about later ones. */
const onceThen =
  (then: Fault): Fault =>
  (table) => {
    let count = 0;
    const faulty = { ...table, ...then(table) };
    return {
      transact: (token, writes) => (count++ === 0 ? table : faulty).transact(token, writes),
      get: (key, options) => (count === 0 ? table : faulty).get(key, options),
      write: (given) => (count === 0 ? table : faulty).write(given),
    };
  };

const post = ['POST', configMaps, configMap('new')] as const;
const deleteAll = ['DELETE', configMaps] as const;

it.each<{ rule: string; request: readonly [string, string, object?]; fault: Fault; code: number; again: boolean }>([
  { rule: 'the object was unreadable', request: post, fault: () => ({ get: busy }), code: 503, again: true },
  { rule: 'reading it was denied', request: post, fault: () => ({ get: denied }), code: 503, again: true },
  { rule: 'no ticket was available', request: post, fault: () => ({ write: busy }), code: 503, again: true },
  { rule: 'the write was denied', request: post, fault: () => ({ transact: denied }), code: 503, again: true },
  {
    rule: 'no object of a collection was deleted',
    request: deleteAll,
    fault: () => ({ write: busy }),
    code: 503,
    again: true,
  },
  {
    rule: 'the outcome is unknown, because the table is busy',
    request: post,
    fault: (table) => ({ transact: fails(new OutcomeUnknown()), ...unreadable(table, busy) }),
    code: 504,
    again: false,
  },
  {
    rule: 'the outcome is unknown, because reading it was denied',
    request: post,
    fault: (table) => ({ transact: applied(table, new OutcomeUnknown()), ...unreadable(table, denied) }),
    code: 504,
    again: false,
  },
  {
    rule: 'an earlier copy may have been applied, and its slot is unreadable',
    request: post,
    fault: (table) => ({ transact: applied(table, new TransactionRefused([true, true])), ...unreadable(table, busy) }),
    code: 504,
    again: false,
  },
  {
    rule: 'some objects of a collection were deleted',
    request: deleteAll,
    fault: onceThen(() => ({ write: busy })),
    code: 503,
    again: false,
  },
])('when $rule: $code, retryable: $again', async ({ request: [method, path, body], fault, code, again }) => {
  const clock = virtualClock(Date.UTC(2026, 10, 21));
  const table = memoryTable({ clock });
  const { server } = await createTestServer(clock, { table });
  const client = clientOf(server);
  for (const name of ['a', 'b']) await client.post(configMaps, configMap(name));
  Object.assign(table, fault({ ...table }));
  let isAnswered = false;
  const answering = client.send(method, path, body).finally(() => {
    isAnswered = true;
  });
  while (!isAnswered) await clock.advance(1_000);
  const answer = await answering;
  expect(answer.body).toMatchObject({ kind: 'Status', code });
  expect(answer.headers.has('retry-after')).toBe(again);
  expect(answer.body.details ?? {}).toEqual(
    again
      ? expect.objectContaining({ retryAfterSeconds: expect.any(Number) })
      : expect.not.objectContaining({ retryAfterSeconds: expect.anything() }),
  );
});
