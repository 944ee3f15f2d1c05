import { badRequest } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import { answerObject } from './answer.ts';
import type { Call } from './call.ts';
import { readObject, toObject } from './decode.ts';
import { writeOptions } from './options.ts';
import { updateObject } from './update-object.ts';

/** 400 when the body's name or namespace differs from the URL's. */
export const checkPlace = ({ path, resource }: Call, { metadata }: KubeObject): void => {
  if (!metadata.name)
    throw badRequest(`the name of the object (${path.name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== path.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${path.name})`);
  if (resource.kind.namespaced && metadata.namespace && metadata.namespace !== path.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
};

const replace = (call: Call, sent: KubeObject, dryRun: boolean): Promise<KubeObject> => {
  const { resource, path } = call;
  checkPlace(call, sent);
  if (resource.kind.namespaced) sent.metadata.namespace = path.namespace;
  return updateObject(call, {
    dryRun,
    next: () => structuredClone(sent),
    retry: !sent.metadata.resourceVersion,
    versionRequired: resource.kind.custom || resource.kind.generations === true,
    subresource: path.subresource,
  });
};

/** PUT of an object or of its status. */
export const update = async (call: Call): Promise<Response> => {
  const { dryRun, fieldValidation } = writeOptions('UpdateOptions', call.query);
  const sent = await readObject(call, fieldValidation);
  return answerObject(call, await replace(call, sent, dryRun), 200);
};

/** PUT of a subresource whose body is an object of its kind and was read already. */
export const updateWith = (call: Call, body: unknown): Promise<KubeObject> => {
  const { dryRun, fieldValidation } = writeOptions('UpdateOptions', call.query);
  const bytes = Buffer.from(JSON.stringify(body ?? null));
  const sent = toObject(call, { value: body, duplicates: [], origin: 'body', bytes }, fieldValidation);
  return replace(call, sent, dryRun);
};
