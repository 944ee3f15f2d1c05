/** The rights of users in an installation, and the upkeep of the policy in its store. */
import { publishedOnDemand } from '../kinds/on-demand.ts';
import { policyTypes } from '../machinery/api/rbac.ts';
import { onDemand } from '../machinery/once.ts';
import { createStoredRights, type StoredRights } from '../machinery/rbac/rights.ts';
import type { Foundation } from './foundation.ts';

export interface PolicyKeeper {
  rights: StoredRights;
  /** Writes what is missing of the default policy. */
  ensureDefaults(): Promise<void>;
  /** Must follow each change of an object of the policy. */
  changed(type: string): Promise<void>;
}

export const composeRights = (foundation: Foundation): PolicyKeeper => {
  const { marked, catalog, kinds } = foundation;
  const upkeep = onDemand(() => import('./policy-upkeep.ts'));
  const defaults = onDemand(async () =>
    (await import('./default-policy.ts')).defaultPolicy([...catalog.kinds, ...publishedOnDemand]),
  );
  const rights = createStoredRights({
    marked,
    standIn: async (objects) => (await import('../machinery/rbac/bootstrap.ts')).standIn(objects, await defaults()),
  });
  return {
    rights,
    ensureDefaults: async () => {
      // A test may compose an installation of other kinds.
      if (!kinds.find('rbac.authorization.k8s.io', 'ClusterRole')) return;
      await (await upkeep()).ensureDefaults(foundation, rights, await defaults());
    },
    changed: async (type) => {
      rights.changed();
      if (type === policyTypes.clusterRoles) await (await upkeep()).aggregate(foundation, rights);
    },
  };
};
