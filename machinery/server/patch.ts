import { ApiError, badRequest, invalid } from '../api/errors.ts';
import type { KindDefinition } from '../api/kind.ts';
import { mergePatch } from '../api/merge.ts';
import { isObject, type KubeObject } from '../api/object.ts';
import { jsonPatch, strategicMergePatch } from '../api/patch.ts';
import type { JsonSchema } from '../api/schema.ts';
import { answerObject } from './answer.ts';
import { mediaTypeOf, readBody } from './body.ts';
import type { Call } from './call.ts';
import { type FieldValidation, floatsOf, toObject } from './decode.ts';
import { MalformedJson, parseJson } from './json.ts';
import { metadataSchema } from './metadata-schema.ts';
import { writeOptions } from './options.ts';
import { unsupportedMediaType } from './status.ts';
import { checkPlace } from './update.ts';
import { updateObject } from './update-object.ts';

const jsonType = 'application/json-patch+json';
const mergeType = 'application/merge-patch+json';
const strategicType = 'application/strategic-merge-patch+json';
const applyType = 'application/apply-patch+yaml';

export const patchTypes = (custom: boolean): string[] =>
  custom ? [jsonType, mergeType, applyType] : [jsonType, mergeType, strategicType, applyType];

type PatchedKind = Pick<KindDefinition, 'group' | 'kind' | 'custom'>;

export interface Patch {
  apply: (object: unknown, schema: JsonSchema) => unknown;
  /** Paths that the patch itself repeats. */
  duplicates: string[];
}

const decoded = (bytes: Uint8Array, kind: PatchedKind, about: string) => {
  try {
    return parseJson(new TextDecoder().decode(bytes), floatsOf(kind));
  } catch (error) {
    if (error instanceof MalformedJson) throw badRequest(`${about}${error.message}`);
    throw error;
  }
};

/**
 * Reads the patch in the request's body; 415 for a patch type that the kind does not support, and
 * for an apply, which is none of them.
 */
export const readPatch = async (request: Request, kind: PatchedKind): Promise<Patch> => {
  const type = mediaTypeOf(request);
  const accepted = patchTypes(kind.custom);
  if (type === applyType || !accepted.includes(type)) throw unsupportedMediaType(accepted);
  const about = type === strategicType ? '' : 'error decoding patch: ';
  const { value, duplicates } = decoded(await readBody(request), kind, about);
  if (type === jsonType) return { apply: (object) => jsonPatch(object, value), duplicates: [] };
  if (!isObject(value)) {
    const sent = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    throw badRequest(`${about}json: cannot unmarshal ${sent} into Go value of type map[string]interface {}`);
  }
  if (type === mergeType) return { apply: (object) => mergePatch(object, value), duplicates };
  return { apply: (object, schema) => strategicMergePatch(object, value, schema), duplicates };
};

const patchSchema = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  properties: { ...schema.properties, metadata: metadataSchema },
});

/** Applies the patch to an object of the call's kind; drops unknown fields. */
export const patched = (
  call: Call,
  { apply, duplicates }: Patch,
  current: object,
  validation: FieldValidation,
): KubeObject => {
  const value = apply(structuredClone(current), patchSchema(call.version.schema));
  if (!isObject(value))
    throw new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  const bytes = Buffer.from(JSON.stringify(value));
  const object = toObject(call, { value: structuredClone(value), duplicates, origin: 'patch', bytes }, validation);
  checkPlace(call, object);
  return object;
};

/** PATCH of an object or of its status. */
export const patch = async (call: Call): Promise<Response> => {
  const { resource, path } = call;
  if (mediaTypeOf(call.request) === applyType) return (await import('./apply.ts')).apply(call);
  const read = await readPatch(call.request, resource.kind);
  const options = writeOptions('PatchOptions', call.query);
  const next = (current: KubeObject): KubeObject => {
    const object = patched(call, read, current, options.fieldValidation);
    const { uid } = object.metadata;
    if (uid !== undefined && uid !== current.metadata.uid) {
      const field = { reason: 'FieldValueInvalid', field: 'metadata.uid', value: uid } as const;
      throw invalid(resource.kind, path.name, [{ ...field, detail: 'field is immutable' }]);
    }
    return object;
  };
  const stored = await updateObject(call, { dryRun: options.dryRun, next, retry: true, subresource: path.subresource });
  return answerObject(call, stored, 200);
};
