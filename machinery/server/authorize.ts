/** Authorizes requests, and builds the 403 for refused ones. */
import { ApiError } from '../api/errors.ts';
import type { User } from '../api/kind.ts';
import type { Attributes, Authorize } from './call.ts';
import { reviewResources } from './review-resources.ts';

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

/** Paths that Kubernetes opens to every authenticated user through `system:discovery`. */
export const discoveryPaths = [
  '/api',
  '/api/*',
  '/apis',
  '/apis/*',
  '/healthz',
  '/livez',
  '/openapi',
  '/openapi/*',
  '/readyz',
  '/version',
  '/version/',
];

const isDiscovery = (path: string): boolean =>
  discoveryPaths.some((known) => (known.endsWith('*') ? path.startsWith(known.slice(0, -1)) : path === known));

const isReview = ({ group, resource }: Attributes): boolean =>
  reviewResources.some((review) => review.group === group && review.plural === resource);

/**
 * The policy, plus what Kubernetes allows every authenticated user: discovery, and reviews about
 * themselves.
 */
export const openToEveryUser =
  (policy: Authorize): Authorize =>
  (attributes) => {
    const { user, verb, path, resource, name } = attributes;
    if (user.groups.includes('system:authenticated')) {
      if (resource === undefined && verb === 'get' && isDiscovery(path ?? '')) return undefined;
      if (resource !== undefined && verb === 'create' && !name && isReview(attributes)) return undefined;
    }
    return policy(attributes);
  };

const serviceAccount = /^system:serviceaccount:([^:]+):([^:]+)$/;
const authentication = 'authentication.k8s.io';

/**
 * The attributes of the impersonation headers, as Kubernetes authorizes them; undefined without
 * such headers.
 */
const impersonated = (headers: Headers, user: User): Attributes | undefined => {
  const verb = 'impersonate';
  const name = headers.get('impersonate-user');
  const account = serviceAccount.exec(name ?? '');
  if (account) return { user, verb, resource: 'serviceaccounts', namespace: account[1]!, name: account[2]! };
  if (name !== null) return { user, verb, resource: 'users', name };
  const group = headers.get('impersonate-group');
  if (group !== null) return { user, verb, resource: 'groups', name: group };
  const uid = headers.get('impersonate-uid');
  if (uid !== null) return { user, verb, group: authentication, resource: 'uids', name: uid };
  const prefix = 'impersonate-extra-';
  const extra = [...headers].find(([header]) => header.startsWith(prefix));
  if (!extra) return undefined;
  const subresource = extra[0].slice(prefix.length);
  return { user, verb, group: authentication, resource: 'userextras', subresource, name: extra[1] };
};

/**
 * Impersonation is not supported. Ignoring its headers would serve the request with the real user's
 * rights.
 */
export const refuseImpersonation = (headers: Headers, user: User): void => {
  const attributes = impersonated(headers, user);
  if (attributes) throw forbidding(attributes, 'this server does not serve impersonation');
};
