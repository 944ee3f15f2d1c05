/** The message of CustomResourceDefinitions. */
import {
  integer,
  message,
  messageMap,
  messages,
  metadata,
  optionalBoolean,
  optionalInteger,
  optionalString,
  type ProtoField,
  type ProtoMessage,
  string,
  strings,
  time,
} from './protobuf-fields.ts';

const boolean = (name: string): ProtoField => ({ name, type: 'boolean' });
const double = (name: string): ProtoField => ({ name, type: 'double' });
const json = (name: string): ProtoField => ({ name, type: 'json' });

const schemaOr = (more: ProtoMessage): ProtoMessage => ({ ...more, 1: message('schema', () => schema) });
const orBoolean = (name: string): ProtoField => ({
  name,
  type: 'message',
  message: () => ({ 1: boolean('allows'), 2: message('schema', () => schema) }),
  as: ({ allows = false, schema: given }) => given ?? allows,
});

const rule: ProtoMessage = {
  1: string('rule'),
  2: string('message'),
  3: string('messageExpression'),
  4: optionalString('reason'),
  5: string('fieldPath'),
  6: optionalBoolean('optionalOldSelf'),
};

const schema: ProtoMessage = {
  1: string('id'),
  2: string('$schema'),
  3: optionalString('$ref'),
  4: string('description'),
  5: string('type'),
  6: string('format'),
  7: string('title'),
  8: json('default'),
  9: double('maximum'),
  10: boolean('exclusiveMaximum'),
  11: double('minimum'),
  12: boolean('exclusiveMinimum'),
  13: optionalInteger('maxLength'),
  14: optionalInteger('minLength'),
  15: string('pattern'),
  16: optionalInteger('maxItems'),
  17: optionalInteger('minItems'),
  18: boolean('uniqueItems'),
  19: double('multipleOf'),
  20: { ...json('enum'), repeated: true },
  21: optionalInteger('maxProperties'),
  22: optionalInteger('minProperties'),
  23: strings('required'),
  24: {
    name: 'items',
    type: 'message',
    message: () => schemaOr({ 2: messages('schemas', () => schema) }),
    as: ({ schemas, schema: given }) => schemas ?? given,
  },
  25: messages('allOf', () => schema),
  26: messages('oneOf', () => schema),
  27: messages('anyOf', () => schema),
  28: message('not', () => schema),
  29: messageMap('properties', () => schema),
  30: orBoolean('additionalProperties'),
  31: messageMap('patternProperties', () => schema),
  32: {
    name: 'dependencies',
    type: 'messageMap',
    message: () => schemaOr({ 2: strings('properties') }),
    as: ({ properties, schema: given }) => properties ?? given,
  },
  33: orBoolean('additionalItems'),
  34: messageMap('definitions', () => schema),
  35: message('externalDocs', () => ({ 1: string('description'), 2: string('url') })),
  36: json('example'),
  37: boolean('nullable'),
  38: optionalBoolean('x-kubernetes-preserve-unknown-fields'),
  39: boolean('x-kubernetes-embedded-resource'),
  40: boolean('x-kubernetes-int-or-string'),
  41: strings('x-kubernetes-list-map-keys'),
  42: optionalString('x-kubernetes-list-type'),
  43: optionalString('x-kubernetes-map-type'),
  44: messages('x-kubernetes-validations', () => rule),
};

const names: ProtoMessage = {
  1: string('plural'),
  2: string('singular'),
  3: strings('shortNames'),
  4: string('kind'),
  5: string('listKind'),
  6: strings('categories'),
};
const column: ProtoMessage = {
  1: string('name'),
  2: string('type'),
  3: string('format'),
  4: string('description'),
  5: integer('priority'),
  6: string('jsonPath'),
};
const scale: ProtoMessage = {
  1: string('specReplicasPath'),
  2: string('statusReplicasPath'),
  3: optionalString('labelSelectorPath'),
};
const version: ProtoMessage = {
  1: string('name'),
  2: optionalBoolean('served'),
  3: optionalBoolean('storage'),
  4: message('schema', () => ({ 1: message('openAPIV3Schema', () => schema) })),
  5: message('subresources', () => ({ 1: message('status', () => ({})), 2: message('scale', () => scale) })),
  6: messages('additionalPrinterColumns', () => column),
  7: boolean('deprecated'),
  8: optionalString('deprecationWarning'),
  9: messages('selectableFields', () => ({ 1: string('jsonPath') })),
};
const clientConfig: ProtoMessage = {
  1: message('service', () => ({
    1: string('namespace'),
    2: string('name'),
    3: optionalString('path'),
    4: optionalInteger('port'),
  })),
  2: { name: 'caBundle', type: 'bytes' },
  3: optionalString('url'),
};
const conversion: ProtoMessage = {
  1: string('strategy'),
  2: message('webhook', () => ({
    2: message('clientConfig', () => clientConfig),
    3: strings('conversionReviewVersions'),
  })),
};
const condition: ProtoMessage = {
  1: string('type'),
  2: string('status'),
  3: time('lastTransitionTime'),
  4: string('reason'),
  5: string('message'),
  6: integer('observedGeneration'),
};

export const definitionMessage: ProtoMessage = {
  1: metadata,
  2: message('spec', () => ({
    1: string('group'),
    3: message('names', () => names),
    4: string('scope'),
    7: messages('versions', () => version),
    9: message('conversion', () => conversion),
    10: boolean('preserveUnknownFields'),
  })),
  3: message('status', () => ({
    1: messages('conditions', () => condition),
    2: message('acceptedNames', () => names),
    3: strings('storedVersions'),
    4: integer('observedGeneration'),
  })),
};
