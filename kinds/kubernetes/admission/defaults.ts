import type { BindingSpec, MatchResources, NamedRule, PolicySpec } from '../../../machinery/api/admission.ts';

const withScope = (rule: NamedRule): NamedRule => ({ ...rule, scope: rule.scope ?? '*' });

const withMatchDefaults = (match: MatchResources): MatchResources => ({
  ...match,
  matchPolicy: match.matchPolicy ?? 'Equivalent',
  namespaceSelector: match.namespaceSelector ?? {},
  objectSelector: match.objectSelector ?? {},
  ...(match.resourceRules && { resourceRules: match.resourceRules.map(withScope) }),
  ...(match.excludeResourceRules && { excludeResourceRules: match.excludeResourceRules.map(withScope) }),
});

export const withPolicyDefaults = <S extends PolicySpec>(spec: S): S => ({
  ...spec,
  failurePolicy: spec.failurePolicy ?? 'Fail',
  ...(spec.matchConstraints && { matchConstraints: withMatchDefaults(spec.matchConstraints) }),
});

export const withBindingDefaults = <S extends BindingSpec>(spec: S): S => ({
  ...spec,
  ...(spec.matchResources && { matchResources: withMatchDefaults(spec.matchResources) }),
});
