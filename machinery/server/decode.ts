/** From what a client sent to an object of the version it was sent in: known fields only, defaults filled in. */
import { type ApiError, badRequest } from '../api/errors.ts';
import { apiVersionOf, type KindDefinition, type KindVersion } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { JsonSchema } from '../api/schema.ts';
import { type Call, warn } from './call.ts';
import { isObject } from './json.ts';
import { metadataSchema } from './metadata-schema.ts';
import { applyDefaults } from './structural/default.ts';
import { pruneUnknown } from './structural/prune.ts';
import { typeMismatch } from './structural/types.ts';

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

const cannotBeHandled = ({ kind }: KindDefinition, { name }: KindVersion, why: string): ApiError =>
  badRequest(`${kind} in version "${name}" cannot be handled as a ${kind}: ${why}`);

/** Unknown and repeated fields, as the client asked to hear of them. */
const report = (call: Call, faults: string[], validation: FieldValidation): void => {
  if (faults.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') {
    throw cannotBeHandled(call.resource.kind, call.version, `strict decoding error: ${faults.join(', ')}`);
  }
  for (const fault of faults) warn(call, fault);
};

const checkTypeMeta = (value: Record<string, unknown>, call: Call): void => {
  const { kind, group } = call.resource.kind;
  const expected = apiVersionOf(group, call.version.name);
  const { apiVersion, kind: sent } = value;
  if (apiVersion !== undefined && typeof apiVersion !== 'string')
    throw badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal apiVersion of type string");
  if (sent !== undefined && typeof sent !== 'string')
    throw badRequest("couldn't get version/kind; json parse error: json: cannot unmarshal kind of type string");
  if (apiVersion && apiVersion !== expected)
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  if (sent && sent !== kind)
    throw badRequest(
      `${sent} in version "${call.version.name}" cannot be handled as a ${kind}: no kind "${sent}" is registered for version "${expected}"`,
    );
};

const pruneMetadata = (value: Record<string, unknown>, call: Call): string[] => {
  const { metadata } = value;
  if (metadata === undefined || metadata === null) {
    value.metadata = {};
    return [];
  }
  const mismatch = typeMismatch(metadata, metadataSchema, 'metadata', 'ObjectMeta');
  if (mismatch) throw cannotBeHandled(call.resource.kind, call.version, mismatch);
  const unknown = pruneUnknown({ metadata }, { properties: { metadata: metadataSchema } } as JsonSchema, false);
  const fields = metadata as Record<string, unknown>;
  for (const name of Object.keys(fields)) if (fields[name] === null) delete fields[name];
  return unknown;
};

/** Changes `value` in place into an object of the call's kind and version; 400 when it cannot be one. */
export const toObject = (
  call: Call,
  { value, duplicates }: { value: unknown; duplicates: string[] },
  validation: FieldValidation,
): KubeObject => {
  const { kind } = call.resource;
  if (!isObject(value))
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind.kind}): couldn't get version/kind; json parse error`,
    );
  checkTypeMeta(value, call);
  value.apiVersion = apiVersionOf(kind.group, call.version.name);
  value.kind = kind.kind;
  if (!kind.custom) {
    const mismatch = typeMismatch(
      value,
      { ...call.version.schema, properties: { ...call.version.schema.properties, metadata: metadataSchema } },
      '',
      kind.kind,
    );
    if (mismatch) throw cannotBeHandled(kind, call.version, mismatch);
  }
  const unknown = [...pruneMetadata(value, call), ...pruneUnknown(value, call.version.schema, true)].sort();
  report(
    call,
    [...duplicates.map((path) => `duplicate field "${path}"`), ...unknown.map((path) => `unknown field "${path}"`)],
    validation,
  );
  if (!kind.custom) dropNulls(value);
  applyDefaults(value, call.version.schema);
  return value as unknown as KubeObject;
};

/** A built-in kind's null is the same as no value. */
const dropNulls = (value: unknown): void => {
  if (Array.isArray(value)) for (const item of value) dropNulls(item);
  if (!isObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    if (field === null) delete value[name];
    else dropNulls(field);
  }
};
