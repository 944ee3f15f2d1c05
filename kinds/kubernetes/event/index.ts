import type { KubeObject } from '../../../machinery/api/object.ts';
import { defineBuiltIn } from '../built-in.ts';
import { columns } from './columns.ts';
import { fromCore, toCore } from './convert.ts';
import { coreEvent as coreEventFacts, event as eventFacts } from './kind.ts';
import { eventsLast } from './lifetime.ts';
import { coreEventFields, type Event, eventFields } from './schema.ts';
import { validateCoreEvent, validateEvent } from './validate.ts';

export type { Event } from './schema.ts';

const referenceFields = (prefix: string, reference: Partial<Event['involvedObject']>): Record<string, string> => {
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = reference;
  const fields = { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath };
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${prefix}.${field}`, value ?? '']));
};

const selectableFields = (stored: KubeObject): Record<string, string> => {
  const { involvedObject = {}, reason, type, source, reportingComponent } = stored as Partial<Event>;
  return {
    ...referenceFields('involvedObject', involvedObject),
    reason: reason ?? '',
    reportingComponent: reportingComponent ?? '',
    source: source?.component || (reportingComponent ?? ''),
    type: type ?? '',
  };
};

/** The same fields under their events.k8s.io names, which have no source. */
const selectableFieldsOfEvent = (stored: KubeObject): Record<string, string> => {
  const { involvedObject = {}, reason, type, reportingComponent } = stored as Partial<Event>;
  return {
    ...referenceFields('regarding', involvedObject),
    reason: reason ?? '',
    reportingController: reportingComponent ?? '',
    type: type ?? '',
  };
};

const shared = { kind: 'Event', plural: 'events', shortNames: ['ev'], endsAfter: eventsLast };

export const coreEvent = defineBuiltIn({
  ...coreEventFacts,
  ...shared,
  selectableFields,
  validate: validateCoreEvent,
  version: { description: 'A report of something that happened to an object.', fields: coreEventFields, columns },
});

/** The same events in the events.k8s.io group. */
export const event = defineBuiltIn({
  ...eventFacts,
  ...shared,
  selectableFields: selectableFieldsOfEvent,
  validate: validateEvent,
  version: {
    description: 'A report of something that happened to an object.',
    fields: eventFields,
    columns,
    toStorage: toCore,
    fromStorage: fromCore,
  },
});
