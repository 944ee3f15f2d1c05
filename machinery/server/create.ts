import { ApiError, badRequest, unavailable } from '../api/errors.ts';
import { admissionOf, decideCreate, newCandidate, refusalOfNamespace } from '../api/lifecycle.ts';
import type { KubeObject, ObjectMeta } from '../api/object.ts';
import {
  addWarnings,
  admit,
  lifecycleRequest,
  withoutRepeatedOwners,
  withoutSystemFields,
  writeRequest,
} from './admit.ts';
import { answerObject } from './answer.ts';
import type { Call } from './call.ts';
import { carryOut } from './carry-out.ts';
import { readObject } from './decode.ts';
import { writeOptions } from './options.ts';
import { withOwners } from './owners.ts';
import { mutateByUsers } from './review.ts';

const nameAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const generatedName = (call: Call, prefix: string): string => {
  const suffix = Array.from(
    { length: 5 },
    () => nameAlphabet[Math.floor(call.server.random.next() * nameAlphabet.length)],
  );
  return prefix.slice(0, 63 - suffix.length) + suffix.join('');
};

/** The namespace of the path; the body may repeat but not contradict it. */
const placed = (call: Call, metadata: ObjectMeta): ObjectMeta => {
  if (!call.resource.kind.namespaced) return metadata;
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

const createOnce = async (call: Call, sent: KubeObject, dryRun: boolean, isApply = false): Promise<KubeObject> => {
  const { resource, version } = call;
  const { kind } = resource;
  const { metadata } = sent;
  call.created.name = metadata.name;
  const { status: _, ...withoutStatus } = sent;
  const written = (version.status ? { ...withoutStatus, metadata } : sent) as KubeObject;
  await checkNamespace(call, metadata);
  if (metadata.resourceVersion)
    throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
  const owned = isApply ? written : await withOwners(call, undefined, written, '');
  const asked = admissionOf('create', lifecycleRequest(call, dryRun, ''));
  const candidate = (await mutateByUsers(call, { object: owned, admission: asked }))!;
  const request = await writeRequest(call, candidate, { dryRun, subresource: '' });
  const admission = admissionOf('create', request);
  const stored = await admit(call, {
    sent: candidate,
    candidate: (converted) => newCandidate(kind, converted, request),
    admission,
  });
  await addWarnings(call, stored, admission);
  const key = { namespace: metadata.namespace ?? '', name: metadata.name };
  const decide = async (current: KubeObject | undefined) => decideCreate(kind, stored, current);
  const refund = await call.server.quotas?.charge(kind, key, dryRun);
  try {
    const { object } = await carryOut(call, key, dryRun, decide, false);
    return object;
  } catch (error) {
    await refund?.();
    throw error;
  }
};

/** Generated names may collide; the server retries this often. */
const mostNames = 8;

/** Creates the sent object and returns it as stored. `isApply`: it names its owners already. */
export const createObject = async (
  call: Call,
  sent: KubeObject,
  dryRun: boolean,
  { isApply = false } = {},
): Promise<KubeObject> => {
  const metadata = withoutRepeatedOwners(call, placed(call, withoutSystemFields(sent.metadata)));
  if (metadata.name || !metadata.generateName) return createOnce(call, { ...sent, metadata }, dryRun, isApply);
  for (let tries = 1; ; tries++) {
    const name = generatedName(call, metadata.generateName);
    try {
      return await createOnce(call, { ...sent, metadata: { ...metadata, name } }, dryRun, isApply);
    } catch (error) {
      if (!(error instanceof ApiError && error.reason === 'AlreadyExists')) throw error;
      if (tries === mostNames) throw unavailable(`no free name found for ${metadata.generateName}`);
    }
  }
};

/** POST of a collection. */
export const create = async (call: Call): Promise<Response> => {
  const { dryRun, fieldValidation } = writeOptions('CreateOptions', call.query);
  const object = await readObject(call, fieldValidation);
  return answerObject(call, await createObject(call, object, dryRun), 201);
};
