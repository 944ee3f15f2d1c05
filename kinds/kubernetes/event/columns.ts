import type { Column } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { since } from '../built-in.ts';
import { toCore } from './convert.ts';
import type { Event } from './schema.ts';

const firstSeen = ({ firstTimestamp, eventTime }: Event, now: number) => since(firstTimestamp ?? eventTime, now);
const lastSeen = (event: Event, now: number) =>
  event.series?.lastObservedTime
    ? since(event.series.lastObservedTime, now)
    : event.lastTimestamp
      ? since(event.lastTimestamp, now)
      : firstSeen(event, now);

const target = ({ involvedObject }: Event): string => {
  const kind = (involvedObject?.kind ?? '').toLowerCase();
  return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind;
};

const reporter = ({ source, reportingComponent, reportingInstance }: Event): string => {
  const parts = [source?.component || reportingComponent, source?.host || reportingInstance];
  return parts.filter(Boolean).join(', ');
};

const cell = (
  name: string,
  description: string,
  value: (event: Event, now: number) => string | number,
  priority = 0,
): Column => ({
  name,
  type: 'string',
  description,
  ...(priority && { priority }),
  value: (object: KubeObject, now) => value(toCore(object), now),
});

export const columns: Column[] = [
  cell('Last Seen', 'When it was last seen.', lastSeen),
  cell('Type', 'Normal or Warning.', ({ type }) => type ?? ''),
  cell('Reason', 'Why, in one word.', ({ reason }) => reason ?? ''),
  cell('Object', 'What it is about.', target),
  cell('Subobject', 'Which part of the object.', ({ involvedObject }) => involvedObject?.fieldPath ?? '', 1),
  cell('Source', 'Who reports.', reporter, 1),
  cell('Message', 'What happened, in words.', ({ message }) => (message ?? '').trim()),
  cell('First Seen', 'When it was first seen.', firstSeen, 1),
  cell('Count', 'How often it was seen.', ({ series, count }) => series?.count ?? (count || 1), 1),
  { ...cell('Name', 'Name of the event.', ({ metadata }) => metadata.name, 1), format: 'name' },
];
