/** The roles and bindings that every installation begins with, and what repairs them. */
import { equal } from '../api/merge.ts';
import type { KubeObject, LabelSelector } from '../api/object.ts';
import { type Binding, type PolicyObjects, type PolicyRule, type Role, rbacGroup, type Subject } from '../api/rbac.ts';
import { aggregatedRules } from './aggregate.ts';
import { uncovered } from './covers.ts';
import { lastWritten } from './whole.ts';

const apiVersion = `${rbacGroup}/v1`;
/** An object of the defaults is repaired at every start, unless an administrator sets this to "false". */
export const autoUpdate = 'rbac.authorization.kubernetes.io/autoupdate';
const isDefault = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
const aggregateTo = (name: string): string => `${rbacGroup}/aggregate-to-${name}`;

export const clusterRole = (
  name: string,
  rules: PolicyRule[],
  { to = [], from = [] }: { to?: string[]; from?: string[] } = {},
): Role => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: {
    name,
    labels: { ...isDefault, ...Object.fromEntries(to.map((one) => [aggregateTo(one), 'true'])) },
    annotations: { [autoUpdate]: 'true' },
  },
  rules,
  ...(from.length > 0 && {
    aggregationRule: {
      clusterRoleSelectors: from.map((one): LabelSelector => ({ matchLabels: { [aggregateTo(one)]: 'true' } })),
    },
  }),
});

const group = (name: string): Subject => ({ apiGroup: rbacGroup, kind: 'Group', name });

export const clusterRoleBinding = (name: string, role: string, groups: readonly string[]): Binding => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: { name, labels: isDefault, annotations: { [autoUpdate]: 'true' } },
  roleRef: { apiGroup: rbacGroup, kind: 'ClusterRole', name: role },
  subjects: groups.map(group),
});

/** Roles with the rules that aggregation gives them, also through one another. */
export const aggregated = (roles: readonly Role[]): Role[] => {
  const next = roles.map((role) => ({ ...role, rules: aggregatedRules(role, roles) ?? role.rules ?? [] }));
  return next.every(({ rules }, i) => equal(rules, roles[i]!.rules)) ? next : aggregated(next);
};

const withDefaults = <T extends KubeObject>(stored: readonly T[], defaults: readonly T[]): readonly T[] => {
  const names = new Set(stored.map(({ metadata }) => metadata.name));
  return [...stored, ...defaults.filter(({ metadata }) => !names.has(metadata.name))];
};

/** The policy, with defaults in the place of what a new installation has not written yet. */
export const standIn = (objects: PolicyObjects, defaults: PolicyObjects): PolicyObjects => ({
  ...objects,
  clusterRoles: withDefaults(objects.clusterRoles, defaults.clusterRoles),
  clusterRoleBindings: withDefaults(objects.clusterRoleBindings, defaults.clusterRoleBindings),
});

type Metadata = KubeObject['metadata'];

/** With the default's labels and annotations, where the stored object has no values of its own. */
const joinedMetadata = ({ labels, annotations, ...stored }: Metadata, of: Metadata): Metadata => ({
  ...stored,
  labels: { ...of.labels, ...labels },
  annotations: { ...of.annotations, ...annotations },
});

const isProtected = ({ metadata }: KubeObject): boolean => metadata.annotations?.[autoUpdate] === 'false';

/** The role as a start must leave it: it keeps what was added to it. */
export const repairedRole = (stored: Role | undefined, of: Role): Role => {
  if (!stored) return of;
  if (isProtected(stored)) return stored;
  const { aggregationRule: _, ...rest } = stored;
  const missing = uncovered(stored.rules ?? [], of.rules ?? []);
  const selectors = stored.aggregationRule?.clusterRoleSelectors ?? [];
  const wanted = of.aggregationRule?.clusterRoleSelectors ?? [];
  const absent = wanted.filter((one) => !selectors.some((other) => equal(one, other)));
  return {
    ...rest,
    metadata: joinedMetadata(stored.metadata, of.metadata),
    rules: missing.length > 0 ? [...(stored.rules ?? []), ...missing] : (stored.rules ?? []),
    ...(of.aggregationRule && { aggregationRule: { clusterRoleSelectors: [...selectors, ...absent] } }),
  };
};

const isSame = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '');

/**
 * The binding as a start must leave it. One whose roleRef differs must be made anew, because that
 * cannot change.
 */
export const repairedBinding = (stored: Binding | undefined, of: Binding): Binding => {
  if (!stored) return of;
  if (isProtected(stored) || !equal(stored.roleRef, of.roleRef)) return stored;
  const subjects = stored.subjects ?? [];
  const missing = (of.subjects ?? []).filter((one) => !subjects.some((other) => isSame(one, other)));
  return { ...stored, metadata: joinedMetadata(stored.metadata, of.metadata), subjects: [...subjects, ...missing] };
};

export interface Repair {
  type: 'clusterRoles' | 'clusterRoleBindings';
  object: Role | Binding;
}

const repairs = <T extends Role | Binding>(
  type: Repair['type'],
  stored: readonly T[],
  defaults: readonly T[],
  repaired: (stored: T | undefined, of: T) => T,
): Repair[] =>
  defaults.flatMap((of) => {
    const found = stored.find(({ metadata }) => metadata.name === of.metadata.name);
    const object = repaired(found, of);
    return found && equal(object, found) ? [] : [{ type, object }];
  });

/** What a start writes, in this order. */
export const repairsOf = (objects: PolicyObjects, defaults: PolicyObjects): Repair[] => {
  const all = [
    ...repairs('clusterRoles', objects.clusterRoles, defaults.clusterRoles, repairedRole),
    ...repairs('clusterRoleBindings', objects.clusterRoleBindings, defaults.clusterRoleBindings, repairedBinding),
  ];
  const isLast = ({ type, object }: Repair) => type === 'clusterRoleBindings' && object.metadata.name === lastWritten;
  return [...all.filter((one) => !isLast(one)), ...all.filter(isLast)];
};
