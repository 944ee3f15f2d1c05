import type { KubeObject } from '../../machinery/api/object.ts';
import { defineBuiltIn } from '../built-in.ts';
import { columns } from './columns.ts';
import { fromCore, toCore } from './convert.ts';
import { eventsLast } from './lifetime.ts';
import { coreEventFields, type Event, eventFields } from './schema.ts';
import { validateCoreEvent, validateEvent } from './validate.ts';

export type { Event } from './schema.ts';

const selectableFields = (stored: KubeObject): Record<string, string> => {
  const { involvedObject = {}, reason, type, source, reportingComponent } = stored as Partial<Event>;
  const { kind, namespace, name, uid, apiVersion, resourceVersion, fieldPath } = involvedObject;
  return {
    'involvedObject.kind': kind ?? '',
    'involvedObject.namespace': namespace ?? '',
    'involvedObject.name': name ?? '',
    'involvedObject.uid': uid ?? '',
    'involvedObject.apiVersion': apiVersion ?? '',
    'involvedObject.resourceVersion': resourceVersion ?? '',
    'involvedObject.fieldPath': fieldPath ?? '',
    reason: reason ?? '',
    reportingComponent: reportingComponent ?? '',
    source: source?.component || (reportingComponent ?? ''),
    type: type ?? '',
  };
};

const shared = { kind: 'Event', plural: 'events', shortNames: ['ev'], selectableFields, endsAfter: eventsLast };

export const coreEvent = defineBuiltIn({
  ...shared,
  group: '',
  validate: validateCoreEvent,
  version: { description: 'A report of something that happened to an object.', fields: coreEventFields, columns },
});

/** The same events in their own group. */
export const event = defineBuiltIn({
  ...shared,
  group: 'events.k8s.io',
  storedAs: 'events',
  validate: validateEvent,
  version: {
    description: 'A report of something that happened to an object.',
    fields: eventFields,
    columns,
    toStorage: toCore,
    fromStorage: fromCore,
  },
});
