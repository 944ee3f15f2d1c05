/** The rules for writing roles and bindings. The first such write loads them. */
import { policyTypes } from '../api/rbac.ts';
import { onDemand } from '../once.ts';
import type { Extension } from '../server/registry.ts';
import type { Rights } from '../server/rights.ts';

const admission = onDemand(() => import('./admission.ts'));

/** Extensions of the registry by resource. `changed` runs after a change of any of the objects. */
export const rbacExtensions = (
  rights: Rights,
  changed: (type: string) => void | Promise<void>,
): Record<string, Extension> => {
  const extensionOf = (type: string, by: 'admitRole' | 'admitBinding'): [string, Extension] => [
    type,
    {
      admit: async (object, asked) => (await admission())[by](rights, type.split('.')[0]!)(object, asked),
      changed: () => changed(type),
    },
  ];
  return Object.fromEntries([
    extensionOf(policyTypes.roles, 'admitRole'),
    extensionOf(policyTypes.clusterRoles, 'admitRole'),
    extensionOf(policyTypes.roleBindings, 'admitBinding'),
    extensionOf(policyTypes.clusterRoleBindings, 'admitBinding'),
  ]);
};
