/** Fields of protobuf messages, and messages that many kinds share. */

/** What JSON has in place of a message, where it is no object of the same fields. */
export type InJson = (message: Record<string, unknown>) => unknown;

export type ProtoField = { name: string; repeated?: boolean } & (
  | { type: 'string' | 'integer' | 'boolean'; optional?: boolean }
  | { type: 'bytes' | 'json' | 'time' | 'microTime' | 'quantity' | 'intOrString' | 'double' }
  | { type: 'stringMap' | 'bytesMap' | 'quantityMap' }
  /** Inline: its fields belong to the outer message in JSON. */
  | { type: 'message'; message: () => ProtoMessage; inline?: boolean; as?: InJson }
  | { type: 'messageMap'; message: () => ProtoMessage; as?: InJson }
);
export type ProtoMessage = Record<number, ProtoField>;

export const string = (name: string): ProtoField => ({ name, type: 'string' });
export const strings = (name: string): ProtoField => ({ name, type: 'string', repeated: true });
export const integer = (name: string): ProtoField => ({ name, type: 'integer' });
/** A pointer in Go: its zero value counts as set. */
export const optionalInteger = (name: string): ProtoField => ({ name, type: 'integer', optional: true });
export const optionalBoolean = (name: string): ProtoField => ({ name, type: 'boolean', optional: true });
export const optionalString = (name: string): ProtoField => ({ name, type: 'string', optional: true });
export const time = (name: string): ProtoField => ({ name, type: 'time' });
export const microTime = (name: string): ProtoField => ({ name, type: 'microTime' });
export const message = (name: string, of: () => ProtoMessage): ProtoField => ({ name, type: 'message', message: of });
export const messages = (name: string, of: () => ProtoMessage): ProtoField => ({
  ...message(name, of),
  repeated: true,
});
/** Its fields belong to the outer message in JSON. */
export const inlined = (of: () => ProtoMessage): ProtoField => ({
  name: '',
  type: 'message',
  message: of,
  inline: true,
});
export const stringMap = (name: string): ProtoField => ({ name, type: 'stringMap' });
export const messageMap = (name: string, of: () => ProtoMessage): ProtoField => ({
  name,
  type: 'messageMap',
  message: of,
});
export const bytesMap = (name: string): ProtoField => ({ name, type: 'bytesMap' });

const ownerReference: ProtoMessage = {
  1: string('kind'),
  3: string('name'),
  4: string('uid'),
  5: string('apiVersion'),
  6: optionalBoolean('controller'),
  7: optionalBoolean('blockOwnerDeletion'),
};
const managedFieldsEntry: ProtoMessage = {
  1: string('manager'),
  2: string('operation'),
  3: string('apiVersion'),
  4: time('time'),
  6: string('fieldsType'),
  7: { name: 'fieldsV1', type: 'json' },
  8: string('subresource'),
};
const objectMeta: ProtoMessage = {
  1: string('name'),
  2: string('generateName'),
  3: string('namespace'),
  4: string('selfLink'),
  5: string('uid'),
  6: string('resourceVersion'),
  7: integer('generation'),
  8: time('creationTimestamp'),
  9: time('deletionTimestamp'),
  10: optionalInteger('deletionGracePeriodSeconds'),
  11: stringMap('labels'),
  12: stringMap('annotations'),
  13: messages('ownerReferences', () => ownerReference),
  14: strings('finalizers'),
  17: messages('managedFields', () => managedFieldsEntry),
};
export const metadata: ProtoField = message('metadata', () => objectMeta);

export const labelSelector: ProtoMessage = {
  1: stringMap('matchLabels'),
  2: messages('matchExpressions', () => ({ 1: string('key'), 2: string('operator'), 3: strings('values') })),
};
