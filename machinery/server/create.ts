import { answerObject } from './answer.ts';
import type { Call } from './call.ts';
import { readObject } from './decode.ts';
import { writeOptions } from './options.ts';
import { createObject } from './write.ts';

/** POST of a collection. */
export const create = async (call: Call): Promise<Response> => {
  const { dryRun, fieldValidation } = writeOptions('CreateOptions', call.query);
  const object = await readObject(call, fieldValidation);
  return answerObject(call, await createObject(call, object, dryRun), 201);
};
