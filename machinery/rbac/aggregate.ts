/** ClusterRoles whose rules are those of others. */
import { labelMatcher } from '../api/labels.ts';
import { equal } from '../api/merge.ts';
import type { PolicyRule, Role } from '../api/rbac.ts';

const byName = (a: Role, b: Role): number => (a.metadata.name < b.metadata.name ? -1 : 1);

/** The rules that an aggregated ClusterRole must have; undefined for any other. */
export const aggregatedRules = (role: Role, clusterRoles: readonly Role[]): PolicyRule[] | undefined => {
  if (!role.aggregationRule) return undefined;
  const others = clusterRoles.filter(({ metadata }) => metadata.name !== role.metadata.name).sort(byName);
  const rules = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selects = labelMatcher(selector);
    const selected = others.filter(({ metadata }) => selects(metadata.labels));
    for (const rule of selected.flatMap((one) => one.rules ?? [])) {
      const { apiGroups, nonResourceURLs, resourceNames, resources, verbs } = rule;
      const text = JSON.stringify([
        apiGroups ?? [],
        nonResourceURLs ?? [],
        resourceNames ?? [],
        resources ?? [],
        verbs,
      ]);
      if (!rules.has(text)) rules.set(text, rule);
    }
  }
  return [...rules.values()];
};

/** Whether the role's rules are those that it must have. */
export const isAggregated = (role: Role, rules: readonly PolicyRule[]): boolean => equal(role.rules ?? [], rules);
