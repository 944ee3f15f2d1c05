/** The objects of rbac.authorization.k8s.io. */
import type { KubeObject, LabelSelector } from './object.ts';

export const rbacGroup = 'rbac.authorization.k8s.io';

/**
 * The mark of all kinds that decide on requests, those of admission included, so that one read tells
 * about all of them.
 */
export const policyMark = rbacGroup;

/** Allows verbs on resources, or on paths outside the API groups. */
export type PolicyRule = {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs?: string[];
};

export type Subject = { kind: string; name: string; namespace?: string; apiGroup?: string };

export type RoleRef = { apiGroup: string; kind: string; name: string };

/** A Role or a ClusterRole. */
export type Role = KubeObject & {
  rules?: PolicyRule[] | null;
  /** Of a ClusterRole: its rules are those of the selected ClusterRoles. */
  aggregationRule?: { clusterRoleSelectors?: LabelSelector[] };
};

/** A RoleBinding or a ClusterRoleBinding. */
export type Binding = KubeObject & { subjects?: Subject[] | null; roleRef: RoleRef };

/** All objects that decide what users may do. */
export interface PolicyObjects {
  roles: readonly Role[];
  clusterRoles: readonly Role[];
  roleBindings: readonly Binding[];
  clusterRoleBindings: readonly Binding[];
}

/** Their types in the store. */
export const policyTypes: Readonly<Record<keyof PolicyObjects, string>> = {
  roles: `roles.${rbacGroup}`,
  clusterRoles: `clusterroles.${rbacGroup}`,
  roleBindings: `rolebindings.${rbacGroup}`,
  clusterRoleBindings: `clusterrolebindings.${rbacGroup}`,
};
