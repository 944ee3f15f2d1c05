import { answerObject } from './answer.ts';
import { builtInTypes, customTypes, decodeBody, mediaTypeOf, readBody } from './body.ts';
import type { Call } from './call.ts';
import { toObject } from './decode.ts';
import { writeOptions } from './options.ts';
import { createObject } from './write.ts';

/** POST of a collection. */
export const create = async (call: Call): Promise<Response> => {
  const accepted = call.resource.kind.custom ? customTypes : builtInTypes;
  const bytes = await readBody(call.request);
  const options = writeOptions('CreateOptions', call.query);
  const object = toObject(call, decodeBody(bytes, mediaTypeOf(call.request), accepted), options.fieldValidation);
  return answerObject(call, await createObject(call, object, options.dryRun), 201);
};
