/** The protobuf form of OpenAPI v2: messages of gnostic's package openapi.v2. */
import { isObject, type JsonObject, type JsonValue } from '../../api/object.ts';
import type { Swagger } from './document.ts';

type Part = Uint8Array | undefined;

const utf8 = new TextEncoder();

const varint = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return [...bytes, rest];
};

const joined = (parts: readonly Part[]): Uint8Array => Buffer.concat(parts.filter((part) => part !== undefined));

/** A field of text or a message. */
const field = (number: number, bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
const message = (number: number, ...parts: Part[]): Uint8Array => field(number, joined(parts));
const text = (number: number, value: unknown): Part =>
  typeof value === 'string' && value !== '' ? field(number, utf8.encode(value)) : undefined;
const texts = (number: number, values: unknown): Part[] =>
  Array.isArray(values) ? values.map((one) => field(number, utf8.encode(String(one)))) : [];
const flag = (number: number, value: unknown): Part =>
  value === true ? Uint8Array.from([...varint(number * 8), 1]) : undefined;
const count = (number: number, value: unknown): Part =>
  typeof value === 'number' && value > 0 ? Uint8Array.from([...varint(number * 8), ...varint(value)]) : undefined;
const double = (number: number, value: unknown): Part => {
  if (typeof value !== 'number') return undefined;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Uint8Array.from(varint(number * 8 + 1)), bytes]);
};

/** JSON, which is YAML. */
const any = (number: number, value: JsonValue): Uint8Array => message(number, text(2, JSON.stringify(value)));
/** Name and value, as the entries of maps are. */
const named = (number: number, name: string, value: Uint8Array): Uint8Array => message(number, text(1, name), value);

const extensions = (number: number, of: JsonObject): Part[] =>
  Object.entries(of)
    .filter(([name]) => name.startsWith('x-'))
    .map(([name, value]) => named(number, name, any(2, value as JsonValue)));

const additional = (value: JsonValue | undefined): Part => {
  if (isObject(value)) return message(21, schema(1, value));
  return value === undefined ? undefined : message(21, Uint8Array.from([...varint(2 * 8), value === true ? 1 : 0]));
};

const properties = (number: number, of: JsonValue | undefined): Part => {
  if (!isObject(of)) return undefined;
  return message(number, ...Object.entries(of).map(([name, one]) => named(1, name, schema(2, one as JsonObject))));
};

const schema = (number: number, of: JsonObject): Uint8Array =>
  message(
    number,
    text(1, of.$ref),
    text(2, of.format),
    text(4, of.description),
    of.default === undefined ? undefined : any(5, of.default),
    double(7, of.maximum),
    flag(8, of.exclusiveMaximum),
    double(9, of.minimum),
    flag(10, of.exclusiveMinimum),
    count(11, of.maxLength),
    count(12, of.minLength),
    text(13, of.pattern),
    count(14, of.maxItems),
    count(15, of.minItems),
    flag(16, of.uniqueItems),
    count(17, of.maxProperties),
    count(18, of.minProperties),
    ...texts(19, of.required),
    ...((of.enum ?? []) as JsonValue[]).map((one) => any(20, one)),
    additional(of.additionalProperties),
    of.type === undefined ? undefined : message(22, text(1, of.type)),
    isObject(of.items) ? message(23, schema(1, of.items)) : undefined,
    properties(25, of.properties),
    ...extensions(31, of),
  );

const bodyParameter = (of: JsonObject): Uint8Array =>
  message(
    1,
    text(1, of.description),
    text(2, of.name),
    text(3, of.in),
    flag(4, of.required),
    schema(5, of.schema as JsonObject),
  );

/** Parameters of a query have `allowEmptyValue` before their type, those of a path have not. */
const otherParameter = (of: JsonObject): Uint8Array => {
  const isQuery = of.in === 'query';
  return message(
    2,
    message(
      isQuery ? 3 : 4,
      flag(1, of.required),
      text(2, of.in),
      text(3, of.description),
      text(4, of.name),
      text(isQuery ? 6 : 5, of.type),
      flag(isQuery ? 20 : 19, of.uniqueItems),
    ),
  );
};

const parameters = (number: number, of: JsonValue | undefined): Part[] =>
  ((of ?? []) as JsonObject[]).map((one) =>
    message(number, message(1, one.in === 'body' ? bodyParameter(one) : otherParameter(one))),
  );

const responses = (of: JsonObject): Uint8Array =>
  message(
    9,
    ...Object.entries(of as Record<string, JsonObject>).map(([code, one]) =>
      named(
        1,
        code,
        message(
          2,
          message(1, text(1, one.description), isObject(one.schema) ? message(2, schema(1, one.schema)) : undefined),
        ),
      ),
    ),
  );

const operation = (number: number, of: JsonValue | undefined): Part =>
  isObject(of)
    ? message(
        number,
        text(3, of.description),
        text(5, of.operationId),
        ...texts(6, of.produces),
        ...texts(7, of.consumes),
        ...parameters(8, of.parameters),
        responses(of.responses as JsonObject),
        ...texts(10, of.schemes),
        ...extensions(13, of),
      )
    : undefined;

const path = (of: JsonObject): Uint8Array =>
  message(
    2,
    operation(2, of.get),
    operation(3, of.put),
    operation(4, of.post),
    operation(5, of.delete),
    operation(8, of.patch),
    ...parameters(9, of.parameters),
  );

export const encodeSwagger = ({ swagger, info, paths, definitions }: Swagger): Uint8Array =>
  joined([
    text(1, swagger),
    message(2, text(1, info.title), text(2, info.version)),
    message(8, ...Object.entries(paths).map(([name, one]) => named(2, name, path(one)))),
    message(9, ...Object.entries(definitions).map(([name, one]) => named(1, name, schema(2, one)))),
  ]);
