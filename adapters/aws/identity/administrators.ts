/** The whole policy for now: administrators may do everything, everybody else nothing. */
import type { Authorize } from '../../../machinery/server/call.ts';
import { canonicalArn } from './arn.ts';

/** `names` are ARNs of users and roles, or usernames as an issuer's configuration makes them: `<issuer>#<subject>`. */
export const administrators = (names: readonly string[]): Authorize => {
  const known = new Set(names.map(canonicalArn));
  return ({ user }) =>
    known.has(user.username) ? undefined : 'only administrators of this installation may, and this is none of them';
};
