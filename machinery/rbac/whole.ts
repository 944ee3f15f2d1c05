import type { PolicyObjects } from '../api/rbac.ts';

/** The default binding that is written last: while it is absent, the policy in the store is not whole. */
export const lastWritten = 'cluster-admin';

export const isWhole = ({ clusterRoleBindings }: PolicyObjects): boolean =>
  clusterRoleBindings.some(({ metadata }) => metadata.name === lastWritten);
