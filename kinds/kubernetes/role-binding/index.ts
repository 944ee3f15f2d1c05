import type { Column, FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Binding, rbacGroup, type Subject } from '../../../machinery/api/rbac.ts';
import { atomicList, object, required, string } from '../../../machinery/api/schema.ts';
import { age, defineBuiltIn } from '../built-in.ts';
import { clusterRoleBinding as clusterFacts, roleBinding as facts } from './kind.ts';

const fields = {
  subjects: atomicList(
    'Who gets the rights of the role.',
    object('A user, a group or a ServiceAccount.', {
      kind: required(string('User, Group or ServiceAccount.')),
      apiGroup: string('rbac.authorization.k8s.io for users and groups.'),
      name: required(string('The name of the subject.')),
      namespace: string('The namespace of a ServiceAccount.'),
    }),
  ),
  roleRef: required(
    object(
      'The role, which cannot be changed.',
      {
        apiGroup: string('rbac.authorization.k8s.io.'),
        kind: required(string('Role or ClusterRole.')),
        name: required(string('The name of the role.')),
      },
      { 'x-kubernetes-map-type': 'atomic' },
    ),
  ),
};

const isPerson = ({ kind }: Subject): boolean => kind === 'User' || kind === 'Group';

const withDefaults = (binding: KubeObject): KubeObject => {
  const { subjects, roleRef } = binding as Binding;
  return {
    ...binding,
    roleRef: { ...roleRef, apiGroup: roleRef.apiGroup || rbacGroup },
    ...(subjects && {
      subjects: subjects.map((one) => (isPerson(one) && !one.apiGroup ? { ...one, apiGroup: rbacGroup } : one)),
    }),
  } as Binding;
};

const missing = (field: string): FieldError => ({ reason: 'FieldValueRequired', field, detail: '' });

const unsupported = (field: string, value: string | undefined, ...supported: string[]): FieldError => ({
  reason: 'FieldValueNotSupported',
  field,
  value: value ?? '',
  detail: `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
});

const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});

const segmentFault = (name: string): string | undefined => {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  const bad = ['/', '%'].find((one) => name.includes(one));
  return bad && `may not contain '${bad}'`;
};

const roleRefErrors = ({ roleRef, metadata }: Binding): FieldError[] => {
  const kinds = metadata.namespace === undefined ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  const fault = segmentFault(roleRef.name);
  return [
    ...(roleRef.apiGroup === rbacGroup ? [] : [unsupported('roleRef.apiGroup', roleRef.apiGroup, rbacGroup)]),
    ...(kinds.includes(roleRef.kind) ? [] : [unsupported('roleRef.kind', roleRef.kind, ...kinds)]),
    ...(roleRef.name ? [] : [missing('roleRef.name')]),
    ...(fault ? [invalid('roleRef.name', roleRef.name, fault)] : []),
  ];
};

const accountName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const notAnAccount =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const accountErrors = ({ name, apiGroup, namespace }: Subject, field: string, isNamespaced: boolean): FieldError[] => [
  ...(name && !(name.length <= 253 && accountName.test(name)) ? [invalid(`${field}.name`, name, notAnAccount)] : []),
  ...(apiGroup ? [unsupported(`${field}.apiGroup`, apiGroup, '')] : []),
  ...(isNamespaced || namespace ? [] : [missing(`${field}.namespace`)]),
];

const subjectErrors = (subject: Subject, field: string, isNamespaced: boolean): FieldError[] => {
  const { kind, name, apiGroup } = subject;
  const unnamed = name ? [] : [missing(`${field}.name`)];
  if (kind === 'ServiceAccount') return [...unnamed, ...accountErrors(subject, field, isNamespaced)];
  if (!isPerson(subject)) return [...unnamed, unsupported(`${field}.kind`, kind, 'Group', 'ServiceAccount', 'User')];
  return [...unnamed, ...(apiGroup === rbacGroup ? [] : [unsupported(`${field}.apiGroup`, apiGroup, rbacGroup)])];
};

const validate: KindDefinition['validate'] = (object, { operation, old }) => {
  if (operation === 'delete') return [];
  const binding = object as Binding;
  const isNamespaced = binding.metadata.namespace !== undefined;
  const before = old as Binding | undefined;
  return [
    ...roleRefErrors(binding),
    ...(binding.subjects ?? []).flatMap((one, i) => subjectErrors(one, `subjects[${i}]`, isNamespaced)),
    ...(before && !equal(before.roleRef, binding.roleRef)
      ? [
          {
            reason: 'FieldValueInvalid' as const,
            field: 'roleRef',
            detail: `${JSON.stringify(binding.roleRef)}: cannot change roleRef`,
          },
        ]
      : []),
  ];
};

const named = (kind: string, name: string): Column => ({
  name,
  type: 'string',
  priority: 1,
  value: (object) =>
    ((object as Binding).subjects ?? [])
      .filter((subject) => subject.kind === kind)
      .map((subject) => (kind === 'ServiceAccount' ? `${subject.namespace}/${subject.name}` : subject.name))
      .join(', '),
  description: `The ${name.toLowerCase()} among its subjects.`,
});

const columns: Column[] = [
  {
    name: 'Role',
    type: 'string',
    value: (object) => {
      const { kind, name } = (object as Binding).roleRef;
      return `${kind}/${name}`;
    },
    description: 'The role whose rights it grants.',
  },
  age,
  named('User', 'Users'),
  named('Group', 'Groups'),
  named('ServiceAccount', 'ServiceAccounts'),
];

export const roleBinding = defineBuiltIn({
  ...facts,
  names: 'path',
  default: withDefaults,
  validate,
  version: { description: 'Grants the rights of a role in one namespace.', fields, columns },
});

export const clusterRoleBinding = defineBuiltIn({
  ...clusterFacts,
  names: 'path',
  default: withDefaults,
  validate,
  version: { description: 'Grants the rights of a ClusterRole everywhere.', fields, columns },
});
