import { badRequest } from '../api/errors.ts';
import type { KubeObject } from '../api/object.ts';
import { answerObject } from './answer.ts';
import { builtInTypes, customTypes, decodeBody, mediaTypeOf, readBody } from './body.ts';
import type { Call } from './call.ts';
import { toObject } from './decode.ts';
import { writeOptions } from './options.ts';
import { updateObject } from './write.ts';

const checkPlace = ({ path, resource }: Call, { metadata }: KubeObject): void => {
  if (metadata.name !== path.name)
    throw badRequest(
      metadata.name
        ? `the name of the object (${metadata.name}) does not match the name on the URL (${path.name})`
        : 'name must be provided',
    );
  if (resource.kind.namespaced && metadata.namespace && metadata.namespace !== path.namespace)
    throw badRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${path.namespace})`,
    );
};

/** PUT of an object or of its status. */
export const update = async (call: Call): Promise<Response> => {
  const { resource, path } = call;
  const accepted = resource.kind.custom ? customTypes : builtInTypes;
  const bytes = await readBody(call.request);
  const options = writeOptions('UpdateOptions', call.query);
  const sent = toObject(call, decodeBody(bytes, mediaTypeOf(call.request), accepted), options.fieldValidation);
  checkPlace(call, sent);
  if (resource.kind.namespaced) sent.metadata.namespace = path.namespace;
  const unconditional = !sent.metadata.resourceVersion;
  const stored = await updateObject(call, {
    dryRun: options.dryRun,
    next: () => structuredClone(sent),
    retry: unconditional,
    versionRequired: resource.kind.custom,
    subresource: path.subresource,
  });
  return answerObject(call, stored, 200);
};
