/** The authorization attributes of requests, and the 403 of refused ones. */
import { ApiError } from '../api/errors.ts';
import type { User, Verb } from '../api/kind.ts';
import type { Attributes } from './call.ts';
import type { ResourcePath } from './path.ts';

/** The 403 of an API server: which user cannot do what, where, and why. */
export const forbidding = (attributes: Attributes, reason: string): ApiError => {
  const { user, verb, group = '', resource, subresource, namespace, name, path } = attributes;
  const who = `User ${JSON.stringify(user.username)} cannot ${verb}`;
  if (resource === undefined)
    return new ApiError(403, 'Forbidden', `forbidden: ${who} path ${JSON.stringify(path ?? '')}`, {});
  const qualified = group ? `${resource}.${group}` : resource;
  const object = name ? ` ${JSON.stringify(name)}` : '';
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : 'at the cluster scope';
  const why = reason ? `: ${reason}` : '';
  return new ApiError(
    403,
    'Forbidden',
    `${qualified}${object} is forbidden: ${who} resource ${what} in API group ${JSON.stringify(group)} ${where}${why}`,
    { ...(name && { name }), ...(group && { group }), kind: resource },
  );
};

/** The one name that a field selector such as `metadata.name=a` selects; empty otherwise. */
const selectedName = (query: URLSearchParams): string => {
  const terms = (query.get('fieldSelector') ?? '').split(',');
  const names = terms.flatMap((term) => /^\s*metadata\.name\s*==?\s*([^=!/%]+?)\s*$/.exec(term)?.[1] ?? []);
  return names[0] ?? '';
};

/**
 * As Kubernetes sees a request: a Namespace is in itself, and to list or watch one object by its
 * name is to name it.
 */
export const attributesOf = (user: User, verb: Verb, path: ResourcePath, query: URLSearchParams): Attributes => {
  const { group, version, plural: resource, subresource, namespace, name } = path;
  const isNamespace = group === '' && resource === 'namespaces';
  return {
    user,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace: isNamespace ? name : namespace,
    name: verb === 'list' || verb === 'watch' ? selectedName(query) : name,
  };
};
