/** Users that the deployment names, by groups. */
import type { User } from '../../../machinery/api/kind.ts';
import { canonicalArn } from './arn.ts';
import type { Authenticate } from './authenticate.ts';

/** Lists of ARNs of users and roles, or of usernames of OpenID tokens (`<issuer>#<subject>`), by group. */
export type NamedUsers = Readonly<Record<string, readonly string[]>>;

/** Adds the groups of the lists that name a user. */
export const withNamedGroups = (authenticate: Authenticate, named: NamedUsers): Authenticate => {
  const lists = Object.entries(named).map(([group, names]) => ({ group, names: new Set(names.map(canonicalArn)) }));
  const groupsOf = ({ username }: User): string[] =>
    lists.filter(({ names }) => names.has(username)).map(({ group }) => group);
  return async (request) => {
    const user = await authenticate(request);
    return user && { ...user, groups: [...groupsOf(user), ...user.groups] };
  };
};
