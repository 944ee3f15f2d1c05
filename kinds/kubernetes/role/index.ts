import type { Column, FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import type { PolicyRule, Role } from '../../../machinery/api/rbac.ts';
import { atomicList, object, string } from '../../../machinery/api/schema.ts';
import { labelSelector } from '../../common/schema.ts';
import { selectorFault } from '../../common/validate.ts';
import { defineBuiltIn } from '../built-in.ts';
import { clusterRole as clusterFacts, role as facts } from './kind.ts';

const names = (description: string) => atomicList(description, string(''));

const rules = atomicList(
  'What the role allows.',
  object('Verbs on resources, or on paths outside the API groups.', {
    verbs: names('What may be done, such as get, list or create; * is everything.'),
    apiGroups: names('The groups of the resources; an empty name is the core group, * all groups.'),
    resources: names('Resources by their plural names, or x/sub for a subresource; * is everything.'),
    resourceNames: names('The names of the objects; all objects if empty.'),
    nonResourceURLs: names('Paths, whose end may be *; ClusterRoles only.'),
  }),
);

const aggregationRule = object('Where the rules of the role come from; they are overwritten.', {
  clusterRoleSelectors: atomicList('Select the ClusterRoles whose rules are joined.', labelSelector('By labels.')),
});

const ruleErrors = (rule: PolicyRule, field: string, isNamespaced: boolean): FieldError[] => {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  const required = (name: string, detail: string): FieldError => ({
    reason: 'FieldValueRequired',
    field: `${field}.${name}`,
    detail,
  });
  const invalid = (detail: string): FieldError => ({
    reason: 'FieldValueInvalid',
    field: `${field}.nonResourceURLs`,
    value: nonResourceURLs,
    detail,
  });
  const withoutVerbs = verbs?.length ? [] : [required('verbs', 'verbs must contain at least one value')];
  if (nonResourceURLs?.length)
    return [
      ...withoutVerbs,
      ...(isNamespaced ? [invalid('namespaced rules cannot apply to non-resource URLs')] : []),
      ...(apiGroups?.length || resources?.length || resourceNames?.length
        ? [invalid('rules cannot apply to both regular resources and non-resource URLs')]
        : []),
    ];
  return [
    ...withoutVerbs,
    ...(apiGroups?.length ? [] : [required('apiGroups', 'resource rules must supply at least one api group')]),
    ...(resources?.length ? [] : [required('resources', 'resource rules must supply at least one resource')]),
  ];
};

const aggregationErrors = ({ aggregationRule: rule }: Role): FieldError[] => {
  if (!rule) return [];
  const field = 'aggregationRule.clusterRoleSelectors';
  const selectors = rule.clusterRoleSelectors ?? [];
  const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  if (selectors.length === 0) return [{ reason: 'FieldValueRequired', field, detail }];
  return selectors.flatMap((selector, i) => {
    const fault = selectorFault(selector);
    return fault ? [{ reason: 'FieldValueInvalid', field: `${field}[${i}]`, value: selector, detail: fault }] : [];
  });
};

const validate: KindDefinition['validate'] = (object, { operation }) => {
  if (operation === 'delete') return [];
  const role = object as Role;
  const isNamespaced = role.metadata.namespace !== undefined;
  return [
    ...(role.rules ?? []).flatMap((rule, i) => ruleErrors(rule, `rules[${i}]`, isNamespaced)),
    ...aggregationErrors(role),
  ];
};

const columns: Column[] = [
  {
    name: 'Created At',
    type: 'date',
    value: ({ metadata }) => metadata.creationTimestamp ?? null,
    description: 'Time of creation.',
  },
];

export const role = defineBuiltIn({
  ...facts,
  names: 'path',
  validate,
  version: { description: 'Rights in one namespace, which bindings grant.', fields: { rules }, columns },
});

export const clusterRole = defineBuiltIn({
  ...clusterFacts,
  names: 'path',
  validate,
  version: {
    description: 'Rights that bindings grant in one namespace or everywhere.',
    fields: { rules, aggregationRule },
    columns,
  },
});
