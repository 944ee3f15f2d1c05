import { badRequest } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import { answerObject } from './answer.ts';
import type { Call } from './call.ts';
import { readObject } from './decode.ts';
import { writeOptions } from './options.ts';
import { updateObject } from './update-object.ts';

/** What is sent to an object's URL must be that object. */
export const checkPlace = ({ path, resource }: Call, { metadata }: KubeObject): void => {
  if (!metadata.name)
    throw badRequest(`the name of the object (${path.name} based on URL) was undeterminable: name must be provided`);
  if (metadata.name !== path.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${path.name})`);
  if (resource.kind.namespaced && metadata.namespace && metadata.namespace !== path.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
};

/** PUT of an object or of its status. */
export const update = async (call: Call): Promise<Response> => {
  const { resource, path } = call;
  const { dryRun, fieldValidation } = writeOptions('UpdateOptions', call.query);
  const sent = await readObject(call, fieldValidation);
  checkPlace(call, sent);
  if (resource.kind.namespaced) sent.metadata.namespace = path.namespace;
  const stored = await updateObject(call, {
    dryRun,
    next: () => structuredClone(sent),
    retry: !sent.metadata.resourceVersion,
    versionRequired: resource.kind.custom,
    subresource: path.subresource,
  });
  return answerObject(call, stored, 200);
};
