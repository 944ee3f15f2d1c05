/** What is told again is the same Event: it counts once more, says when it came last, and nothing else of it changes. */
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'repeated';
/** What lasts is told once in a minute; clocks go up to two seconds wrong, each its own way. */
const apart = 55_000;
const lasting = 3_600_000;

interface EventObject extends KubeObject {
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  firstTimestamp?: string;
  lastTimestamp?: string;
  involvedObject?: { uid?: string };
  source?: { component?: string };
}

/** What it tells, of what, and who tells it. */
const subjectOf = ({ type, reason, message, involvedObject, source }: EventObject): string =>
  JSON.stringify([involvedObject?.uid, source?.component, type, reason, message]);
const restOf = ({
  count: _,
  lastTimestamp: __,
  metadata: { resourceVersion: ___, ...metadata },
  ...rest
}: EventObject) => ({
  ...rest,
  metadata,
});

export const repeated = ({ world: { clock } }: Setting): Invariant => {
  const fail = (what: string): never => {
    throw new Violation(rule, what);
  };
  /** By what they tell. */
  const names = new Map<string, { name: string; at: number }>();
  const onFirst = ({ metadata: { name }, ...event }: EventObject) => {
    if (event.count !== 1) fail(`${name} begins with ${event.count}`);
    if (event.firstTimestamp !== event.lastTimestamp)
      fail(`${name} came at ${event.firstTimestamp} first, and at ${event.lastTimestamp} last`);
  };
  const onNext = (event: EventObject, before: EventObject) => {
    const { name } = event.metadata;
    if (event.count !== (before.count ?? 1) + 1) fail(`${name} came ${before.count} times, and then ${event.count}`);
    if (!isDeepStrictEqual(restOf(event), restOf(before))) fail(`${name} came again as another`);
    const passed = Date.parse(event.lastTimestamp ?? '') - Date.parse(before.lastTimestamp ?? '');
    if (!(passed >= apart)) fail(`${name} came again after ${passed / 1000} s`);
  };
  return {
    onCommit: ({ type, event: what, object, before, writer }) => {
      if (type !== 'events' || !object || !writer || what === 'DELETED') return;
      const event = object as EventObject;
      if (what === 'ADDED') onFirst(event);
      else if (before) onNext(event, before as EventObject);
      const subject = subjectOf(event);
      const known = names.get(subject);
      if (known && known.name !== event.metadata.name && clock.now() - known.at < lasting)
        fail(`${known.name} and ${event.metadata.name} tell the same`);
      names.set(subject, { name: event.metadata.name, at: clock.now() });
    },
  };
};
