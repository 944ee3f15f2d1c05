/** Conditions as both versions of the Cluster API kinds carry them. */
import {
  int64,
  list,
  listMap,
  object,
  oneOf,
  required,
  type Schema,
  string,
  time,
} from '../../machinery/api/schema.ts';

const conditionType =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

export const conditions = listMap(
  'What is true of the object now, one entry a condition type.',
  ['type'],
  object('One condition.', {
    lastTransitionTime: required(time('When its status last changed.')),
    message: required(string('What is the matter, for people.', { maxLength: 32768 })),
    observedGeneration: int64('The generation it was computed from.', { minimum: 0 }),
    reason: required(
      string('Why, in one CamelCase word.', {
        maxLength: 1024,
        minLength: 1,
        pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      }),
    ),
    status: required(oneOf('Whether it holds.', ['True', 'False', 'Unknown'])),
    type: required(string('Name of the condition.', { maxLength: 316, pattern: conditionType })),
  }),
  { maxItems: 32 },
);

export const legacyConditions = list(
  'What is true of the object now, in the older form.',
  object('One condition.', {
    lastTransitionTime: required(time('When its status last changed.')),
    message: string('What is the matter, for people.', { maxLength: 10240, minLength: 1 }),
    reason: string('Why, in one CamelCase word.', { maxLength: 256, minLength: 1 }),
    severity: string('How bad it is when it does not hold: Error, Warning or Info.', { maxLength: 32 }),
    status: required(string('Whether it holds: True, False or Unknown.')),
    type: required(string('Name of the condition.', { maxLength: 256, minLength: 1 })),
  }),
);

export const failureMessage = string('Terminal failure in words; nothing sets it any more.', {
  maxLength: 10240,
  minLength: 1,
});
/** Some kinds bound the reason's length and some do not. */
export const failureReason = (bounded: boolean): Schema<string> =>
  string('Terminal failure in one word; nothing sets it any more.', bounded ? { maxLength: 256, minLength: 1 } : {});
