/** The rights of users by the policy in the store, of which the process keeps a copy. */
import { type PolicyObjects, policyTypes } from '../api/rbac.ts';
import type { Marked } from '../marked.ts';
import type { Rights } from '../server/rights.ts';
import { createPolicy } from './policy.ts';
import { isWhole } from './whole.ts';

export interface StoredRights extends Rights {
  /** The stored objects as this process knows them. */
  objects(): Promise<PolicyObjects>;
  /** Forgets that the copy is current, because this process has changed an object. */
  changed(): void;
}

export interface StoredRightsOptions {
  marked: Marked;
  /** Puts defaults in the place of what a new installation has not written yet. */
  standIn: (objects: PolicyObjects) => Promise<PolicyObjects>;
}

export const createStoredRights = ({ marked, standIn }: StoredRightsOptions): StoredRights => {
  const copy = marked.copy(policyTypes, async (stored) => {
    const objects = stored as unknown as PolicyObjects;
    return { objects, policy: createPolicy(isWhole(objects) ? objects : await standIn(objects)) };
  });
  return {
    authorize: async (attributes) => {
      const before = marked.begun();
      const decision = (await copy.now()).policy.authorize(attributes);
      // Another process may just have granted it: only a copy that is newer than the request refuses.
      if (decision.allowed || copy.isSince(before)) return decision;
      return (await copy.since(before)).policy.authorize(attributes);
    },
    foresee: (attributes) => copy.last()?.policy.authorize(attributes),
    rulesFor: async (user, namespace) => (await copy.now()).policy.rulesFor(user, namespace),
    rulesOf: async (roleRef, namespace) => (await copy.now()).policy.rulesOf(roleRef, namespace),
    objects: async () => (await copy.now()).objects,
    changed: marked.changed,
  };
};
