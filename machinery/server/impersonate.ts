/** Impersonation: a user who may do so acts as another one. */

import { badRequest } from '../api/errors.ts';
import type { User } from '../api/kind.ts';
import { accountNamed, groupsIn } from '../api/service-account.ts';
import { forbidding } from './authorize.ts';
import type { Attributes } from './call.ts';
import type { Rights } from './rights.ts';

const verb = 'impersonate';
const authentication = 'authentication.k8s.io';
const extraPrefix = 'impersonate-extra-';
const [anonymous, authenticated, unauthenticated] = [
  'system:anonymous',
  'system:authenticated',
  'system:unauthenticated',
];

/** Repeated headers arrive as one. */
const valuesOf = (headers: Headers, name: string): string[] =>
  (headers.get(name) ?? '').split(', ').filter((value) => value !== '');

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Who the headers name; undefined without such headers. */
const wanted = (headers: Headers): User | undefined => {
  const username = headers.get('impersonate-user') ?? '';
  const groups = valuesOf(headers, 'impersonate-group');
  const uid = headers.get('impersonate-uid') ?? '';
  const extra = Object.fromEntries(
    [...headers.keys()]
      .filter((header) => header.startsWith(extraPrefix))
      .map((header) => [decoded(header.slice(extraPrefix.length)), valuesOf(headers, header)]),
  );
  const hasExtra = Object.keys(extra).length > 0;
  if (username) return { username, groups, ...(uid && { uid }), ...(hasExtra && { extra }) };
  const others = [
    ...(groups.length > 0 ? ['groups'] : []),
    ...(uid ? ['a uid'] : []),
    ...(hasExtra ? ['extra fields'] : []),
  ];
  if (others.length > 0) throw badRequest(`requested ${others.join(' and ')} without impersonating a user`);
  return undefined;
};

/** What the requester must be allowed to impersonate, one by one. */
const attributesOf = (requester: User, { username, groups, uid, extra = {} }: User): Attributes[] => {
  const account = accountNamed(username);
  const common = { user: requester, verb };
  return [
    account ? { ...common, resource: 'serviceaccounts', ...account } : { ...common, resource: 'users', name: username },
    ...groups.map((name) => ({ ...common, resource: 'groups', name })),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map((name) => ({ ...common, group: authentication, resource: 'userextras', subresource, name })),
    ),
    ...(uid ? [{ ...common, group: authentication, resource: 'uids', name: uid }] : []),
  ];
};

/** Groups that are not named follow from the user. */
const withOwnGroups = (user: User): User => {
  const { username, groups } = user;
  const account = accountNamed(username);
  const own = groups.length === 0 && account ? groupsIn(account.namespace) : groups;
  const everyone = username === anonymous ? unauthenticated! : authenticated!;
  const isKnown = own.includes(everyone) || own.includes(unauthenticated!);
  return { ...user, groups: isKnown ? own : [...own, everyone] };
};

/** The user as whom the request is served. Throws 403 if the requester may not impersonate that user. */
export const impersonated = async (rights: Rights, headers: Headers, requester: User): Promise<User> => {
  const user = wanted(headers);
  if (!user) return requester;
  for (const attributes of attributesOf(requester, user)) {
    const { allowed, reason } = await rights.authorize(attributes);
    if (!allowed) throw forbidding(attributes, reason);
  }
  return withOwnGroups(user);
};
