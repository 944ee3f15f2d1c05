/** The roles and bindings that every installation begins with. */

import { administratorsGroup, viewersGroup } from '../kinds/common/groups.ts';
import { flowControlGroup } from '../kinds/kubernetes/flow-control/group.ts';
import type { KindFacts } from '../machinery/api/kind.ts';
import { type PolicyObjects, type PolicyRule, rbacGroup } from '../machinery/api/rbac.ts';
import { aggregated, clusterRole, clusterRoleBinding } from '../machinery/rbac/bootstrap.ts';

const read = ['get', 'list', 'watch'];
const write = ['create', 'update', 'patch', 'delete', 'deletecollection'];
const reviews = { access: 'authorization.k8s.io', identity: 'authentication.k8s.io' };
const health = ['/healthz', '/livez', '/readyz'];
const versions = ['/version', '/version/'];
const discovery = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*'];

const on = (group: string, resources: string[], verbs: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
});
const paths = (nonResourceURLs: string[], verbs = ['get']): PolicyRule => ({ nonResourceURLs, verbs });

/** Groups of Kubernetes itself, whose rules are written out below. */
const own = new Set(['', 'coordination.k8s.io', 'events.k8s.io', flowControlGroup, rbacGroup]);

/** The resources of all other groups, with what is beside them. */
const rulesOf = (kinds: readonly KindFacts[], beside: string[], verbs: string[]): PolicyRule[] => {
  const served = kinds.filter(({ served, group }) => served !== false && !own.has(group));
  const groups = Map.groupBy(served, ({ group }) => group);
  return [...groups].map(([group, of]) => on(group, [...of.map(({ plural }) => plural).sort(), ...beside], verbs));
};

const events = { apiGroups: ['', 'events.k8s.io'], resources: ['events'] };

const viewRules = (kinds: readonly KindFacts[]): PolicyRule[] => [
  on(
    '',
    [
      'configmaps',
      'namespaces',
      'namespaces/status',
      'resourcequotas',
      'resourcequotas/status',
      'serviceaccounts',
      'services',
      'services/status',
    ],
    read,
  ),
  { ...events, verbs: read },
  ...rulesOf(kinds, ['*/scale', '*/status'], read),
];

const editRules = (kinds: readonly KindFacts[]): PolicyRule[] => [
  on('', ['secrets'], read),
  on('', ['configmaps', 'secrets', 'serviceaccounts'], write),
  on('', ['serviceaccounts/token'], ['create']),
  on('', ['serviceaccounts'], ['impersonate']),
  { ...events, verbs: write },
  on('coordination.k8s.io', ['leases'], [...read, ...write]),
  ...rulesOf(kinds, ['*/scale'], write),
];

const adminRules = [
  on(reviews.access, ['localsubjectaccessreviews'], ['create']),
  on(rbacGroup, ['rolebindings', 'roles'], [...read, ...write]),
];

/** What a viewer of the whole installation reads besides. */
const viewerRules = (kinds: readonly KindFacts[]): PolicyRule[] => [
  ...rulesOf(kinds, ['*/status'], read),
  on('coordination.k8s.io', ['leases'], read),
  on(rbacGroup, ['clusterrolebindings', 'clusterroles', 'rolebindings', 'roles'], read),
  on('apiextensions.k8s.io', ['customresourcedefinitions', 'customresourcedefinitions/status'], read),
  on(flowControlGroup, ['*'], read),
  paths(['*']),
];

const authenticated = 'system:authenticated';

/** `kinds`: all that the installation serves. */
export const defaultPolicy = (kinds: readonly KindFacts[]): PolicyObjects => {
  const namespaced = kinds.filter((kind) => kind.namespaced);
  const global = kinds.filter((kind) => !kind.namespaced);
  const clusterRoles = [
    clusterRole('cluster-admin', [on('*', ['*'], ['*']), paths(['*'], ['*'])]),
    clusterRole('system:discovery', [paths([...health, ...versions, ...discovery])]),
    clusterRole('system:public-info-viewer', [paths([...health, ...versions])]),
    clusterRole('system:basic-user', [
      on(reviews.access, ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
      on(reviews.identity, ['selfsubjectreviews'], ['create']),
    ]),
    clusterRole('system:monitoring', [paths([...health, ...health.map((path) => `${path}/*`), '/metrics'])]),
    clusterRole('system:auth-delegator', [
      on(reviews.identity, ['tokenreviews'], ['create']),
      on(reviews.access, ['subjectaccessreviews'], ['create']),
    ]),
    clusterRole('system:aggregate-to-view', viewRules(namespaced), { to: ['view'] }),
    clusterRole('system:aggregate-to-edit', editRules(namespaced), { to: ['edit'] }),
    clusterRole('system:aggregate-to-admin', adminRules, { to: ['admin'] }),
    clusterRole('view', [], { from: ['view'], to: ['edit', 'capstan-viewer'] }),
    clusterRole('edit', [], { from: ['edit'], to: ['admin'] }),
    clusterRole('admin', [], { from: ['admin'] }),
    clusterRole('capstan:aggregate-to-viewer', viewerRules(global), { to: ['capstan-viewer'] }),
    clusterRole('capstan:viewer', [], { from: ['capstan-viewer'] }),
  ];
  return {
    roles: [],
    clusterRoles: aggregated(clusterRoles),
    roleBindings: [],
    clusterRoleBindings: [
      clusterRoleBinding('cluster-admin', 'cluster-admin', ['system:masters']),
      clusterRoleBinding('system:discovery', 'system:discovery', [authenticated]),
      clusterRoleBinding('system:basic-user', 'system:basic-user', [authenticated]),
      clusterRoleBinding('system:public-info-viewer', 'system:public-info-viewer', [
        authenticated,
        'system:unauthenticated',
      ]),
      clusterRoleBinding('system:monitoring', 'system:monitoring', ['system:monitoring']),
      clusterRoleBinding('capstan:administrators', 'cluster-admin', [administratorsGroup]),
      clusterRoleBinding('capstan:viewers', 'capstan:viewer', [viewersGroup]),
    ],
  };
};
