import type { Admission } from '../api/kind.ts';
import { admissionOf, prepareDelete, timestamp } from '../api/lifecycle.ts';
import type { KubeObject, ObjectKey } from '../api/object.ts';
import type { Decision } from '../store/store.ts';
import { lifecycleRequest } from './admit.ts';
import { answerObject, formOf, respond, warnOfVersion } from './answer.ts';
import type { Call } from './call.ts';
import { carryOut } from './carry-out.ts';
import { shownFromStored } from './convert.ts';
import { type Deletion, deletionOf } from './delete-options.ts';
import { mutateByUsers, validateByUsers } from './review.ts';
import { success } from './status.ts';

/**
 * A graceful deletion that another component finishes, as the kubelet does with pods; undefined
 * when it is due now.
 */
const gracefully = (call: Call, current: KubeObject, deletion: Deletion): Decision | undefined => {
  const seconds = call.resource.graceSeconds?.(current, deletion.gracePeriodSeconds) ?? 0;
  if (seconds <= 0) return undefined;
  const { deletionTimestamp, deletionGracePeriodSeconds } = current.metadata;
  if (deletionTimestamp && seconds >= (deletionGracePeriodSeconds ?? 0)) return { do: 'nothing', object: current };
  const metadata = {
    ...current.metadata,
    deletionTimestamp: timestamp(call.server.clock.now() + seconds * 1000),
    deletionGracePeriodSeconds: seconds,
  };
  return { do: 'put', object: { ...current, metadata } };
};

/** Throws an ApiError if a policy or a webhook refuses the deletion. */
const admitByUsers = async (call: Call, current: KubeObject, admission: Admission): Promise<void> => {
  if (!(await call.server.admission?.reviewer())) return;
  const old = await shownFromStored(call.resource.kind, call.version, current);
  await mutateByUsers(call, { old, admission });
  await validateByUsers(call, { old: current, admission });
};

/**
 * Deletes one object, or marks it as deleting; returns the remaining object and whether it is gone.
 */
export const deleteObject = async (
  call: Call,
  key: ObjectKey,
  deletion: Deletion,
): Promise<{ object: KubeObject; gone: boolean }> => {
  const { kind } = call.resource;
  const decide = async (current: KubeObject | undefined): Promise<Decision> => {
    const marked =
      current && !current.metadata.deletionTimestamp && call.resource.marked?.(current, call.server.clock.now());
    const request = lifecycleRequest(call, deletion.dryRun, '');
    const decision = prepareDelete(kind, key.name, marked || current, deletion, request);
    if (current && !current.metadata.deletionTimestamp) await call.resource.admitDelete?.(call, current);
    if (current) await admitByUsers(call, current, admissionOf('delete', request, current));
    return (current && gracefully(call, current, deletion)) ?? decision;
  };
  const { object, did } = await carryOut(call, key, deletion.dryRun, decide, true);
  return { object, gone: did === 'remove' };
};

/** DELETE of one object. */
export const remove = async (call: Call): Promise<Response> => {
  const { path, resource } = call;
  const form = formOf(call);
  const deletion = await deletionOf(call.request, call.query);
  const { object, gone } = await deleteObject(call, { namespace: path.namespace, name: path.name }, deletion);
  if (!gone) return answerObject(call, object, 200);
  warnOfVersion(call);
  const { group, plural } = resource.kind;
  const uid = object.metadata.uid;
  const details = { name: path.name, ...(group && { group }), kind: plural, ...(uid && { uid }) };
  return respond(call, success(details), { encoding: form.encoding }, 200);
};
