/**
 * Create, update and delete for any object, whether an API client or a controller writes: identity,
 * generations, admission, finalizers. Pure; refusals are ApiErrors. Objects are in the storage
 * version.
 *
 * A write passes three stations, which the API server takes one by one, because its admission reads
 * and validates schemas between them: the *candidate* has the identity of the stored object and only
 * what this path may write; it is *admitted* by its kind; *decide* turns it into a Decision for
 * Store.commit. `prepare…` takes them together, for controllers.
 */
import type { Decision } from '../store/store.ts';
import { ApiError, alreadyExists, badRequest, conflict, forbidden, invalid, notFound } from './errors.ts';
import {
  type Admission,
  type FieldError,
  type KindDefinition,
  type KindFacts,
  storageVersion,
  type User,
} from './kind.ts';
import { equal, equalBut } from './merge.ts';
import type { KubeObject, ObjectMeta } from './object.ts';

/** The context of a request. `now` in milliseconds since the epoch. */
export interface Request {
  now: number;
  uid: () => string;
  user: User;
  dryRun?: boolean;
  /** The writer is a controller, not an API client. */
  byController?: boolean;
  /** Names the subresource for admission, such as `scale`; `finalize` may change the finalizers of a Namespace. */
  subresource?: string;
  related?: Admission['related'];
}

export interface DeleteOptions {
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  preconditions?: { uid?: string; resourceVersion?: string };
}

export const finalizers = { foreground: 'foregroundDeletion', orphan: 'orphan', namespace: 'kubernetes' } as const;
/** The label on every Namespace with its own name. */
export const namespaceLabel = 'kubernetes.io/metadata.name';

/** RFC 3339 in seconds, as metav1.Time prints. */
export const timestamp = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}Z`;

const isNamespace = (kind: KindDefinition) => kind.group === '' && kind.kind === 'Namespace';
const hasStatus = (kind: KindDefinition) => storageVersion(kind).status;

/** Whether finalizers keep a deleted object in the store. */
const held = (kind: KindDefinition, { metadata, spec }: KubeObject): boolean =>
  (metadata.finalizers?.length ?? 0) > 0 ||
  (isNamespace(kind) && ((spec as { finalizers?: string[] } | undefined)?.finalizers?.length ?? 0) > 0);

/** Whether a deleted object is removed in this state. */
const isOver = (kind: KindDefinition, object: KubeObject): boolean =>
  object.metadata.deletionTimestamp !== undefined && !held(kind, object);

export const admissionOf = (
  operation: Admission['operation'],
  { user, dryRun, byController, subresource, related }: Request,
  old?: KubeObject,
): Admission => ({
  operation,
  user,
  dryRun: dryRun ?? false,
  ...(byController && { byController }),
  ...(old && { old }),
  ...(subresource && { subresource }),
  ...(related && { related }),
});

/**
 * Applies the kind's defaults. Unchanged parts keep their identity, so that later comparisons are
 * cheap.
 */
export const withDefaults = (kind: KindDefinition, object: KubeObject, admission: Admission): KubeObject => {
  const made = kind.default?.(object, admission) ?? object;
  if (made === object) return object;
  const share = ([name, value]: [string, unknown]) => [name, equal(value, object[name]) ? object[name] : value];
  return Object.fromEntries(Object.entries(made).map(share)) as KubeObject;
};

/** 422 for what the kind refuses of an object with defaults, and for finalizers that come too late. */
export const checkAdmitted = (kind: KindDefinition, object: KubeObject, admission: Admission): void => {
  const { operation, old } = admission;
  const faults = [
    ...(operation === 'update' && old ? newFinalizers(object, old) : []),
    ...(kind.validate?.(object, admission) ?? []),
  ];
  if (faults.length) throw invalid(kind, object.metadata.name, faults);
};

const admitted = (kind: KindDefinition, candidate: KubeObject, admission: Admission): KubeObject => {
  const object = withDefaults(kind, candidate, admission);
  checkAdmitted(kind, object, admission);
  return object;
};

const withMeta = (object: KubeObject, change: Partial<ObjectMeta>): KubeObject => {
  const fields = Object.entries({ ...object.metadata, ...change });
  const metadata = Object.fromEntries(fields.filter(([, value]) => value !== undefined && value !== null));
  return { ...object, metadata: metadata as unknown as ObjectMeta };
};
const withStatus = (object: KubeObject, status: unknown): KubeObject => {
  const { status: _, ...rest } = object;
  return (status === undefined ? rest : { ...rest, status }) as KubeObject;
};

/** Keeps reserved annotations as they are stored when an API client writes. */
const withReserved = (
  { reservedAnnotations = [] }: KindDefinition,
  object: KubeObject,
  current: KubeObject | undefined,
  { byController }: Request,
): KubeObject => {
  const { annotations = {} } = object.metadata;
  const stored = current?.metadata.annotations ?? {};
  const differ = reservedAnnotations.filter((name) => annotations[name] !== stored[name]);
  if (byController || differ.length === 0) return object;
  const kept = { ...annotations };
  for (const name of differ) {
    delete kept[name];
    if (stored[name] !== undefined) kept[name] = stored[name];
  }
  return withMeta(object, { annotations: Object.keys(kept).length > 0 ? kept : undefined });
};

const onlyMetadata = new Set(['metadata']);
const metadataAndStatus = new Set(['metadata', 'status']);
/**
 * Whether everything that counts for the generation is equal: not metadata, and not status where it
 * is a subresource.
 */
const isSameDesire = (kind: KindDefinition, a: KubeObject, b: KubeObject): boolean =>
  equalBut(a, b, hasStatus(kind) ? metadataAndStatus : onlyMetadata);

const position = new Set(['resourceVersion']);
const isSame = (a: KubeObject, b: KubeObject): boolean =>
  equalBut(a, b, onlyMetadata) && equalBut(a.metadata, b.metadata, position);

/**
 * Refuses to create objects in a namespace that is absent or in deletion; `namespace` is the stored
 * Namespace.
 */
export const refusalOfNamespace = (
  kind: KindFacts,
  object: ObjectMeta,
  namespace: KubeObject | undefined,
): ApiError | undefined => {
  if (!kind.namespaced) return undefined;
  const name = object.namespace ?? '';
  if (!namespace) return notFound({ group: '', plural: 'namespaces' }, name);
  if (!namespace.metadata.deletionTimestamp) return undefined;
  const why = `unable to create new content in namespace ${name} because it is being terminated`;
  return forbidden(kind, object.name, why, [
    { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
  ]);
};

/** A new object. Its name is set, and refusalOfNamespace has checked its namespace. */
export const newCandidate = (kind: KindDefinition, object: KubeObject, request: Request): KubeObject => {
  const own = withReserved(kind, object, undefined, request);
  return withMeta(hasStatus(kind) ? withStatus(own, undefined) : own, {
    uid: request.uid(),
    creationTimestamp: timestamp(request.now),
    generation: kind.custom || kind.generations ? 1 : undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
  });
};

export const decideCreate = (kind: KindDefinition, object: KubeObject, current: KubeObject | undefined): Decision => {
  if (current) throw alreadyExists(kind, object.metadata.name);
  return { do: 'put', object };
};

export const prepareCreate = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject | undefined,
  request: Request,
): Decision => {
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  if (current) throw alreadyExists(kind, object.metadata.name);
  return decideCreate(
    kind,
    admitted(kind, newCandidate(kind, object, request), admissionOf('create', request)),
    current,
  );
};

/** 409 when the sent uid or resourceVersion differs from the stored one. */
export const checkIdentity = (kind: KindDefinition, object: KubeObject, current: KubeObject) => {
  const { uid, resourceVersion, name } = object.metadata;
  if (uid && uid !== current.metadata.uid)
    throw conflict(
      kind,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`,
    );
  if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) throw conflict(kind, name);
};

const newFinalizers = (object: KubeObject, current: KubeObject): FieldError[] => {
  if (!current.metadata.deletionTimestamp) return [];
  const before = current.metadata.finalizers ?? [];
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.includes(finalizer));
  if (!added.length) return [];
  const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers', detail }];
};

/** The finalizers in a Namespace's spec are changed through the finalize subresource. */
const withSpecFinalizers = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject,
  { subresource }: Request,
) => {
  if (!isNamespace(kind) || subresource === 'finalize') return object;
  return { ...object, spec: { ...(object.spec as object | undefined), ...pickFinalizers(current) } };
};
const pickFinalizers = ({ spec }: KubeObject) => {
  const { finalizers: kept } = (spec ?? {}) as { finalizers?: string[] };
  return { finalizers: kept };
};

/** Metadata that the writer cannot change. */
const identityOf = ({ metadata }: KubeObject, { byController }: Request): Partial<ObjectMeta> => {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, resourceVersion } =
    metadata;
  return {
    uid,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    generation,
    resourceVersion,
    ...(byController && { managedFields: metadata.managedFields }),
  };
};

/** What an update writes: everything but status; also status where it is a plain field. */
export const candidateOf = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject,
  request: Request,
): KubeObject => {
  const own = withReserved(kind, withSpecFinalizers(kind, object, current, request), current, request);
  return withMeta(hasStatus(kind) ? withStatus(own, current.status) : own, identityOf(current, request));
};

/**
 * What an update of status writes: no other change of `object`, except metadata of Kubernetes'
 * built-in kinds.
 */
export const statusCandidateOf = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject,
  request: Request,
): KubeObject => {
  const base = kind.custom
    ? current
    : withMeta({ ...current, metadata: object.metadata }, identityOf(current, request));
  const { managedFields } = request.byController ? current.metadata : object.metadata;
  return withMeta(withStatus(base, object.status), { managedFields });
};

/** A status never counts for the generation. */
export const decideStatusUpdate = (kind: KindDefinition, object: KubeObject, current: KubeObject): Decision => {
  if (isOver(kind, object)) return { do: 'remove', object };
  return isSame(object, current) ? { do: 'nothing', object: current } : { do: 'put', object };
};

export const decideUpdate = (kind: KindDefinition, object: KubeObject, current: KubeObject): Decision => {
  const decision = decideStatusUpdate(kind, object, current);
  const { generation } = current.metadata;
  const counts = generation !== undefined && !isSameDesire(kind, object, current);
  return decision.do === 'put' && counts
    ? { do: 'put', object: withMeta(object, { generation: generation + 1 }) }
    : decision;
};

export const prepareUpdate = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject | undefined,
  request: Request,
): Decision => {
  if (!current) throw notFound(kind, object.metadata.name);
  checkIdentity(kind, object, current);
  const candidate = candidateOf(kind, object, current, request);
  return decideUpdate(kind, admitted(kind, candidate, admissionOf('update', request, current)), current);
};

export const prepareStatusUpdate = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject | undefined,
  request: Request,
): Decision => {
  if (!current) throw notFound(kind, object.metadata.name);
  checkIdentity(kind, object, current);
  const admission = admissionOf('update', { ...request, subresource: 'status' }, current);
  return decideStatusUpdate(
    kind,
    admitted(kind, statusCandidateOf(kind, object, current, request), admission),
    current,
  );
};

/**
 * Updates object and status together, each with its own admission; `statusOf` sees the new
 * generation.
 */
export const prepareWhole = (
  kind: KindDefinition,
  object: KubeObject,
  current: KubeObject | undefined,
  request: Request,
  statusOf: (next: KubeObject) => unknown,
): Decision => {
  const rest = prepareUpdate(kind, object, current, request);
  const status = statusOf(rest.object);
  if (status === undefined) return rest;
  const next = withStatus(rest.object, status);
  if (rest.do === 'remove') return { do: 'remove', object: next };
  const whole = prepareStatusUpdate(kind, next, rest.object, request);
  return whole.do === 'nothing' ? rest : whole;
};

const checkPreconditions = (kind: KindDefinition, { metadata }: KubeObject, { preconditions }: DeleteOptions) => {
  // Kubernetes names the kind here, not the resource.
  const of = { group: kind.group, plural: kind.kind };
  const { uid, resourceVersion } = { ...metadata, ...preconditions };
  if (uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(of, metadata.name, why);
  }
  if (resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(of, metadata.name, why);
  }
};

/** The garbage collector's finalizers for this propagation policy; unchanged without a policy. */
const propagation = (before: string[], policy: DeleteOptions['propagationPolicy']): string[] => {
  const collectors: string[] = [finalizers.foreground, finalizers.orphan];
  if (!policy) return before;
  const others = before.filter((finalizer) => !collectors.includes(finalizer));
  switch (policy) {
    case 'Foreground':
      return [...others, finalizers.foreground];
    case 'Orphan':
      return [...others, finalizers.orphan];
    case 'Background':
      return others;
    default:
      throw badRequest(`unknown propagation policy ${JSON.stringify(policy satisfies never)}`);
  }
};

/** Why an object must not be deleted; one in deletion may go on. */
export const refusalToDelete = (kind: KindFacts, object: KubeObject): string | undefined =>
  object.metadata.deletionTimestamp ? undefined : kind.refuseDelete?.(object);

/**
 * Deletes at once when no finalizer holds the object, else sets the deletion timestamp. Idempotent.
 */
export const prepareDelete = (
  kind: KindDefinition,
  name: string,
  current: KubeObject | undefined,
  options: DeleteOptions,
  request: Request,
): Decision => {
  if (!current) throw notFound(kind, name);
  checkPreconditions(kind, current, options);
  const refusal = refusalToDelete(kind, current);
  if (refusal) throw forbidden(kind, name, refusal);
  checkAdmitted(kind, current, admissionOf('delete', request, current));
  const wanted = propagation(current.metadata.finalizers ?? [], options.propagationPolicy);
  const { deletionTimestamp, generation } = current.metadata;
  const next = withMeta(current, {
    finalizers: wanted.length ? wanted : undefined,
    deletionTimestamp: deletionTimestamp ?? timestamp(request.now),
    deletionGracePeriodSeconds:
      deletionTimestamp || isNamespace(kind) ? current.metadata.deletionGracePeriodSeconds : 0,
    generation: generation && !deletionTimestamp ? generation + 1 : generation,
  });
  if (!held(kind, next)) return { do: 'remove', object: deletionTimestamp ? next : current };
  const marked = isNamespace(kind)
    ? { ...next, status: { ...(next.status as object | undefined), phase: 'Terminating' } }
    : next;
  return isSame(marked, current) ? { do: 'nothing', object: current } : { do: 'put', object: marked };
};

export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 409 && error.reason === 'Conflict';
export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.code === 404;
