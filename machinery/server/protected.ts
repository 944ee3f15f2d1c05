/** Refuses to delete a namespace while it holds an object that must not be deleted. */
import { forbidden, type StatusCause } from '../api/errors.ts';
import { resourceOf } from '../api/kind.ts';
import { refusalToDelete } from '../api/lifecycle.ts';
import type { KubeObject } from '../api/object.ts';
import type { Call } from './call.ts';

/** The number of objects in the message. */
const named = 5;

const causesOf = async ({ server }: Call, namespace: string): Promise<StatusCause[]> => {
  const resources = server.registry.list().filter(({ kind }) => kind.namespaced && kind.refuseDelete);
  const found = await Promise.all(
    resources.map(async ({ kind, type, store = server.store }) => {
      const { objects } = await store.list(type, { namespace });
      return objects.flatMap((object) => {
        const message = refusalToDelete(kind, object);
        return message
          ? [{ reason: 'Protected', message, field: `${resourceOf(kind)} "${object.metadata.name}"` }]
          : [];
      });
    }),
  );
  return found.flat();
};

/** Refuses the deletion of a namespace whose objects refuse theirs, and names them. */
export const refuseProtectedContent = async (call: Call, { metadata }: KubeObject): Promise<void> => {
  const causes = await causesOf(call, metadata.name);
  if (causes.length === 0) return;
  const more = causes.length > named ? ` and ${causes.length - named} more` : '';
  const names = causes.slice(0, named).map(({ field }) => field);
  const why = `it contains ${names.join(', ')}${more}, which may not be deleted: ${causes[0]!.message}`;
  throw forbidden(call.resource.kind, metadata.name, why, causes.slice(0, named));
};
