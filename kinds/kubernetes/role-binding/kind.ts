import type { KindFacts } from '../../../machinery/api/kind.ts';
import { rbacGroup } from '../../../machinery/api/rbac.ts';

const shared = { group: rbacGroup, mark: rbacGroup };

export const roleBinding: KindFacts = { ...shared, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true };

export const clusterRoleBinding: KindFacts = {
  ...shared,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
