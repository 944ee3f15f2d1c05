/** Decodes a sent object in its version: drops unknown fields and applies defaults. */
import { type ApiError, badRequest, invalid } from '../api/errors.ts';
import { apiVersionOf, type FieldError } from '../api/kind.ts';
import { isObject, type KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { builtInTypes, customTypes, decodeBody, mediaTypeOf, readBody } from './body.ts';
import { type Call, warn } from './call.ts';
import { type IsFloat, MalformedJson, RoundedInteger, setField, yamlFault } from './json.ts';
import { metadataSchema } from './metadata-schema.ts';
import { applyDefaults } from './structural/default.ts';
import { embeddedMismatch } from './structural/embedded.ts';
import { pruneUnknown } from './structural/prune.ts';
import { typeMismatch } from './structural/types.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** The source of an object: a request body, or the result of a patch. */
export type Origin = 'body' | 'patch';

const refusal = (call: Call, origin: Origin, value: unknown, why: string): ApiError => {
  const { kind } = call.resource;
  if (origin === 'body')
    return badRequest(`${kind.kind} in version "${call.version.name}" cannot be handled as a ${kind.kind}: ${why}`);
  const error: FieldError = { reason: 'FieldValueInvalid', field: 'patch', value: JSON.stringify(value), detail: why };
  return invalid({ group: '', kind: '' }, '', [error]);
};

const shortest = 30;
/** The beginning of a body, for error messages. */
export const summary = (bytes: Uint8Array): string => {
  if (bytes.length === 0) return '<empty>';
  const cut = bytes.length > shortest ? ' ...' : '';
  const start = Buffer.from(bytes.subarray(0, shortest));
  return `${bytes[0] === 0x7b ? start.toString() : start.toString('hex')}${cut}`;
};

const unrecognized = (call: Call, why: string, bytes: Uint8Array): ApiError =>
  badRequest(
    `the object provided is unrecognized (must be of type ${call.resource.kind.kind}): ${why} (${summary(bytes)})`,
  );

const parseFailed = "couldn't get version/kind; json parse error";
const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const goKind = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

const textField = (
  value: Record<string, unknown>,
  name: 'apiVersion' | 'kind',
  call: Call,
  bytes: Uint8Array,
): string => {
  const field = value[name] ?? '';
  if (typeof field === 'string') return field;
  const message = `json: cannot unmarshal ${goKind(field)} into Go struct field .${name} of type string`;
  throw unrecognized(call, `${parseFailed}: ${message}`, bytes);
};

const wrongType = (call: Call, sent: string, name: string, field: string, value: string, must: string): ApiError =>
  invalid({ group: call.resource.kind.group, kind: sent }, name, [
    { reason: 'FieldValueInvalid', field, value, detail: `must be ${must}` },
  ]);

const versionOf = (apiVersion: string): string => apiVersion.split('/').at(-1)!;

/** apiVersion and kind must match the path; a built-in kind's body may omit them. */
const checkTypeMeta = (value: Record<string, unknown>, call: Call, origin: Origin, bytes: Uint8Array): void => {
  const { kind, group, custom } = call.resource.kind;
  const expected = apiVersionOf(group, call.version.name);
  const apiVersion = textField(value, 'apiVersion', call, bytes);
  const sent = textField(value, 'kind', call, bytes);
  if (!sent && custom) {
    const text = Buffer.from(bytes).toString();
    throw unrecognized(call, `Object 'Kind' is missing in '${text}'`, bytes);
  }
  const name = isObject(value.metadata) ? String(value.metadata.name ?? '') : '';
  if (custom && sent !== kind) throw wrongType(call, sent, name, 'kind', sent, kind);
  if (!custom && ((apiVersion && apiVersion !== expected) || (sent && sent !== kind)))
    throw badRequest(
      `${sent || kind} in version "${versionOf(apiVersion || expected)}" cannot be handled as a ${kind}: no kind "${sent || kind}" is registered for version "${apiVersion || expected}"`,
    );
  if (apiVersion && apiVersion !== expected) {
    if (origin === 'patch') throw wrongType(call, kind, name, 'apiVersion', apiVersion, expected);
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
};

/** The zero value that replaces a null where a value is required. */
const zeroOf = ({ type }: JsonSchema): unknown => {
  switch (type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return {};
  }
};

/** A null counts as absent; in a list or a map of strings, as the zero value. */
const dropNulls = (value: unknown, schema: JsonSchema): void => {
  if (schema['x-kubernetes-preserve-unknown-fields']) return;
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (item === null) value[i] = zeroOf(schema.items ?? {});
      else dropNulls(item, schema.items ?? {});
    }
  }
  if (!isObject(value)) return;
  const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
  for (const [name, field] of Object.entries(value)) {
    const child = schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : rest;
    if (field !== null) dropNulls(field, child ?? {});
    else if (rest?.type === 'string') setField(value, name, zeroOf(rest));
    else delete value[name];
  }
};

const isEmpty = (value: unknown): boolean => typeof value === 'object' && Object.keys(value ?? {}).length === 0;

/** Metadata is typed for every kind; empty lists and maps count as absent. */
const cleanMetadata = (value: Record<string, unknown>, call: Call, origin: Origin): string[] => {
  const { metadata } = value;
  const mismatch = call.resource.kind.custom && typeMismatch(metadata, metadataSchema, '', 'ObjectMeta');
  if (mismatch) throw refusal(call, origin, value, mismatch);
  if (!isObject(metadata)) {
    value.metadata = {};
    return [];
  }
  const unknown = pruneUnknown({ metadata }, { properties: { metadata: metadataSchema } }, false);
  dropNulls(metadata, metadataSchema);
  // A real API server clears this instead of refusing it, and Helm charts' manifests rely on that.
  if (!call.resource.kind.namespaced) delete metadata.namespace;
  // An empty list of owners asks to forget them.
  for (const name of Object.keys(metadata))
    if (isEmpty(metadata[name]) && name !== 'managedFields') delete metadata[name];
  return unknown;
};

const report = (call: Call, origin: Origin, value: unknown, faults: string[], validation: FieldValidation): void => {
  if (faults.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refusal(call, origin, value, `strict decoding error: ${faults.join(', ')}`);
  for (const fault of faults) warn(call, fault);
};

export interface Raw {
  value: unknown;
  duplicates: string[];
  /** As in ParsedJson. */
  repeated?: string[] | undefined;
  origin: Origin;
  /** The original body. */
  bytes: Uint8Array;
}

/**
 * Converts the value in place into an object of the call's kind and version; 400 or 422 when that
 * is impossible.
 */
export const toObject = (call: Call, raw: Raw, validation: FieldValidation): KubeObject => {
  const { value, duplicates, repeated = [], origin, bytes } = raw;
  const { kind } = call.resource;
  const { schema } = call.version;
  if (!isObject(value)) {
    const why = `json: cannot unmarshal ${goKind(value)} into Go value of type ${typeMetaStruct}`;
    throw unrecognized(call, `${parseFailed}: ${why}`, bytes);
  }
  checkTypeMeta(value, call, origin, bytes);
  value.apiVersion = apiVersionOf(kind.group, call.version.name);
  value.kind = kind.kind;
  if (!kind.custom) {
    const mismatch =
      typeMismatch(value.metadata, metadataSchema, 'metadata', 'ObjectMeta') ??
      typeMismatch(value, schema, '', kind.kind);
    if (mismatch) throw refusal(call, origin, value, mismatch);
  }
  const embedded = kind.custom && embeddedMismatch(value, schema);
  if (embedded) throw refusal(call, origin, value, embedded);
  const unpruned = origin === 'patch' && validation === 'Strict' ? structuredClone(value) : value;
  const inMetadata = cleanMetadata(value, call, origin);
  const outside = pruneUnknown(value, schema);
  const unknown = [...inMetadata, ...outside];
  if (kind.custom) unknown.sort();
  const isStrict = validation === 'Strict' && repeated.length > 0;
  const faults = [
    ...(isStrict ? [yamlFault(repeated)] : repeated),
    ...duplicates.map((path) => `duplicate field "${path}"`),
    ...unknown.map((path) => `unknown field "${path}"`),
  ];
  report(call, origin, unpruned, faults, validation);
  if (!kind.custom) dropNulls(value, schema);
  applyDefaults(value, schema);
  return value as KubeObject;
};

/** Bounds of numbers in a schema. In a default or an example, such a name is a user's field. */
const boundOfSchema = /^(?!.*\.(?:default|example|enum)\b).*\.(?:maximum|minimum|multipleOf)$/;

/** Which numbers of this kind are a float64 upstream. */
export const floatsOf = ({ group, kind }: { group: string; kind: string }): IsFloat | undefined =>
  group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition'
    ? (path) => boundOfSchema.test(path)
    : undefined;

/** Reads the object in a request's body. */
export const readObject = async (call: Call, validation: FieldValidation): Promise<KubeObject> => {
  const accepted = call.resource.kind.custom ? customTypes : builtInTypes;
  const mediaType = mediaTypeOf(call.request);
  const bytes = await readBody(call.request);
  try {
    const decoded = await decodeBody(bytes, mediaType, accepted, floatsOf(call.resource.kind));
    return toObject(call, { ...decoded, origin: 'body', bytes }, validation);
  } catch (error) {
    if (error instanceof RoundedInteger) throw refusal(call, 'body', undefined, error.message);
    if (!(error instanceof MalformedJson)) throw error;
    throw unrecognized(
      call,
      mediaType === 'application/yaml' ? error.message : `${parseFailed}: ${error.message}`,
      bytes,
    );
  }
};
