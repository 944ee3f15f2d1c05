import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark, rbacGroup } from '../../../machinery/api/rbac.ts';

const shared = { group: rbacGroup, mark: policyMark };

export const roleBinding: KindFacts = { ...shared, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true };

export const clusterRoleBinding: KindFacts = {
  ...shared,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
