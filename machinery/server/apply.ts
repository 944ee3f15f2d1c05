/** Server-side apply: PATCH with a configuration, which creates what does not exist. */

import { ApiError, badRequest, conflict } from '../api/errors.ts';
import { admissionOf, isNotFound, type Request as LifecycleRequest, withDefaults } from '../api/lifecycle.ts';
import { isObject, type KubeObject } from '../api/object.ts';
import { apply as applyFields, UntypedObject } from '../apply/index.ts';
import { writeRequest } from './admit.ts';
import { answerObject } from './answer.ts';
import { forbidding } from './authorize.ts';
import { readBody } from './body.ts';
import { type Call, storeOf, warn } from './call.ts';
import { fromStored, toStored } from './convert.ts';
import { createObject } from './create.ts';
import { floatsOf, toObject } from './decode.ts';
import { MalformedJson, type ParsedJson, withoutNulls, yamlFault } from './json.ts';
import { applyOptions, type WriteOptions } from './options.ts';
import { ownedWrite } from './owners.ts';
import { restoreNulls } from './structural/nulls.ts';
import { checkPlace } from './update.ts';
import { updateObject } from './update-object.ts';

const decoded = async ({ resource }: Call, bytes: Uint8Array): Promise<ParsedJson> => {
  const { decodeYaml } = await import('./yaml.ts');
  try {
    return decodeYaml(new TextDecoder().decode(bytes), floatsOf(resource.kind));
  } catch (error) {
    if (error instanceof MalformedJson) throw badRequest(`error decoding YAML: ${error.message}`);
    throw error;
  }
};

/** The configuration in the request's body. */
const readConfig = async (call: Call, { fieldValidation }: WriteOptions): Promise<KubeObject> => {
  const { value, repeated = [] } = await decoded(call, await readBody(call.request));
  if (!isObject(value)) throw badRequest('error decoding YAML: the configuration is no object');
  if (fieldValidation === 'Strict' && repeated.length > 0)
    throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${yamlFault(repeated)}`);
  if (fieldValidation === 'Warn') for (const fault of repeated) warn(call, fault);
  return value as unknown as KubeObject;
};

/**
 * The object with the kind's defaults. Defaults may fail on a malformed object: then it stays as it
 * is, and admission, which follows, reports the fault.
 */
const withKindDefaults = async (
  call: Call,
  object: KubeObject,
  live: KubeObject | undefined,
  request: LifecycleRequest | undefined,
): Promise<KubeObject> => {
  // A kind with a webhook has no defaults but those of its schema.
  if (!live || !request || call.resource.kind.convert) return object;
  const { resource, version } = call;
  try {
    const stored = await toStored(resource.kind, version, withoutNulls(object) as KubeObject);
    const old = await toStored(resource.kind, version, live);
    const admission = admissionOf('update', request, old);
    return fromStored(resource.kind, version, withDefaults(resource.kind, stored, admission));
  } catch {
    return object;
  }
};

/** The object with the configuration applied, and its owners. */
const appliedTo = async (
  call: Call,
  live: KubeObject | undefined,
  config: KubeObject,
  force: boolean,
): Promise<KubeObject> => {
  try {
    const isDefaulted = live !== undefined && !call.path.subresource;
    const request = isDefaulted
      ? await writeRequest(call, live, { dryRun: true, subresource: '', old: live })
      : undefined;
    const write = ownedWrite(call, live, config, call.path.subresource);
    const { object } = await applyFields({
      ...write,
      force,
      settle: (next) => withKindDefaults(call, next, live, request),
    });
    const bytes = Buffer.from(JSON.stringify(object));
    const value = structuredClone(object);
    const whole = toObject(call, { value, duplicates: [], origin: 'patch', bytes }, 'Ignore');
    if (call.resource.kind.custom) restoreNulls(whole, object, config, call.version.schema);
    checkPlace(call, whole);
    return whole;
  } catch (error) {
    if (error instanceof UntypedObject) throw new ApiError(500, '', error.message);
    throw error;
  }
};

/** Creating by apply needs the right to create, too. */
const mayCreate = async ({ server, ...call }: Call): Promise<void> => {
  const attributes = { ...call.attributes, verb: 'create' };
  const { allowed, reason } = await server.rights.authorize(attributes);
  if (!allowed) throw forbidding(attributes, reason);
};

const createApplied = async (call: Call, config: KubeObject, { dryRun, force }: ApplyRequest): Promise<KubeObject> => {
  const { uid } = (isObject(config.metadata) ? config.metadata : {}) as Partial<KubeObject['metadata']>;
  if (uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(call.resource.kind, call.path.name, why);
  }
  await mayCreate(call);
  return createObject(call, await appliedTo(call, undefined, config, force), dryRun, { isApply: true });
};

type ApplyRequest = WriteOptions & { force: boolean };

const updateApplied = (call: Call, config: KubeObject, { dryRun, force }: ApplyRequest): Promise<KubeObject> =>
  updateObject(call, {
    dryRun,
    next: (live) => appliedTo(call, live, config, force),
    retry: true,
    isApply: true,
    subresource: call.path.subresource,
  });

/** Another client may create or delete the object between the read and the write. */
const mostTurns = 4;

const applied = async (call: Call, config: KubeObject, request: ApplyRequest): Promise<[KubeObject, 200 | 201]> => {
  const { resource, path } = call;
  for (let turn = 1; ; turn++) {
    const isThere =
      path.subresource || (await storeOf(call).get(resource.type, { namespace: path.namespace, name: path.name }));
    try {
      return isThere
        ? [await updateApplied(call, config, request), 200]
        : [await createApplied(call, config, request), 201];
    } catch (error) {
      const isCrossed = isThere ? isNotFound(error) && !path.subresource : isTaken(error);
      if (!isCrossed || turn === mostTurns) throw error;
    }
  }
};

const isTaken = (error: unknown): boolean => error instanceof ApiError && error.reason === 'AlreadyExists';

/** PATCH of an object or of its status by `application/apply-patch+yaml`. */
export const apply = async (call: Call): Promise<Response> => {
  const request = applyOptions(call.query);
  const config = await readConfig(call, request);
  const [object, status] = await applied(call, config, request);
  return answerObject(call, object, status);
};
