import { isNotFound } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import { formOf, respond, warnOfVersion } from './answer.ts';
import type { Call } from './call.ts';
import { deleteObject } from './delete.ts';
import { deletionOf } from './delete-options.ts';
import { listBody, readPage } from './list.ts';
import { checkListOptions, numberOf, selectionOf } from './selection.ts';
import { onceBegun } from './status.ts';

/** DELETE of a collection: deletes each selected object and responds with their list. */
export const deleteCollection = async (call: Call): Promise<Response> => {
  const form = formOf(call);
  const { query } = call;
  checkListOptions(query);
  const deletion = await deletionOf(call.request, query);
  const limit = Math.max(0, numberOf(query, 'limit') ?? 0);
  const page = await readPage(call, selectionOf(call), limit, query.get('continue') || undefined);
  // A refusal that depends on what else is deleted must come before the first deletion.
  for (const object of page.objects)
    if (!object.metadata.deletionTimestamp) await call.resource.admitDelete?.(call, object, page.objects);
  const objects: KubeObject[] = [];
  for (const { metadata } of page.objects) {
    try {
      const key = { namespace: metadata.namespace ?? '', name: metadata.name };
      objects.push((await deleteObject(call, key, deletion)).object);
    } catch (error) {
      if (!isNotFound(error)) throw objects.length > 0 ? onceBegun(error) : error;
    }
  }
  warnOfVersion(call);
  return respond(call, await listBody(call, { ...page, objects }, form), form, 200);
};
