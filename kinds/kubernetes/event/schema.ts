import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, object, required, string, time } from '../../../machinery/api/schema.ts';

export const objectReference = (description: string) =>
  object(
    description,
    {
      kind: string('Kind of the object.'),
      namespace: string('Namespace of the object.'),
      name: string('Name of the object.'),
      uid: string('Identity of the object.'),
      apiVersion: string('Group and version of the object.'),
      resourceVersion: string('State of the object.'),
      fieldPath: string('Part of the object.'),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );

const source = object('Who reports.', { component: string('Program.'), host: string('Machine.') });
const series = object('A repetition of the same event.', {
  count: int32('How often it was seen.'),
  lastObservedTime: time('When it was last seen.'),
});

const shared = {
  type: string('Normal or Warning.'),
  reason: string('Why, in one word.'),
  eventTime: time('When it was first seen.'),
  action: string('What was done about the object.'),
  reportingInstance: string('Which instance of the program reports.'),
  series,
  related: objectReference('A second object that the event is about.'),
};

/** Events of the core group. */
export const coreEventFields = {
  ...shared,
  involvedObject: required(objectReference('The object that the event is about.')),
  message: string('What happened, in words.'),
  source,
  firstTimestamp: time('When it was first seen.'),
  lastTimestamp: time('When it was last seen.'),
  count: int32('How often it was seen.'),
  reportingComponent: string('Program that reports.'),
};

const coreEvent = object('', coreEventFields);
export type Event = KubeObject & Infer<typeof coreEvent>;

/** Events of events.k8s.io. */
export const eventFields = {
  ...shared,
  regarding: objectReference('The object that the event is about.'),
  note: string('What happened, in words.'),
  reportingController: string('Program that reports.'),
  deprecatedSource: source,
  deprecatedFirstTimestamp: time('When it was first seen.'),
  deprecatedLastTimestamp: time('When it was last seen.'),
  deprecatedCount: int32('How often it was seen.'),
};
