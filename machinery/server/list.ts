import { badRequest, expired } from '../api/errors.ts';
import { apiVersionOf, listKindOf } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import { formOf, notThatForm, respond, warnOfVersion } from './answer.ts';
import { type Call, storeOf } from './call.ts';
import { fromStored, prepareShown } from './convert.ts';
import { type ListMeta, metaApiVersion, partialOf } from './meta.ts';
import type { Form } from './negotiate.ts';
import type { ListBody } from './portions.ts';
import { checkListOptions, numberOf, type Selection, selectionOf, tooLargeVersion, versionOf } from './selection.ts';
import { tableOf } from './table.ts';

export interface Page {
  objects: KubeObject[];
  metadata: ListMeta;
}

/** One page of the selected objects under the path. */
export const readPage = async (
  call: Call,
  selection: Selection,
  limit: number,
  token: string | undefined,
  { counts = false } = {},
): Promise<Page> => {
  const { resource, path } = call;
  const listing = await storeOf(call).list(resource.type, {
    ...(path.namespace && { namespace: path.namespace }),
    ...(limit > 0 && { limit }),
    ...(token && { continue: token }),
    ...(selection.everything ? { counts } : { selects: selection.matches }),
  });
  const { objects, position, continue: next, remaining } = listing;
  const more = { ...(next && { continue: next }), ...(remaining !== undefined && { remainingItemCount: remaining }) };
  return { objects, metadata: { resourceVersion: String(position), ...more } };
};

const checkVersion = (query: URLSearchParams, asked: number | undefined, position: number): void => {
  if (!asked) return;
  if (asked > position) throw tooLargeVersion(asked, position);
  if (query.get('resourceVersionMatch') === 'Exact' && asked < position)
    throw expired('The resourceVersion for the provided list is too old.');
};

export const listBody = async (call: Call, { objects, metadata }: Page, form: Form): Promise<unknown> => {
  const { resource, version } = call;
  const { kind } = resource;
  await prepareShown(kind, version, objects);
  switch (form.as) {
    case 'Table':
      return tableOf(call, objects, metadata, form);
    case 'PartialObjectMetadata':
      throw notThatForm('PartialObjectMetadata', 'is a list', call);
    case 'PartialObjectMetadataList':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: metaApiVersion(form),
        metadata,
        items: objects.map((object) => partialOf(fromStored(resource.kind, version, object), form)),
      };
    default:
      return {
        kind: listKindOf(kind),
        apiVersion: apiVersionOf(kind.group, version.name),
        metadata,
        items: objects.map((object) => fromStored(resource.kind, version, object)),
      };
  }
};

/** Streams a list without a limit, holding at most one page in memory. */
const listInPortions = async (call: Call, selection: Selection, first: Page, form: Form, size: number) => {
  const { respondInPortions } = await import('./portions.ts');
  const portionOf = async ({ objects, metadata }: Page) => {
    const { continue: next, ...whole } = metadata;
    return { body: (await listBody(call, { objects, metadata: whole }, form)) as ListBody, continue: next };
  };
  return respondInPortions(call, await portionOf(first), async (token) =>
    portionOf(await readPage(call, selection, size, token)),
  );
};

/** GET of a collection. */
export const list = async (call: Call): Promise<Response> => {
  const form = formOf(call);
  const { query } = call;
  checkListOptions(query);
  const selection = selectionOf(call);
  const asked = versionOf(query);
  const limit = Math.max(0, numberOf(query, 'limit') ?? 0);
  const token = query.get('continue') || undefined;
  if (token && asked) throw badRequest('specifying resource version is not allowed when using continue');
  const { longestList } = call.server;
  const isWhole = limit === 0 && !token && form.encoding === 'json';
  const counts = limit > 0;
  const page = await readPage(call, selection, isWhole && longestList ? longestList : limit, token, { counts });
  checkVersion(query, asked, Number(page.metadata.resourceVersion));
  warnOfVersion(call);
  if (isWhole && longestList && page.metadata.continue) return listInPortions(call, selection, page, form, longestList);
  return respond(call, await listBody(call, page, form), form, 200);
};
