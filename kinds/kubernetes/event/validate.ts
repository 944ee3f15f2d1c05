import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import { isQualifiedName } from '../../../machinery/api/labels.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { Event } from './schema.ts';

const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});
const missing = (field: string): FieldError => ({ reason: 'FieldValueRequired', field, detail: '' });

const lengths = (event: Event): FieldError[] => {
  const limits: [field: string, text: string, most: number, demanded: boolean][] = [
    ['reportingInstance', event.reportingInstance ?? '', 128, true],
    ['action', event.action ?? '', 128, true],
    ['reason', event.reason ?? '', 128, true],
    ['message', event.message ?? '', 1024, false],
  ];
  return limits.flatMap(([field, text, most, demanded]) => [
    ...(demanded && text === '' ? [missing(field)] : []),
    ...(text.length > most ? [invalid(field, '', `can have at most ${most} characters`)] : []),
  ]);
};

/**
 * Checks for both groups. An event with an eventTime is of the newer form, and must name its
 * reporter.
 */
const sharedErrors = (event: Event): FieldError[] => {
  const namespace = event.metadata.namespace ?? '';
  const about = event.involvedObject?.namespace ?? '';
  const mismatch = invalid('involvedObject.namespace', about, 'does not match event.namespace');
  if (!event.eventTime) {
    const matches = about === '' ? namespace === 'default' : about === namespace;
    return matches ? [] : [mismatch];
  }
  const clusterScoped = about === '' && namespace !== 'default' && namespace !== 'kube-system';
  const component = event.reportingComponent ?? '';
  return [
    ...(clusterScoped ? [mismatch] : []),
    ...(component === '' ? [missing('reportingController')] : []),
    ...(isQualifiedName(component)
      ? []
      : [invalid('reportingController', component, 'name part must consist of alphanumeric characters')]),
    ...lengths(event),
  ];
};

/** Go clients always send the zero value of a struct. */
const isSet = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(isSet) : Boolean(value);

const unset = ['firstTimestamp', 'lastTimestamp', 'count', 'source'] as const;
const fixed = [
  'involvedObject',
  'reason',
  'message',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingInstance',
] as const;

export const validateCoreEvent: KindDefinition['validate'] = (object, { operation }) =>
  operation === 'delete' ? [] : sharedErrors(object as Event);

/** events.k8s.io has more requirements. */
export const validateEvent: KindDefinition['validate'] = (object, { operation, old }) => {
  if (operation === 'delete') return [];
  const event = object as Event;
  const errors = sharedErrors(event);
  if (event.series && (event.series.count ?? 0) < 2) errors.push(invalid('series.count', '', 'should be at least 2'));
  if (event.series && !event.series.lastObservedTime) errors.push(missing('series.lastObservedTime'));
  if (old) {
    for (const field of fixed)
      if (!equal(event[field], (old as Event)[field]))
        errors.push(invalid(field, event[field] ?? '', 'field is immutable'));
    return errors;
  }
  if (!event.eventTime) errors.push(missing('eventTime'));
  if (event.type !== 'Normal' && event.type !== 'Warning')
    errors.push(invalid('type', '', `has invalid value: ${event.type ?? ''}`));
  for (const field of unset) if (isSet(event[field])) errors.push(invalid(field, '', 'needs to be unset'));
  return errors;
};
