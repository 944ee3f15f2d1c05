/**
 * What of an operation matters a day later, when the Events of its objects are gone. Pure. The entries
 * are a note of the kind, so they are written with the next change of a fact, and cause no write.
 */

import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { EventDraft } from '../../../machinery/api/reconcile.ts';
import { oneLine } from '../shared/cause.ts';
import type { OperationStatus } from './schema.ts';

type Entry = NonNullable<OperationStatus['events']>[number];

/** The newest ones are kept. */
const most = 30;
const longest = 500;

/** A refused call in the message of a step: its action and AWS's code. */
const refusedCall = /\b[A-Z][A-Za-z]+: ([A-Z][A-Za-z]+(?:\.[A-Za-z]+)*): /;

/** The first of each code in each step: a call is repeated for as long as the step waits. */
const refusals = ({ events = [] }: OperationStatus, { steps = [] }: OperationStatus): Omit<Entry, 'time'>[] =>
  steps.flatMap(({ name, verdict, message = '' }) => {
    const [, reason] = refusedCall.exec(message) ?? [];
    const isKnown = events.some((one) => one.reason === reason && one.message.startsWith(`Step ${name}: `));
    return verdict !== 'Running' || reason === undefined || isKnown
      ? []
      : [{ type: 'Warning' as const, reason, message: `Step ${name}: ${oneLine(message)}` }];
  });

/** An outage of AWS, or a pause of the Cluster. */
const clockChanges = (
  before: OperationStatus,
  { clock, message = '', ended }: OperationStatus,
): Omit<Entry, 'time'>[] => {
  if (!before.clock || !clock || ended !== undefined) return [];
  const [did, does] = [before.clock.since !== undefined, clock.since !== undefined];
  if (did && !does) return [{ type: 'Warning', reason: 'ClockStopped', message: oneLine(message) }];
  return !did && does ? [{ type: 'Normal', reason: 'ClockStarted', message: 'The operation goes on' }] : [];
};

/** The status with what happened since `before`. `events`: those that this change emits. */
export const recorded = (
  before: OperationStatus,
  after: OperationStatus,
  events: readonly EventDraft[],
  now: number,
): OperationStatus => {
  const fresh = [
    ...clockChanges(before, after),
    ...refusals(before, after),
    // The last message of the operation is its message anyway.
    ...events.filter(({ message }) => message !== after.message),
  ].map(
    ({ type, reason, message }): Entry => ({ time: timestamp(now), type, reason, message: message.slice(0, longest) }),
  );
  return fresh.length === 0 ? after : { ...after, events: [...(before.events ?? []), ...fresh].slice(-most) };
};
