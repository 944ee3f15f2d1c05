/**
 * The resource at a path. This program's own kinds need no read. Kinds of users are looked up again
 * once a second, beside the reads of the request itself: if the kind has changed, the request is
 * answered again.
 */
import type { KindVersion } from '../api/kind.ts';
import { known } from '../custom/lookup.ts';
import type { ServerContext } from './call.ts';
import type { ResourcePath } from './path.ts';
import { type Resource, servedVersions } from './registry.ts';
import { notServed } from './status.ts';

export interface Located {
  resource: Resource;
  version: KindVersion;
}

class KindChanged extends Error {}

const locate = async ({ registry }: ServerContext, path: ResourcePath): Promise<Partial<Located>> => {
  const resource = await registry.find(path.group, path.plural);
  const version = resource && servedVersions(resource).find(({ name }) => name === path.version);
  return { ...(resource && { resource }), ...(version && { version }) };
};

const isLocated = (found: Partial<Located>): found is Located => found.version !== undefined;

/** Throws 404 for what is not served. A path that is unknown here may be served since a moment. */
export const resourceAt = async (server: ServerContext, path: ResourcePath, now: number): Promise<Located> => {
  let found = await locate(server, path);
  if (!isLocated(found) && (!found.resource || found.resource.isOfUsers) && path.group !== '') {
    await server.registry.custom.readSince(now);
    found = await locate(server, path);
  }
  if (!isLocated(found)) throw notServed();
  const { namespaced } = found.resource.kind;
  if (path.namespace && !namespaced) throw notServed();
  // A namespaced object needs its namespace in the path; a collection does not.
  if (namespaced && path.name && !path.namespace) throw notServed();
  return found;
};

/** Whether requests are answered by both in the same way. */
const isSame = (a: Resource, b: Resource | undefined): boolean => a.kind === b?.kind && a.announced === b.announced;

type Answer = (request: Request, located: Located, unchanged?: Promise<void>) => Promise<Response>;

/** Answers by the located kind, and by the current one if that has changed. */
export const answerBeside = async (
  server: ServerContext,
  request: Request,
  { path, located, now }: { path: ResourcePath; located: Located; now: number },
  answer: Answer,
): Promise<Response> => {
  const { custom } = server.registry;
  const { resource } = located;
  if (!resource.isOfUsers || custom.isReadSince(now - known)) return answer(request, located);
  const again = request.clone();
  const unchanged = custom.readSince(now - known).then(async () => {
    if (!isSame(resource, (await locate(server, path)).resource)) throw new KindChanged();
  });
  const [answered, looked] = await Promise.allSettled([answer(request, located, unchanged), unchanged]);
  if (looked.status === 'fulfilled') {
    void again.body?.cancel();
    if (answered.status === 'rejected') throw answered.reason;
    return answered.value;
  }
  if (answered.status === 'fulfilled') await answered.value.body?.cancel();
  if (!(looked.reason instanceof KindChanged)) throw looked.reason;
  return answer(again, await resourceAt(server, path, now));
};
