/**
 * Decodes Kubernetes' protobuf encoding, which standard clients use for built-in kinds. An envelope
 * of four magic bytes and runtime.Unknown holds one message; the field numbers are those of the
 * published .proto files.
 */
import { badRequest } from '../api/errors.ts';
import { exactJson } from '../api/exact.ts';
import { setField } from './json.ts';
import type { InJson, ProtoField, ProtoMessage } from './protobuf-fields.ts';
import { type FindMessage, messageOf } from './protobuf-messages.ts';

const magic = Buffer.from('k8s\0', 'latin1');

type Raw = { number: number; value: bigint | Uint8Array };

const malformed = () => badRequest('the protobuf body could not be decoded');

/** The fields of a message, in their order of arrival. */
const fieldsOf = (bytes: Uint8Array): Raw[] => {
  const fields: Raw[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw malformed();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw malformed();
  };
  const chunk = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw malformed();
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    switch (Number(tag & 7n)) {
      case 0:
        fields.push({ number, value: varint() });
        break;
      case 1:
        fields.push({ number, value: chunk(8) });
        break;
      case 2:
        fields.push({ number, value: chunk(Number(varint())) });
        break;
      case 5:
        fields.push({ number, value: chunk(4) });
        break;
      default:
        throw malformed();
    }
  }
  return fields;
};

const bytesOf = ({ value }: Raw): Uint8Array => {
  if (typeof value === 'bigint') throw malformed();
  return value;
};
const integerOf = ({ value }: Raw): number => {
  if (typeof value !== 'bigint') throw malformed();
  return Number(BigInt.asIntN(64, value));
};
const textOf = (raw: Raw): string => Buffer.from(bytesOf(raw)).toString('utf8');

const timeOf = (raw: Raw, micro: boolean): string | undefined => {
  const parts = fieldsOf(bytesOf(raw));
  const part = (number: number) => parts.filter((field) => field.number === number).map(integerOf)[0] ?? 0;
  const [seconds, nanos] = [part(1), part(2)];
  if (seconds === 0 && nanos === 0) return undefined;
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw malformed();
  const whole = date.toISOString().slice(0, 19);
  return micro ? `${whole}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${whole}Z`;
};

/** A Quantity, whose only field is its text. */
const quantityOf = (raw: Raw): string => {
  const text = fieldsOf(bytesOf(raw)).find(({ number }) => number === 1);
  return text ? textOf(text) : '0';
};
const intOrStringOf = (raw: Raw): number | string => {
  const parts = fieldsOf(bytesOf(raw));
  const part = (number: number) => parts.find((field) => field.number === number);
  const [kind, integer, text] = [part(1), part(2), part(3)];
  if (kind && integerOf(kind) === 1) return text ? textOf(text) : '';
  return integer ? integerOf(integer) : 0;
};

const doubleOf = (raw: Raw): number => {
  const bytes = Buffer.from(bytesOf(raw));
  if (bytes.length !== 8) throw malformed();
  return bytes.readDoubleLE();
};

const mapTypes = ['stringMap', 'bytesMap', 'quantityMap', 'messageMap'] as const;
type MapField = Extract<ProtoField, { type: (typeof mapTypes)[number] }>;
const isMap = (field: ProtoField): field is MapField => (mapTypes as readonly string[]).includes(field.type);

const mapEntry = (raw: Raw, field: MapField): [string, unknown] => {
  const parts = fieldsOf(bytesOf(raw));
  const key = parts.find(({ number }) => number === 1);
  const value = parts.find(({ number }) => number === 2);
  return [key ? textOf(key) : '', value ? mapValue(value, field) : field.type === 'messageMap' ? {} : ''];
};

const mapValue = (value: Raw, field: MapField): unknown => {
  switch (field.type) {
    case 'stringMap':
      return textOf(value);
    case 'bytesMap':
      return Buffer.from(bytesOf(value)).toString('base64');
    case 'quantityMap':
      return quantityOf(value);
    case 'messageMap':
      return asJson(messageValue(bytesOf(value), field.message()), field);
  }
};

const asJson = (value: Record<string, unknown>, { as }: { as?: InJson }): unknown => (as ? as(value) : value);

/** The zero value of a non-optional field means absent. */
const unlessZero = <T>(value: T, optional: boolean | undefined): T | undefined =>
  optional || (value !== '' && value !== 0 && value !== false) ? value : undefined;

const fieldValue = (raw: Raw, field: ProtoField): unknown => {
  switch (field.type) {
    case 'string':
      return unlessZero(textOf(raw), field.optional);
    case 'integer':
      return unlessZero(integerOf(raw), field.optional);
    case 'boolean':
      return unlessZero(integerOf(raw) !== 0, field.optional);
    case 'bytes':
      return unlessZero(Buffer.from(bytesOf(raw)).toString('base64'), false);
    case 'json':
      return rawJson(bytesOf(raw));
    case 'time':
      return timeOf(raw, false);
    case 'microTime':
      return timeOf(raw, true);
    case 'message':
      return asJson(messageValue(bytesOf(raw), field.message()), field);
    case 'double':
      return doubleOf(raw);
    case 'quantity':
      return quantityOf(raw);
    case 'intOrString':
      return intOrStringOf(raw);
    case 'stringMap':
    case 'bytesMap':
    case 'quantityMap':
    case 'messageMap':
      return mapEntry(raw, field);
  }
};

const rawJson = (bytes: Uint8Array): unknown => {
  const raw = fieldsOf(bytes).find(({ number }) => number === 1);
  try {
    return raw && exactJson(textOf(raw));
  } catch (error) {
    throw error instanceof SyntaxError ? malformed() : badRequest((error as Error).message);
  }
};

const emptyItem = ({ type }: ProtoField): unknown => (type === 'string' ? '' : type === 'json' ? null : {});

const messageValue = (bytes: Uint8Array, message: ProtoMessage): Record<string, unknown> => {
  const object: Record<string, unknown> = {};
  for (const raw of fieldsOf(bytes)) {
    const field = message[raw.number];
    if (!field) continue;
    const value = fieldValue(raw, field);
    if (field.type === 'message' && field.inline) {
      Object.assign(object, value);
    } else if (isMap(field)) {
      const [key, entry] = value as [string, unknown];
      object[field.name] ??= {};
      setField(object[field.name] as Record<string, unknown>, key, entry);
    } else if (field.repeated) {
      object[field.name] ??= [];
      (object[field.name] as unknown[]).push(value === undefined ? emptyItem(field) : value);
    } else if (value !== undefined) {
      object[field.name] = value;
    }
  }
  return object;
};

/** The object as JSON would represent it; 400 for an unknown kind or malformed bytes. */
export const decodeProtobuf = (bytes: Uint8Array, find: FindMessage = messageOf): Record<string, unknown> => {
  if (!magic.equals(bytes.subarray(0, 4))) throw badRequest('provided data does not appear to be a protobuf message');
  const envelope = fieldsOf(bytes.subarray(4));
  const typeMeta = envelope.find(({ number }) => number === 1);
  const body = envelope.find(({ number }) => number === 2);
  const names = typeMeta ? fieldsOf(bytesOf(typeMeta)) : [];
  const name = (number: number) => names.filter((field) => field.number === number).map(textOf)[0] ?? '';
  const [apiVersion, kind] = [name(1), name(2)];
  const message = find(apiVersion, kind);
  if (!message) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}" in protobuf`);
  return { apiVersion, kind, ...messageValue(body ? bytesOf(body) : new Uint8Array(), message) };
};
