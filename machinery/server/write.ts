/** Creating and updating: decode → convert → default → validate → decide, inside one commit of the store. */
import { ApiError, badRequest, invalid, notFound, unavailable } from '../api/errors.ts';
import type { Admission, FieldError } from '../api/kind.ts';
import {
  checkIdentity,
  prepareCreate,
  prepareStatusUpdate,
  prepareUpdate,
  refusalOfNamespace,
} from '../api/lifecycle.ts';
import type { KubeObject, ObjectKey, ObjectMeta } from '../api/object.ts';
import type { Decision } from '../store/store.ts';
import { type Call, storeOf, warn } from './call.ts';
import { fromStored, toStored } from './convert.ts';
import { finalizerWarnings, metadataErrors } from './metadata.ts';
import { scaleErrors } from './scale-errors.ts';
import { validateStructure } from './structural/validate.ts';

/** What lifecycle's functions want to know of a request. */
export const lifecycleRequest = (call: Call, dryRun: boolean, subresource = call.path.subresource) => ({
  now: call.server.clock.now(),
  uid: () => call.server.random.uuid(),
  user: call.user,
  dryRun,
  ...(subresource && { subresource }),
});

const admissionOf = (call: Call, dryRun: boolean, subresource: string, old?: KubeObject): Admission => ({
  operation: old ? 'update' : 'create',
  user: call.user,
  dryRun,
  ...(old && { old }),
  ...(subresource && { subresource }),
});

/** Owners are a set by uid: a repetition is dropped, and the client is told. */
const withoutRepeatedOwners = (call: Call, metadata: ObjectMeta): ObjectMeta => {
  const owners = metadata.ownerReferences;
  if (!owners) return metadata;
  const unique = owners.filter(({ uid }, i) => owners.findIndex((other) => other.uid === uid) === i);
  if (unique.length === owners.length) return metadata;
  warn(
    call,
    `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${unique
      .filter(({ uid }) => owners.filter((other) => other.uid === uid).length > 1)
      .map(({ uid }) => uid)
      .join(', ')}`,
  );
  return { ...metadata, ownerReferences: unique };
};

/** What is wrong with an object of the request's version, apart from what only its kind knows. */
const faultsOf = (call: Call, object: KubeObject, before: KubeObject | undefined): FieldError[] => {
  const { resource, version } = call;
  const structure = validateStructure(object, version.schema, before, {
    before: metadataErrors(resource.kind, object.metadata, before?.metadata),
    after: resource.kind.custom && version.scale ? scaleErrors(version.scale, object) : [],
  });
  return structure.length > 0 ? structure : (version.validate?.(object) ?? []);
};

const refuse = (call: Call, name: string, errors: FieldError[]): void => {
  if (errors.length > 0) throw invalid(call.resource.kind, name, errors);
};

const isStored = ({ version }: Call): boolean => version.storage && !version.toStorage;

/**
 * The object as it would be stored, with all defaults. In the storage version, faults are judged after defaulting; but
 * what a malformed object does to converting and defaulting is never the answer: its faults are.
 */
const admit = async (
  call: Call,
  sent: KubeObject,
  before: KubeObject | undefined,
  admission: Admission,
): Promise<KubeObject> => {
  const { resource, version } = call;
  const name = sent.metadata.name ?? '';
  const faults = faultsOf(call, sent, before);
  if (!isStored(call)) refuse(call, name, faults);
  try {
    const stored = toStored(version, sent);
    const extended = (await resource.admit?.(stored, admission)) ?? stored;
    const defaulted = resource.kind.default?.(extended, admission) ?? extended;
    if (isStored(call)) refuse(call, name, defaulted === sent ? faults : faultsOf(call, defaulted, before));
    return defaulted;
  } catch (error) {
    if (!(error instanceof ApiError)) refuse(call, name, faults);
    throw error;
  }
};

const tellWarnings = (call: Call, stored: KubeObject, admission: Admission): void => {
  for (const text of finalizerWarnings(stored.metadata, admission.old?.metadata)) warn(call, text);
  for (const text of call.resource.kind.warn?.(stored, admission) ?? []) warn(call, text);
};

/** Runs a decision in the store, or only in thought. */
const carryOut = async (
  call: Call,
  key: ObjectKey,
  dryRun: boolean,
  decide: (current: KubeObject | undefined) => Promise<Decision>,
  retry: boolean,
): Promise<{ object: KubeObject; did: Decision['do'] }> => {
  const { resource } = call;
  const store = storeOf(call);
  if (dryRun) {
    const decision = await decide(await store.get(resource.type, key));
    return { object: decision.object, did: decision.do };
  }
  let did: Decision['do'] = 'nothing';
  let existed = false;
  const object = await store.commit(
    resource.type,
    key,
    async (current) => {
      const decision = await decide(current);
      did = decision.do;
      existed = current !== undefined;
      return decision;
    },
    { retry },
  );
  if (did !== 'nothing')
    await resource.changed?.(did === 'remove' ? 'deleted' : existed ? 'updated' : 'created', object);
  return { object, did };
};

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const generatedName = (call: Call, prefix: string): string => {
  const suffix = Array.from(
    { length: 5 },
    () => nameAlphabet[Math.floor(call.server.random.next() * nameAlphabet.length)],
  );
  return prefix.slice(0, 63 - suffix.length) + suffix.join('');
};

const systemFields = [
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
  'managedFields',
] as const;
const withoutSystemFields = (metadata: ObjectMeta): ObjectMeta => {
  const fields = { ...metadata } as Record<string, unknown>;
  for (const name of systemFields) delete fields[name];
  return fields as unknown as ObjectMeta;
};

/** The namespace of the path, which the body may repeat but not contradict. */
const placed = (call: Call, metadata: ObjectMeta): ObjectMeta => {
  const { namespace: _, ...rest } = metadata;
  if (!call.resource.kind.namespaced) return metadata.namespace ? metadata : rest;
  const { namespace } = call.path;
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return { ...metadata, namespace };
};

const checkNamespace = async (call: Call, metadata: ObjectMeta): Promise<void> => {
  const { kind } = call.resource;
  if (!kind.namespaced) return;
  const namespace = await call.server.store.get('namespaces', { namespace: '', name: metadata.namespace ?? '' });
  const refusal = refusalOfNamespace(kind, metadata, namespace);
  if (refusal) throw refusal;
};

const createOnce = async (call: Call, sent: KubeObject, dryRun: boolean): Promise<KubeObject> => {
  const { resource, version } = call;
  const { kind } = resource;
  const { metadata } = sent;
  const { status: _, ...withoutStatus } = sent;
  const candidate = (version.status ? { ...withoutStatus, metadata } : sent) as KubeObject;
  await checkNamespace(call, metadata);
  if (metadata.resourceVersion)
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  const admission = admissionOf(call, dryRun, '');
  const stored = await admit(call, candidate, undefined, admission);
  tellWarnings(call, stored, admission);
  const key = { namespace: metadata.namespace ?? '', name: metadata.name };
  const decide = async (current: KubeObject | undefined) =>
    prepareCreate(kind, stored, current, lifecycleRequest(call, dryRun, ''));
  const { object } = await carryOut(call, key, dryRun, decide, false);
  return object;
};

/** Names made by the server may clash; this often another is tried. */
const mostNames = 8;

/** Creates what the client sent; answers it as stored. */
export const createObject = async (call: Call, sent: KubeObject, dryRun: boolean): Promise<KubeObject> => {
  const metadata = withoutRepeatedOwners(call, placed(call, withoutSystemFields(sent.metadata)));
  if (metadata.name || !metadata.generateName) return createOnce(call, { ...sent, metadata }, dryRun);
  for (let tries = 1; ; tries++) {
    const name = generatedName(call, metadata.generateName);
    try {
      return await createOnce(call, { ...sent, metadata: { ...metadata, name } }, dryRun);
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
      if (tries === mostNames) throw unavailable(`no free name found for ${metadata.generateName}`);
    }
  }
};

export interface Update {
  dryRun: boolean;
  /** The new object in the request's version, from the current one in that version. Called again when a retry is due. */
  next: (current: KubeObject) => KubeObject | Promise<KubeObject>;
  /** True: somebody else's write in between is no reason to give up, unless the client named a resourceVersion. */
  retry: boolean;
  /** True: an object without a resourceVersion is refused, as an update of custom resources is. */
  versionRequired?: boolean;
  /** `status`, another subresource, or empty for the object itself. */
  subresource: string;
}

const identityOf = ({ metadata }: KubeObject, next: ObjectMeta): ObjectMeta => {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, managedFields } = metadata;
  const system = { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, managedFields };
  const kept = Object.fromEntries(Object.entries(system).filter(([, value]) => value !== undefined));
  return { ...withoutSystemFields(next), ...kept } as ObjectMeta;
};

/** The part of `next` that this path may write, on top of `current`. */
const writable = (call: Call, current: KubeObject, next: KubeObject, subresource: string): KubeObject => {
  if (subresource === 'status') {
    const { status: _, ...rest } = current;
    const { resourceVersion } = next.metadata;
    const metadata = { ...current.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
    return { ...rest, metadata, ...(next.status !== undefined && { status: next.status }) } as KubeObject;
  }
  const metadata = withoutRepeatedOwners(call, identityOf(current, next.metadata));
  if (!call.version.status) return { ...next, metadata };
  const { status: _, ...rest } = next;
  return { ...rest, metadata, ...(current.status !== undefined && { status: current.status }) } as KubeObject;
};

const mustNameVersion = (call: Call, name: string): ApiError => {
  const { group, plural } = call.resource.kind;
  const detail = '0x0: must be specified for an update';
  return invalid({ group, kind: plural }, name, [
    { reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', detail },
  ]);
};

const immutableTime = (call: Call, name: string, time: string): ApiError => {
  const shown = `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
  const detail = `${shown}: field is immutable`;
  return invalid(call.resource.kind, name, [
    { reason: 'FieldValueInvalid', field: 'metadata.deletionTimestamp', detail },
  ]);
};

const checkBody = (call: Call, next: KubeObject, current: KubeObject, update: Update): void => {
  const { kind } = call.resource;
  const { resourceVersion, deletionTimestamp } = next.metadata;
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) {
    const text = JSON.stringify(resourceVersion);
    throw new ApiError(500, '', `strconv.ParseUint: parsing ${text}: invalid syntax`);
  }
  checkIdentity(kind, { ...next, metadata: { ...next.metadata, name: current.metadata.name } }, current);
  if (update.versionRequired && !resourceVersion) throw mustNameVersion(call, current.metadata.name);
  if (deletionTimestamp && Date.parse(deletionTimestamp) !== Date.parse(current.metadata.deletionTimestamp ?? ''))
    throw immutableTime(call, current.metadata.name, deletionTimestamp);
};

const decideUpdate = async (call: Call, update: Update, current: KubeObject | undefined): Promise<Decision> => {
  const { resource, version, path } = call;
  const { dryRun, subresource } = update;
  if (!current) throw notFound(resource.kind, path.name);
  const before = fromStored(resource, version, current);
  const next = await update.next(before);
  checkBody(call, next, current, update);
  const sent = writable(call, before, next, subresource);
  const admission = admissionOf(call, dryRun, subresource, current);
  const stored = await admit(call, sent, before, admission);
  tellWarnings(call, stored, admission);
  const request = lifecycleRequest(call, dryRun, subresource);
  return subresource === 'status'
    ? prepareStatusUpdate(resource.kind, stored, current, request)
    : prepareUpdate(resource.kind, stored, current, request);
};

/** Updates one object; answers it as stored. */
export const updateObject = async (call: Call, update: Update): Promise<KubeObject> => {
  const key = { namespace: call.path.namespace, name: call.path.name };
  const decide = (current: KubeObject | undefined) => decideUpdate(call, update, current);
  const { object } = await carryOut(call, key, update.dryRun, decide, update.retry);
  return object;
};

export { carryOut };
