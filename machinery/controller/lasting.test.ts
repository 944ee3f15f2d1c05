/** Objects whose passes keep failing are reported once they have for half an hour, and then once a day. */
import { expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { reportCrashes } from './lasting.ts';
import { createReceiver } from './receiver.ts';
import { createWork, type Outcome } from './work.ts';

const minute = 60_000;
const start = Date.UTC(2026, 10, 28);
const key = { controller: 'machine', type: 'machines', namespace: 'default', name: 'm' };

/** The minutes of the reports about one object, whose passes end as given. */
const reportsOf = async (minutes: number, run: (at: number, minute: number) => Outcome | Promise<Outcome>) => {
  const clock = virtualClock(start);
  const messages: { body: string; at: number }[] = [];
  const work = createWork({
    table: memoryTable({ clock }),
    queueOf: () => ({
      send: async (body, delay = 0) => void messages.push({ body, at: clock.now() + delay * 1000 }),
    }),
    clock,
    random: seededRandom(1),
    onStalePass: async () => {},
  });
  const reports: number[] = [];
  const receiver = createReceiver({
    work,
    clock,
    log: {
      info: () => {},
      error: (message) => message.includes('keep failing') && reports.push((clock.now() - start) / minute),
    },
    runners: {
      machine: { run: async () => run(clock.now(), (clock.now() - start) / minute), types: () => [key.type] },
    },
  });
  await work.request(key, { urgent: true });
  for (let n = 0; n < minutes; n++) {
    for (const message of messages.filter(({ at }) => at <= clock.now())) {
      messages.splice(messages.indexOf(message), 1);
      await receiver.receive(message.body, 1).catch(() => undefined);
    }
    await clock.advance(minute);
  }
  return reports;
};

const failure = (at: number) => ({ port: 'cloud', operation: 'RunInstances', code: 'AccessDenied', message: 'no', at });
const fails = (at: number): Outcome => ({ ended: 'failed', failure: failure(at), consequence: 'retry' });
const later = (at: number) => at + 5 * minute;

it.each<{
  rule: string;
  run: (at: number, minute: number) => Outcome;
  minutes?: number;
  first?: number;
  count?: number;
}>([
  { rule: 'an effect that fails', run: fails, first: 30, count: 1 },
  { rule: 'an effect that fails, again each day', run: fails, minutes: 3 * 1440, first: 30, count: 3 },
  {
    rule: 'a read that fails, though the pass goes on',
    run: (at) => ({ ended: 'finished', due: later(at), unread: failure(at) }),
    first: 30,
    count: 1,
  },
  {
    rule: 'a failure of twenty minutes: never',
    run: (at, n) => (n < 20 ? fails(at) : { ended: 'finished', due: later(at) }),
  },
  {
    rule: 'failures with a success between them: never',
    run: (at, n) => (Math.floor(n / 15) % 2 === 0 ? fails(at) : { ended: 'finished', due: later(at) }),
  },
  {
    rule: 'a workload cluster that does not answer: never',
    run: (at) => ({ ended: 'finished', due: later(at), unread: { ...failure(at), isExternal: true } }),
  },
  {
    rule: 'a refusal of the object itself: never',
    run: (at) => ({ ended: 'failed', failure: failure(at), consequence: 'terminal' }),
  },
])('reports $rule', async ({ run, minutes = 240, first, count = 0 }) => {
  const reports = await reportsOf(minutes, run);
  expect(reports).toHaveLength(count);
  if (first !== undefined) {
    expect(reports[0]).toBeGreaterThanOrEqual(first);
    expect(reports[0]).toBeLessThanOrEqual(first + 16);
  }
});

it('reports work that stops its workers, which is tried once an hour, once a day', () => {
  const item = { want: 1, urgent: 1, done: 0, served: 0, attempts: 0, rushes: 0 };
  const reported: number[] = [];
  for (let crashes = 0; crashes < 60; crashes++)
    reportCrashes({ info: () => {}, error: () => reported.push(crashes) }, key, { ...item, crashes });
  expect(reported).toEqual([5, 29, 53]);
});
