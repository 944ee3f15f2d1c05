/** Updates an object for any verb or subresource. */
import { ApiError, invalid, notFound } from '../api/errors.ts';
import {
  admissionOf,
  candidateOf,
  checkIdentity,
  decideStatusUpdate,
  decideUpdate,
  statusCandidateOf,
} from '../api/lifecycle.ts';
import { equal, equalBut } from '../api/merge.ts';
import type { KubeObject, ObjectMeta } from '../api/object.ts';
import { withoutNewTimes } from '../apply/index.ts';
import type { Decision } from '../store/store.ts';
import {
  addWarnings,
  admit,
  lifecycleRequest,
  withoutRepeatedOwners,
  withoutSystemFields,
  writeRequest,
} from './admit.ts';
import type { Call } from './call.ts';
import { carryOut } from './carry-out.ts';
import { inStorageVersion, shownFromStored } from './convert.ts';
import { withOwners } from './owners.ts';
import { type Bodies, mutateByUsers } from './review.ts';

export interface Update {
  dryRun: boolean;
  /**
   * Computes the new object from the current one, both in the request's version. Runs again on a
   * retry.
   */
  next: (current: KubeObject) => KubeObject | Promise<KubeObject>;
  /** True: retry after another writer's change, unless the client sent a resourceVersion. */
  retry: boolean;
  /** True: refuse an object without a resourceVersion, as for updates of custom resources. */
  versionRequired?: boolean;
  /** The owners of its fields are in the new object already. */
  isApply?: boolean;
  /** `status`, another subresource, or empty for the object itself. */
  subresource: string;
  /** The bodies of the subresource, if they are no objects of the kind. */
  bodies?: Bodies;
}

const metadata = new Set(['metadata']);
const identityOf = ({ metadata }: KubeObject, next: ObjectMeta): ObjectMeta => {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = metadata;
  const managedFields = next.managedFields ?? metadata.managedFields;
  const system = { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation, managedFields };
  const kept = Object.fromEntries(Object.entries(system).filter(([, value]) => value !== undefined));
  return { ...withoutSystemFields(next), ...kept } as ObjectMeta;
};

/** The part of `next` that this path may write, applied to `current`. */
const writable = (call: Call, current: KubeObject, next: KubeObject, subresource: string): KubeObject => {
  if (subresource === 'status') {
    const { status: _, ...rest } = current;
    const { resourceVersion, managedFields } = next.metadata;
    const kept = {
      ...current.metadata,
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(managedFields && { managedFields }),
    };
    // As in Kubernetes, status updates of built-in kinds may change metadata; those of custom
    // resources may not.
    const metadata = call.resource.kind.custom ? kept : withoutRepeatedOwners(call, identityOf(current, next.metadata));
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
  if (deletionTimestamp && !current.metadata.deletionTimestamp)
    throw immutableTime(call, current.metadata.name, deletionTimestamp);
};

const owners = new Set(['managedFields']);
/**
 * What the write stores. One that defaults make equal to the stored object again takes over no
 * fields, unless its body changes their owners itself.
 */
const effective = (object: KubeObject, current: KubeObject, changesOwners: boolean): KubeObject => {
  const isIdle = equalBut(object, current, metadata) && equalBut(object.metadata, current.metadata, owners);
  return isIdle && !changesOwners ? current : withoutNewTimes(object, current);
};

const decide = async (call: Call, update: Update, current: KubeObject | undefined): Promise<Decision> => {
  const { resource, version, path } = call;
  const { kind } = resource;
  const { dryRun, subresource } = update;
  if (!current) throw notFound(kind, path.name);
  const before = await shownFromStored(resource.kind, version, current);
  const base = await inStorageVersion(resource.kind, current);
  const next = await update.next(before);
  checkBody(call, next, base, update);
  const written = writable(call, before, next, subresource);
  const owned = update.isApply ? written : await withOwners(call, before, written, subresource);
  const { bodies } = update;
  const asked = admissionOf('update', lifecycleRequest(call, dryRun, subresource), base);
  const sent = (await mutateByUsers(call, { object: owned, old: before, admission: asked, bodies }))!;
  const request = await writeRequest(call, sent, { dryRun, subresource, old: base });
  const admission = admissionOf('update', request, base);
  const isStatus = subresource === 'status';
  const candidate = (converted: KubeObject) =>
    isStatus ? statusCandidateOf(kind, converted, base, request) : candidateOf(kind, converted, base, request);
  const { managedFields } = next.metadata;
  const changesOwners = managedFields !== undefined && !equal(managedFields, before.metadata.managedFields);
  const object = effective(await admit(call, { sent, before, candidate, admission, bodies }), base, changesOwners);
  await addWarnings(call, object, admission);
  const decision = isStatus ? decideStatusUpdate(kind, object, base) : decideUpdate(kind, object, base);
  // What is stored in an older version is stored anew, although nothing else changes.
  return base !== current && decision.do === 'nothing' ? { do: 'put', object: base } : decision;
};

/** Updates one object and returns it as stored. */
export const updateObject = async (call: Call, update: Update): Promise<KubeObject> => {
  const key = { namespace: call.path.namespace, name: call.path.name };
  const decision = (current: KubeObject | undefined) => decide(call, update, current);
  const { object } = await carryOut(call, key, update.dryRun, decision, update.retry);
  return object;
};
