import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark, rbacGroup } from '../../../machinery/api/rbac.ts';

const shared = { group: rbacGroup, mark: policyMark };

export const role: KindFacts = { ...shared, kind: 'Role', plural: 'roles', namespaced: true };

export const clusterRole: KindFacts = { ...shared, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false };
