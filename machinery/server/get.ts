import { notFound } from '../api/errors.ts';
import { answerObject } from './answer.ts';
import { type Call, storeOf } from './call.ts';

/** GET of one object, also through /status. */
export const get = async (call: Call): Promise<Response> => {
  const { resource, path } = call;
  const object = await storeOf(call).get(resource.type, { namespace: path.namespace, name: path.name });
  if (!object) throw notFound(resource.kind, path.name);
  return answerObject(call, object, 200);
};
