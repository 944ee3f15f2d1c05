/** The rules for writing what decides on the rights of users. The first such write loads them. */
import { resourceOf } from '../api/kind.ts';
import { policyTypes } from '../api/rbac.ts';
import { onDemand } from '../once.ts';
import type { Extension } from '../server/registry.ts';
import type { Rights } from '../server/rights.ts';

const admission = onDemand(() => import('./admission.ts'));
const identities = onDemand(() => import('./identity-admission.ts'));

/** Objects that map identities to users and groups. */
const entries = { group: 'capstan.dev', plural: 'accessentries' };

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
  return Object.fromEntries<Extension>([
    extensionOf(policyTypes.roles, 'admitRole'),
    extensionOf(policyTypes.clusterRoles, 'admitRole'),
    extensionOf(policyTypes.roleBindings, 'admitBinding'),
    extensionOf(policyTypes.clusterRoleBindings, 'admitBinding'),
    [
      resourceOf(entries),
      {
        admit: async (object, asked) => {
          await (await identities()).admitIdentity(rights, entries, object, asked);
          return object;
        },
        changed: () => changed(resourceOf(entries)),
      },
    ],
  ]);
};
