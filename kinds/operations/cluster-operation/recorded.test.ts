import { expect, it } from 'vitest';
import { sameFacts } from '../../../machinery/api/facts.ts';
import type { EventDraft } from '../../../machinery/api/reconcile.ts';
import { clusterOperation } from './kind.ts';
import { recorded } from './recorded.ts';
import type { OperationStatus } from './schema.ts';

const now = Date.parse('2026-11-30T10:00:00Z');
const time = '2026-11-30T10:00:00Z';
const started = '2026-11-30T09:00:00Z';
const waiting = (message: string, more: OperationStatus = {}): OperationStatus => ({
  phase: 'Running',
  ...more,
  steps: [{ name: 'Workers', started, verdict: 'Running', message }],
});
const refused = 'waiting for 2 Machines: AWSMachine w-1: RunInstances: InsufficientInstanceCapacity: none is left';

it('keeps a refused call after the step has gone on', () => {
  const first = recorded(waiting('waiting for 2 Machines'), waiting(refused), [], now);
  expect(first.events).toEqual([
    { time, type: 'Warning', reason: 'InsufficientInstanceCapacity', message: `Step Workers: ${refused}` },
  ]);
  const later = { ...first, ...waiting('waiting for 1 Machine') };
  expect(recorded(first, later, [], now + 1000).events).toEqual(first.events);
});

it('has each code once in a step', () => {
  const before = recorded(waiting(''), waiting(refused), [], now);
  const after = { ...before, ...waiting(refused.replace('2', '1')) };
  expect(recorded(before, after, [], now + 1000)).toBe(after);
  const other = { ...before, ...waiting('RunInstances: UnauthorizedOperation: no') };
  expect(recorded(before, other, [], now + 1000).events?.map(({ reason }) => reason)).toEqual([
    'InsufficientInstanceCapacity',
    'UnauthorizedOperation',
  ]);
});

it('has outages and pauses, by the clock that stands still', () => {
  const before: OperationStatus = { phase: 'Running', clock: { since: started, seconds: 0 } };
  const stopped = recorded(before, { ...before, clock: { seconds: 60 }, message: 'AWS does not serve' }, [], now);
  expect(stopped.events).toMatchObject([{ type: 'Warning', reason: 'ClockStopped', message: 'AWS does not serve' }]);
  const on = recorded(stopped, { ...stopped, clock: { since: time, seconds: 60 } }, [], now);
  expect(on.events?.map(({ reason }) => reason)).toEqual(['ClockStopped', 'ClockStarted']);
  expect(recorded(before, { ...before, clock: { seconds: 60 }, ended: time }, [], now).events).toBeUndefined();
});

it('has the Events of the operation, but for its last message', () => {
  const events: EventDraft[] = [
    { type: 'Warning', reason: 'StepFailed', message: 'Step Workers failed: no' },
    { type: 'Warning', reason: 'Held', message: 'all is held' },
  ];
  const { events: kept } = recorded({}, { phase: 'Held', message: 'all is held' }, events, now);
  expect(kept).toEqual([{ time, type: 'Warning', reason: 'StepFailed', message: 'Step Workers failed: no' }]);
});

it('keeps the newest 30, in 500 characters each', () => {
  const many = Array.from({ length: 40 }, (_, i) => ({
    type: 'Normal' as const,
    reason: `R${i}`,
    message: 'x'.repeat(900),
  }));
  const { events = [] } = recorded({}, {}, many, now);
  expect(events).toHaveLength(30);
  expect(events[0]?.reason).toBe('R10');
  expect(events[0]?.message).toHaveLength(500);
});

it('causes no write', () => {
  const before = waiting('one');
  expect(sameFacts(recorded(before, waiting(refused), [], now), before, clusterOperation.notes)).toBe(true);
});
