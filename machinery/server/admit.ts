/** Admits a written object: converts, defaults and validates it, and collects warnings for the client. */
import { ApiError, invalid } from '../api/errors.ts';
import type { Admission, FieldError } from '../api/kind.ts';
import { admissionOf, checkAdmitted, withDefaults } from '../api/lifecycle.ts';
import type { KubeObject, ObjectMeta } from '../api/object.ts';
import { onDemand } from '../once.ts';
import { type Call, warn } from './call.ts';
import { toStored } from './convert.ts';
import { finalizerWarnings, metadataErrors } from './metadata.ts';
import { type Bodies, validateByUsers } from './review.ts';
import { scaleErrors } from './scale-errors.ts';

/** The request in lifecycle's terms. */
export const lifecycleRequest = (call: Call, dryRun: boolean, subresource = call.path.subresource) => ({
  now: call.server.clock.now(),
  uid: () => call.server.random.uuid(),
  user: call.user,
  dryRun,
  ...(subresource && { subresource }),
});

/** The request of a write, with what the kind's extension reads for it. `old`: the stored object, for an update. */
export const writeRequest = async (
  call: Call,
  sent: KubeObject,
  { dryRun, subresource, old }: { dryRun: boolean; subresource: string; old?: KubeObject },
) => {
  const request = lifecycleRequest(call, dryRun, subresource);
  const admission = admissionOf(old ? 'update' : 'create', request, old);
  const related = subresource === 'status' ? undefined : await call.resource.related?.(sent, admission);
  return related ? { ...request, related } : request;
};

/** Owner references are a set by uid: the server drops repetitions and warns the client. */
export const withoutRepeatedOwners = (call: Call, metadata: ObjectMeta): ObjectMeta => {
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

const systemFields = [
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
] as const;
/** Metadata without the fields that only the server sets. */
export const withoutSystemFields = (metadata: ObjectMeta): ObjectMeta => {
  const fields = { ...metadata } as Record<string, unknown>;
  for (const name of systemFields) delete fields[name];
  return fields as unknown as ObjectMeta;
};

/** Loaded lazily with its pattern and rule libraries, which read requests do not need. */
const structural = onDemand(async () => (await import('./structural/validate.ts')).validateStructure);

const embedded = onDemand(async () => (await import('./structural/embedded.ts')).embeddedErrors);

/** Kubernetes validates the status of a custom resource alone, and names its fields so. */
const ofStatus = (error: FieldError): FieldError =>
  error.field.startsWith('status.') && error.detail.startsWith(`${error.field} in body `)
    ? { ...error, detail: error.detail.slice('status.'.length) }
    : error;

/** Faults in the request's version that the schema can find. */
const faultsOf = async (call: Call, object: KubeObject, before: KubeObject | undefined): Promise<FieldError[]> => {
  const { resource, version } = call;
  const validateStructure = await structural();
  const structure = validateStructure(object, version.schema, before, {
    before: metadataErrors(resource.kind, object.metadata, before?.metadata),
    after: resource.kind.custom
      ? [...(await embedded())(object, version.schema), ...(version.scale ? scaleErrors(version.scale, object) : [])]
      : [],
  });
  const errors = structure.length > 0 ? structure : (version.validate?.(object) ?? []);
  return resource.kind.custom && call.path.subresource === 'status' ? errors.map(ofStatus) : errors;
};

const refuse = (call: Call, name: string, errors: FieldError[]): void => {
  if (errors.length > 0) throw invalid(call.resource.kind, name, errors);
};

/** Defaulting fills in missing fields, but cannot repair a wrong type. */
const isBeyondDefaults = ({ reason }: FieldError): boolean => reason === 'FieldValueTypeInvalid';

const isStored = ({ version }: Call): boolean => version.storage && !version.toStorage;

export interface Written {
  /** In the version of the request. */
  sent: KubeObject;
  /** The object before, in the same version. */
  before?: KubeObject | undefined;
  /** What the write may make of the stored object, from the sent one in the storage version. */
  candidate: (converted: KubeObject) => KubeObject;
  admission: Admission;
  /** The bodies of the subresource, if they are no objects of the kind. */
  bodies?: Bodies | undefined;
}

/**
 * The object as it would be stored, with all defaults. In the storage version, validation follows
 * defaulting, except for types. When conversion or defaulting fails on a malformed object, the
 * client gets the object's faults, not that error.
 */
export const admit = async (
  call: Call,
  { sent, before, candidate, admission, bodies }: Written,
): Promise<KubeObject> => {
  const { resource, version } = call;
  const name = sent.metadata.name ?? '';
  const faults = await faultsOf(call, sent, before);
  if (!isStored(call) || faults.some(isBeyondDefaults)) refuse(call, name, faults);
  try {
    const written = candidate(await toStored(resource.kind, version, sent));
    const extended = (await resource.admit?.(written, admission)) ?? written;
    const object = withDefaults(resource.kind, extended, admission);
    if (isStored(call)) refuse(call, name, await faultsOf(call, object, before));
    checkAdmitted(resource.kind, object, admission);
    await validateByUsers(call, { object, old: admission.old, admission, bodies });
    return object;
  } catch (error) {
    if (!(error instanceof ApiError)) refuse(call, name, faults);
    throw error;
  }
};

/** Adds the warnings that a written object causes, and what the audit log says of it. */
export const addWarnings = async (call: Call, stored: KubeObject, admission: Admission): Promise<void> => {
  for (const text of finalizerWarnings(stored.metadata, admission.old?.metadata)) warn(call, text);
  for (const text of call.resource.kind.warn?.(stored, admission) ?? []) warn(call, text);
  for (const text of (await call.resource.warn?.(stored, admission)) ?? []) warn(call, text);
  Object.assign(call.audited, call.resource.kind.audited?.(stored, admission));
};
