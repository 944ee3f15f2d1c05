/** What a FlowSchema may say, with Kubernetes' messages. */
import { forbidden, invalid, notSupported, required } from '../../../machinery/api/faults.ts';
import type { FieldError, KindDefinition } from '../../../machinery/api/kind.ts';
import { nameFaults } from '../../../machinery/api/names.ts';
import { statusFaults } from '../flow-control/status.ts';
import type { FlowSchema, NonResourceRule, ResourceRule, Rule, Subject } from './schema.ts';

const all = '*';
const exempt = 'exempt';
const lastPrecedence = 10_000;

const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

/** A wildcard stands alone. */
const wildcardFaults = (field: string, values: readonly string[], others: string): FieldError[] =>
  values.length > 1 && values.includes(all)
    ? [invalid(field, values, `if '*' is present, must not specify other ${others}`)]
    : [];

/** As nameFaults, at a field. */
const misnamed = (field: string, rule: KindDefinition['names'], name: string, intro = ''): FieldError[] =>
  nameFaults(rule, name).map((fault) => invalid(field, name, intro + fault));

const verbFaults = (field: string, given: readonly string[] = []): FieldError[] => {
  if (given.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (given.includes(all)) return wildcardFaults(field, given, 'verbs');
  return given.every((verb) => verbs.includes(verb)) ? [] : [notSupported(field, given, verbs)];
};

const urlFaults = (field: string, url: string): FieldError[] => {
  if (url === '') return [invalid(field, url, 'must not be empty')];
  if (url === '/') return [];
  if (!url.startsWith('/')) return [invalid(field, url, 'must start with slash')];
  if (url.includes(' ')) return [invalid(field, url, 'must not contain white-space')];
  if (url.includes('//')) return [invalid(field, url, 'must not contain double slash')];
  const wildcards = url.split(all).length - 1;
  return wildcards > 1 || (wildcards === 1 && !url.endsWith('/*'))
    ? [invalid(field, url, 'wildcard can only do suffix matching')]
    : [];
};

const nonResourceFaults = (field: string, { verbs: given, nonResourceURLs: urls = [] }: NonResourceRule) => {
  const of = `${field}.nonResourceURLs`;
  return [
    ...verbFaults(`${field}.verbs`, given),
    ...(urls.length === 0 ? [required(of, 'nonResourceURLs must contain at least one value')] : []),
    ...(urls.includes(all)
      ? wildcardFaults(of, urls, 'non-resource URLs')
      : urls.flatMap((url, i) => urlFaults(`${of}[${i}]`, url))),
  ];
};

const namespacesFaults = (field: string, { namespaces = [], clusterScope }: ResourceRule): FieldError[] => {
  if (namespaces.length === 0 && !clusterScope)
    return [required(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  if (namespaces.includes(all)) return wildcardFaults(field, namespaces, 'namespaces');
  const intro = "each member of this list must be '*' or a DNS-1123 label; ";
  return namespaces.flatMap((name, i) => misnamed(`${field}[${i}]`, 'label', name, intro));
};

const resourceFaults = (field: string, rule: ResourceRule): FieldError[] => {
  const { apiGroups = [], resources = [] } = rule;
  return [
    ...verbFaults(`${field}.verbs`, rule.verbs),
    ...(apiGroups.length === 0
      ? [required(`${field}.apiGroups`, 'resource rules must supply at least one api group')]
      : wildcardFaults(`${field}.apiGroups`, apiGroups, 'api groups')),
    ...(resources.length === 0
      ? [required(`${field}.resources`, 'resource rules must supply at least one resource')]
      : wildcardFaults(`${field}.resources`, resources, 'resources')),
    ...namespacesFaults(`${field}.namespaces`, rule),
  ];
};

const subjects = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' } as const;
type SubjectKind = keyof typeof subjects;
const subjectKinds = Object.keys(subjects) as SubjectKind[];
const isSubjectKind = (kind: string): kind is SubjectKind => Object.hasOwn(subjects, kind);

const accountFaults = (field: string, { name, namespace }: NonNullable<Subject['serviceAccount']>): FieldError[] => [
  ...(name ? (name === all ? [] : misnamed(`${field}.name`, 'subdomain', name)) : [required(`${field}.name`)]),
  ...(namespace
    ? misnamed(`${field}.namespace`, 'label', namespace)
    : [required(`${field}.namespace`, 'must specify namespace for service account')]),
];

const subjectFaults = (field: string, subject: Subject): FieldError[] => {
  const { kind } = subject;
  if (!isSubjectKind(kind)) return [notSupported(`${field}.kind`, kind, subjectKinds)];
  const own = subjects[kind];
  const of = `${field}.${own}`;
  const others = subjectKinds.filter((one) => one !== kind && subject[subjects[one]] !== undefined);
  return [
    ...(subject[own] === undefined
      ? [required(of, `${own} is required when subject kind is '${kind}'`)]
      : own === 'serviceAccount'
        ? accountFaults(of, subject.serviceAccount!)
        : subject[own]!.name
          ? []
          : [required(`${of}.name`)]),
    ...others.map((one) =>
      forbidden(`${field}.${subjects[one]}`, `${subjects[one]} is forbidden when subject kind is not '${one}'`),
    ),
  ];
};

const ruleFaults = (field: string, rule: Rule): FieldError[] => {
  const { subjects: of = [], resourceRules = [], nonResourceRules = [] } = rule;
  return [
    ...(of.length === 0 ? [required(`${field}.subjects`, 'subjects must contain at least one value')] : []),
    ...of.flatMap((one, i) => subjectFaults(`${field}.subjects[${i}]`, one)),
    ...(resourceRules.length + nonResourceRules.length === 0
      ? [required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty')]
      : []),
    ...resourceRules.flatMap((one, i) => resourceFaults(`${field}.resourceRules[${i}]`, one)),
    ...nonResourceRules.flatMap((one, i) => nonResourceFaults(`${field}.nonResourceRules[${i}]`, one)),
  ];
};

const precedenceFaults = (name: string, precedence: number): FieldError[] => {
  const field = 'spec.matchingPrecedence';
  if (precedence <= 0) return [invalid(field, precedence, 'must be a positive value')];
  if (precedence > lastPrecedence) return [invalid(field, precedence, `must not be greater than ${lastPrecedence}`)];
  return precedence === 1 && name !== exempt
    ? [invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")]
    : [];
};

const methods = ['ByNamespace', 'ByUser'];

export const validate: KindDefinition['validate'] = (object, { operation, subresource }) => {
  if (operation === 'delete') return [];
  if (subresource === 'status') return statusFaults(object);
  const { metadata, spec } = object as FlowSchema;
  const { distinguisherMethod: method, priorityLevelConfiguration: level, rules = [] } = spec ?? {};
  const levelField = 'spec.priorityLevelConfiguration.name';
  return [
    ...precedenceFaults(metadata.name, spec?.matchingPrecedence ?? 0),
    ...(method && !methods.includes(method.type)
      ? [notSupported('spec.distinguisherMethod.type', method, methods)]
      : []),
    ...(level?.name
      ? misnamed(levelField, 'subdomain', level.name)
      : [required(levelField, 'must reference a priority level')]),
    ...rules.flatMap((rule, i) => ruleFaults(`spec.rules[${i}]`, rule)),
    ...statusFaults(object),
  ];
};
