/** Authorization until RBAC is served: administrators do everything, viewers read all but Secrets. */
import type { Authorize } from '../../../machinery/server/call.ts';
import { canonicalArn } from './arn.ts';

/** ARNs of users and roles, or usernames of OpenID tokens: `<issuer>#<subject>`. */
export interface Policy {
  administrators: readonly string[];
  viewers?: readonly string[];
}

const reading = new Set(['get', 'list', 'watch']);

export const policy = ({ administrators, viewers = [] }: Policy): Authorize => {
  const administrating = new Set(administrators.map(canonicalArn));
  const viewing = new Set(viewers.map(canonicalArn));
  return ({ user, verb, resource }) => {
    if (administrating.has(user.username)) return undefined;
    if (!viewing.has(user.username)) return 'this user is neither an administrator nor a viewer of this installation';
    // Secrets contain the keys of every cluster.
    if (reading.has(verb) && resource !== 'secrets' && resource !== '*') return undefined;
    return 'a viewer of this installation reads everything but Secrets, and changes nothing';
  };
};
