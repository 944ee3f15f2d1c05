/** RBAC over the roles and bindings stored in the cluster. */
import type { User } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Attributes } from '../../../machinery/server/call.ts';

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs?: string[];
}
interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

const includes = (list: string[] | undefined, value: string): boolean =>
  list?.some((item) => item === '*' || item === value) ?? false;

const coversPath = (patterns: string[] | undefined, path: string): boolean =>
  patterns?.some(
    (pattern) =>
      pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1))),
  ) ?? false;

const allows = (rule: Rule, { verb, group = '', resource, subresource, name = '', path = '' }: Attributes): boolean => {
  if (!includes(rule.verbs, verb)) return false;
  if (resource === undefined) return coversPath(rule.nonResourceURLs, path);
  const wanted = subresource ? `${resource}/${subresource}` : resource;
  return (
    includes(rule.apiGroups, group) &&
    (includes(rule.resources, wanted) || (rule.resources?.includes(`*/${subresource}`) ?? false)) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(name))
  );
};

const isSubject = (user: User, { kind, name, namespace }: Subject): boolean => {
  switch (kind) {
    case 'User':
      return name === user.username;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return user.username === `system:serviceaccount:${namespace}:${name}`;
    default:
      return false;
  }
};

export interface Policy {
  list(type: string): KubeObject[];
}

const rulesOf = (policy: Policy, binding: KubeObject): Rule[] => {
  const { kind, name } = (binding.roleRef ?? {}) as { kind?: string; name?: string };
  const type = kind === 'ClusterRole' ? 'clusterroles.rbac.authorization.k8s.io' : 'roles.rbac.authorization.k8s.io';
  const namespace = kind === 'ClusterRole' ? undefined : binding.metadata.namespace;
  const role = policy.list(type).find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
  return (role?.rules ?? []) as Rule[];
};

/** Undefined = allowed; a string = the reason for the refusal, which Kubernetes leaves empty. */
export const authorizeBy =
  (policy: Policy) =>
  (attributes: Attributes): string | undefined => {
    const { user, namespace } = attributes;
    if (user.groups.includes('system:masters')) return undefined;
    const bindings = [
      ...policy.list('clusterrolebindings.rbac.authorization.k8s.io'),
      ...policy
        .list('rolebindings.rbac.authorization.k8s.io')
        .filter(({ metadata }) => namespace && metadata.namespace === namespace),
    ];
    const permitted = bindings.some(
      (binding) =>
        ((binding.subjects ?? []) as Subject[]).some((subject) => isSubject(user, subject)) &&
        rulesOf(policy, binding).some((rule) => allows(rule, attributes)),
    );
    return permitted ? undefined : '';
  };
