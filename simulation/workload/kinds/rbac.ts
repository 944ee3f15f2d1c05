import { age } from '../../../kinds/kubernetes/built-in.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { builtIn, cell } from './built-in.ts';

const names = 'path';
const group = 'rbac.authorization.k8s.io';
const createdAt = cell('Created At', ({ metadata }: KubeObject) => metadata.creationTimestamp ?? '');
const role = cell('Role', (object: KubeObject) => {
  const { kind = '', name = '' } = (object.roleRef ?? {}) as { kind?: string; name?: string };
  return `${kind}/${name}`;
});

export const rbacKinds = [
  builtIn({ group, names, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false, columns: [createdAt] }),
  builtIn({
    group,
    names,
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    namespaced: false,
    columns: [role, age],
  }),
  builtIn({ group, names, kind: 'Role', plural: 'roles', columns: [createdAt] }),
  builtIn({ group, names, kind: 'RoleBinding', plural: 'rolebindings', columns: [role, age] }),
];
