/** What the server asks about the rights of users. */
import type { User } from '../api/kind.ts';
import type { PolicyRule, RoleRef } from '../api/rbac.ts';
import type { ResolvedRules } from '../rbac/policy.ts';
import type { AccessDecision, Attributes, Authorize } from './call.ts';

export interface Rights {
  authorize: Authorize;
  /** What `authorize` will probably decide, without a read; undefined while nothing is known. */
  foresee?: (attributes: Attributes) => AccessDecision | undefined;
  /** The rules that a user has in a namespace, or everywhere if it is empty. */
  rulesFor(user: User, namespace: string): Promise<ResolvedRules & { incomplete?: boolean }>;
  /** The rules of a role, as a binding in the namespace grants them. */
  rulesOf(roleRef: RoleRef, namespace: string): Promise<ResolvedRules>;
}

/** The rules of cluster-admin. */
export const everything: PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];

export const allowed: AccessDecision = { allowed: true, reason: '' };

/** Every authenticated user may do everything. */
export const noRestrictions: Rights = {
  authorize: () => allowed,
  rulesFor: async () => ({ rules: everything, errors: [] }),
  rulesOf: async () => ({ rules: [], errors: [] }),
};

/** The rights of a function, which decides about single requests and cannot list what it allows. */
export const decidedBy = (authorize: Authorize): Rights => ({
  authorize,
  rulesFor: async () => ({ rules: [], errors: [], incomplete: true }),
  rulesOf: async () => ({ rules: [], errors: [] }),
});
