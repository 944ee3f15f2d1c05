/** RBAC over the roles and bindings stored in the cluster. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type PolicyObjects, policyTypes } from '../../../machinery/api/rbac.ts';
import { createPolicy, type Policy } from '../../../machinery/rbac/policy.ts';
import type { Rights } from '../../../machinery/server/rights.ts';

/** `list` returns the same array until one of its objects changes. */
export const rightsBy = (list: (type: string) => readonly KubeObject[]): Rights => {
  const types = Object.entries(policyTypes);
  let read: (readonly KubeObject[])[] = [];
  let policy: Policy | undefined;
  const current = (): Policy => {
    const objects = types.map(([, type]) => list(type));
    if (!policy || objects.some((of, i) => of !== read[i])) {
      const byName = Object.fromEntries(types.map(([name], i) => [name, objects[i]]));
      policy = createPolicy(byName as unknown as PolicyObjects);
    }
    read = objects;
    return policy;
  };
  return {
    authorize: (attributes) => current().authorize(attributes),
    rulesFor: async (user, namespace) => current().rulesFor(user, namespace),
    rulesOf: async (roleRef, namespace) => current().rulesOf(roleRef, namespace),
  };
};
