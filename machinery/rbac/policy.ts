/**
 * What users may do, by the roles that bindings grant them. A union without denials: one rule that
 * allows a request suffices.
 */

import type { User } from '../api/kind.ts';
import { memoize } from '../api/memoize.ts';
import type { Binding, PolicyObjects, PolicyRule, Role, RoleRef, Subject } from '../api/rbac.ts';
import { usernameOf } from '../api/service-account.ts';
import type { AccessDecision, Attributes } from '../server/call.ts';
import { joined } from './resolution-errors.ts';
import { allows } from './rule.ts';

export interface ResolvedRules {
  rules: PolicyRule[];
  /** Why further rules are unknown: a binding names a role that does not exist. */
  errors: string[];
}

export interface Policy {
  authorize(attributes: Attributes): AccessDecision;
  /** The rules that a user has in a namespace, or everywhere if it is empty. */
  rulesFor(user: User, namespace: string): ResolvedRules;
  /** The rules of a role. `namespace`: of the binding. */
  rulesOf(roleRef: RoleRef, namespace: string): ResolvedRules;
}

/** The rules that one binding grants to a user. */
interface Grant extends ResolvedRules {
  source: string;
}

/** The members of this group may do everything, whatever the policy. */
export const privilegedGroup = 'system:masters';

const quoted = (text: string): string => JSON.stringify(text);

/** The name of a subject, by which the bindings of a user are found; undefined if it names no user. */
const keyOf = ({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined => {
  switch (kind) {
    case 'User':
      return `u:${name}`;
    case 'Group':
      return `g:${name}`;
    case 'ServiceAccount': {
      const own = namespace || bindingNamespace;
      return own ? `u:${usernameOf({ namespace: own, name })}` : undefined;
    }
    default:
      return undefined;
  }
};

const describeSubject = ({ kind, name, namespace }: Subject, bindingNamespace: string): string =>
  `${kind} ${quoted(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;

const describe = ({ metadata, roleRef }: Binding, subject: Subject): string => {
  const { name, namespace = '' } = metadata;
  const binding = namespace ? `RoleBinding ${quoted(`${name}/${namespace}`)}` : `ClusterRoleBinding ${quoted(name)}`;
  return `${binding} of ${roleRef.kind} ${quoted(roleRef.name)} to ${describeSubject(subject, namespace)}`;
};

/** Bindings by the names of their subjects. */
const bySubject = (bindings: readonly Binding[]): Map<string, number[]> => {
  const found = new Map<string, number[]>();
  for (const [i, { metadata, subjects }] of bindings.entries()) {
    const keys = (subjects ?? []).map((subject) => keyOf(subject, metadata.namespace ?? ''));
    for (const key of new Set(keys)) if (key !== undefined) found.set(key, [...(found.get(key) ?? []), i]);
  }
  return found;
};

const byNamespace = <T extends Binding | Role>(objects: readonly T[]): Map<string, T[]> =>
  Map.groupBy(objects, ({ metadata }) => metadata.namespace ?? '');

/** Users whose bindings are kept. */
const mostUsers = 1000;

export const createPolicy = ({ roles, clusterRoles, roleBindings, clusterRoleBindings }: PolicyObjects): Policy => {
  const clusterRolesByName = new Map(clusterRoles.map((role) => [role.metadata.name, role]));
  const rolesByName = new Map(
    [...byNamespace(roles)].map(([namespace, own]) => [
      namespace,
      new Map(own.map((role) => [role.metadata.name, role])),
    ]),
  );
  const bindingsIn = byNamespace(roleBindings);
  bindingsIn.set('', [...clusterRoleBindings]);
  const subjectsIn = new Map([...bindingsIn].map(([namespace, bindings]) => [namespace, bySubject(bindings)]));

  const rulesOf = ({ kind, name }: RoleRef, namespace: string): ResolvedRules => {
    if (kind !== 'Role' && kind !== 'ClusterRole')
      return { rules: [], errors: [`unsupported role reference kind: ${quoted(kind)}`] };
    const role = kind === 'Role' ? rolesByName.get(namespace)?.get(name) : clusterRolesByName.get(name);
    if (role) return { rules: role.rules ?? [], errors: [] };
    return { rules: [], errors: [`${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(name)} not found`] };
  };

  const grantOf = (binding: Binding, keys: ReadonlySet<string>): Grant => {
    const namespace = binding.metadata.namespace ?? '';
    const subject = binding.subjects!.find((one) => keys.has(keyOf(one, namespace) ?? ''))!;
    return { source: describe(binding, subject), ...rulesOf(binding.roleRef, namespace) };
  };

  /** What a user's bindings grant by namespace; `''`: everywhere. */
  const grantsOf = memoize(mostUsers, (identity): ((namespace: string) => Grant[]) => {
    const keys: ReadonlySet<string> = new Set(JSON.parse(identity) as string[]);
    const known = new Map<string, Grant[]>();
    return (namespace) => {
      const grants = known.get(namespace);
      if (grants) return grants;
      const [bindings, subjects] = [bindingsIn.get(namespace), subjectsIn.get(namespace)];
      // Users may ask for any namespace: only existing ones are kept.
      if (!bindings || !subjects) return [];
      const own = new Set([...keys].flatMap((key) => subjects.get(key) ?? []));
      const made = [...own].sort((a, b) => a - b).map((i) => grantOf(bindings[i]!, keys));
      known.set(namespace, made);
      return made;
    };
  });
  const grantsFor = ({ username, groups }: User, namespace: string): Grant[] => {
    const grants = grantsOf(JSON.stringify([`u:${username}`, ...groups.map((group) => `g:${group}`)]));
    return namespace ? [...grants(''), ...grants(namespace)] : grants('');
  };

  return {
    authorize: (attributes) => {
      const { user, resource, namespace = '' } = attributes;
      if (user.groups.includes(privilegedGroup)) return { allowed: true, reason: '' };
      const grants = grantsFor(user, resource === undefined ? '' : namespace);
      const grant = grants.find(({ rules }) => rules.some((rule) => allows(rule, attributes)));
      if (grant) return { allowed: true, reason: `RBAC: allowed by ${grant.source}` };
      const errors = grants.flatMap((one) => one.errors);
      return { allowed: false, reason: errors.length > 0 ? `RBAC: ${joined(errors)}` : '' };
    },
    rulesFor: (user, namespace) => {
      const grants = grantsFor(user, namespace);
      return { rules: grants.flatMap(({ rules }) => rules), errors: grants.flatMap(({ errors }) => errors) };
    },
    rulesOf,
  };
};
