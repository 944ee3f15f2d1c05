/** What the kinds of admission share of their validation. */
import type {
  BindingSpec,
  MatchCondition,
  MatchResources,
  NamedRule,
  OperationRule,
  ParamKind,
  ParamRef,
  PolicySpec,
} from '../../../machinery/api/admission.ts';
import { isCelIdentifier } from '../../../machinery/api/cel-names.ts';
import { duplicate, forbidden, invalid, notSupported, required, tooMany } from '../../../machinery/api/faults.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import { isQualifiedName } from '../../../machinery/api/labels.ts';
import type { LabelSelector } from '../../../machinery/api/object.ts';
import { labelFaults } from '../../../machinery/api/webhook-faults.ts';
import { selectorFault } from '../../common/validate.ts';

/** A fault unless the value is one of these. */
export const oneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldError[] => {
  if (value !== undefined && supported.includes(value)) return [];
  return [notSupported(field, value ?? '', [...supported].sort())];
};

/** A fault for each repetition. */
export const duplicates = (values: readonly string[], fieldOf: (i: number) => string): FieldError[] =>
  values.flatMap((value, i) => (value !== '' && values.indexOf(value) < i ? [duplicate(fieldOf(i), value)] : []));

export const failurePolicies = ['Fail', 'Ignore'];
export const matchPolicies = ['Equivalent', 'Exact'];

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const notASubdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
export const subdomainFaults = (field: string, value: string): FieldError[] =>
  value.length <= 253 && subdomain.test(value) ? [] : [invalid(field, value, notASubdomain)];

const labelled = (field: string, value: string): FieldError[] => {
  const faults = labelFaults(value);
  return faults.length > 0 ? [invalid(field, value, faults.join(','))] : [];
};

const notQualified =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
export const qualifiedNameFaults = (field: string, value: string): FieldError[] =>
  isQualifiedName(value) ? [] : [invalid(field, value, notQualified)];

export const selectorFaults = (field: string, selector: LabelSelector | undefined): FieldError[] => {
  const fault = selector && selectorFault(selector);
  return fault ? [invalid(field, selector, fault)] : [];
};

const wildcard = (values: readonly string[] | undefined, field: string, what: string): FieldError[] => {
  if (!values?.length) return [required(field)];
  if (values.length > 1 && values.includes('*'))
    return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
  return [];
};

const resourceFaults = (resources: readonly string[] | undefined, field: string): FieldError[] => {
  if (!resources?.length) return [required(field)];
  const faults: FieldError[] = [];
  const withAllSubresources = new Set<string>();
  const ofAllResources = new Set<string>();
  for (const [i, resource] of resources.entries()) {
    const at = `${field}[${i}]`;
    const [name = '', sub] = resource.split('/', 2) as [string, string | undefined];
    if (resource === '') faults.push(required(at));
    if (sub === undefined) continue;
    const wider = withAllSubresources.has(name) ? `${name}/*` : ofAllResources.has(sub) ? `*/${sub}` : undefined;
    if (wider) faults.push(invalid(at, resource, `if '${wider}' is present, must not specify ${resource}`));
    if (sub === '*') withAllSubresources.add(name);
    if (name === '*') ofAllResources.add(sub);
  }
  if (resources.length > 1 && resources.includes('*/*'))
    faults.push(invalid(field, resources, "if '*/*' is present, must not specify other resources"));
  if (resources.includes('*') && resources.some((one) => one !== '*' && !one.includes('/')))
    faults.push(invalid(field, resources, "if '*' is present, must not specify other resources without subresources"));
  return faults;
};

const operations = ['*', 'CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
const scopes = ['*', 'Cluster', 'Namespaced'];

export const ruleFaults = (rule: OperationRule, field: string): FieldError[] => {
  const { operations: own = [], apiGroups, apiVersions = [], resources, scope } = rule;
  return [
    ...wildcard(own, `${field}.operations`, 'operations'),
    ...own.flatMap((one, i) => oneOf(`${field}.operations[${i}]`, one, operations)),
    ...wildcard(apiGroups, `${field}.apiGroups`, 'API groups'),
    ...wildcard(apiVersions, `${field}.apiVersions`, 'API versions'),
    ...apiVersions.flatMap((one, i) => (one === '' ? [required(`${field}.apiVersions[${i}]`)] : [])),
    ...resourceFaults(resources, `${field}.resources`),
    ...(scope === undefined ? [] : oneOf(`${field}.scope`, scope, scopes)),
  ];
};

const namedRuleFaults = (rule: NamedRule, field: string): FieldError[] => {
  const { resourceNames = [] } = rule;
  return [
    ...resourceNames.flatMap((name, i) => segmentFaults(`${field}.resourceNames[${i}]`, name)),
    ...duplicates(resourceNames, (i) => `${field}.resourceNames[${i}]`),
    ...ruleFaults(rule, field),
  ];
};

const segmentFaults = (field: string, name: string): FieldError[] => {
  if (name === '.' || name === '..') return [invalid(field, name, `may not be '${name}'`)];
  const bad = ['/', '%'].find((one) => name.includes(one));
  return bad ? [invalid(field, name, `may not contain '${bad}'`)] : [];
};

export const matchFaults = (match: MatchResources, field: string): FieldError[] => [
  ...oneOf(`${field}.matchPolicy`, match.matchPolicy, matchPolicies),
  ...selectorFaults(`${field}.namespaceSelector`, match.namespaceSelector),
  ...selectorFaults(`${field}.objectSelector`, match.objectSelector),
  ...(match.resourceRules ?? []).flatMap((one, i) => namedRuleFaults(one, `${field}.resourceRules[${i}]`)),
  ...(match.excludeResourceRules ?? []).flatMap((one, i) =>
    namedRuleFaults(one, `${field}.excludeResourceRules[${i}]`),
  ),
];

export const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === '';

const mostConditions = 64;
export const conditionFaults = (conditions: readonly MatchCondition[] = [], field: string): FieldError[] => [
  ...(conditions.length > mostConditions ? [tooMany(field, conditions.length, mostConditions)] : []),
  ...conditions.flatMap(({ name, expression }, i) => [
    ...(isBlank(expression) ? [required(`${field}[${i}].expression`)] : []),
    ...(name ? qualifiedNameFaults(`${field}[${i}].name`, name) : [required(`${field}[${i}].name`)]),
  ]),
];

const paramKindFaults = ({ apiVersion, kind }: ParamKind, field: string): FieldError[] => {
  const parts = (apiVersion ?? '').split('/');
  const [group, version] = parts.length === 2 ? [parts[0]!, parts[1]!] : ['', parts[0]!];
  const versionFaults = () => {
    if (isBlank(apiVersion)) return [required(`${field}.apiVersion`)];
    if (parts.length > 2)
      return [invalid(`${field}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
    return [
      ...(group ? subdomainFaults(`${field}.apiVersion`, group) : []),
      ...(version
        ? labelled(`${field}.apiVersion`, version)
        : [invalid(`${field}.apiVersion`, apiVersion, 'version must be specified')]),
    ];
  };
  const kindFaults = () => {
    if (isBlank(kind)) return [required(`${field}.kind`)];
    const faults = labelFaults(kind.toLowerCase());
    const why = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
    return faults.length > 0 ? [invalid(`${field}.kind`, kind, why)] : [];
  };
  return [...versionFaults(), ...kindFaults()];
};

/** Faults of what policies of both kinds have. Their expressions are checked where CEL is known. */
export const policyFaults = (spec: PolicySpec, field: string): FieldError[] => {
  const { failurePolicy, paramKind, matchConstraints, matchConditions, variables = [] } = spec;
  return [
    ...oneOf(`${field}.failurePolicy`, failurePolicy, failurePolicies),
    ...(paramKind ? paramKindFaults(paramKind, `${field}.paramKind`) : []),
    ...(matchConstraints
      ? [
          ...matchFaults(matchConstraints, `${field}.matchConstraints`),
          ...(matchConstraints.resourceRules?.length ? [] : [required(`${field}.matchConstraints.resourceRules`)]),
        ]
      : [required(`${field}.matchConstraints`)]),
    ...conditionFaults(matchConditions, `${field}.matchConditions`),
    ...variables.flatMap(({ name, expression }, i) => [
      ...(isBlank(name)
        ? [required(`${field}.variables[${i}].name`, 'name is not specified')]
        : isCelIdentifier(name)
          ? []
          : [invalid(`${field}.variables[${i}].name`, name, 'must be a valid CEL identifier')]),
      ...(isBlank(expression) ? [required(`${field}.variables[${i}].expression`, 'expression is not specified')] : []),
    ]),
  ];
};

const paramRefFaults = ({ name, selector, parameterNotFoundAction }: ParamRef, field: string): FieldError[] => {
  const both = 'name and selector are mutually exclusive';
  return [
    ...(name ? segmentFaults(`${field}.name`, name) : []),
    ...(name && selector ? [forbidden(`${field}.name`, both)] : []),
    ...selectorFaults(`${field}.selector`, selector),
    ...(name && selector ? [forbidden(`${field}.selector`, both)] : []),
    ...(name || selector ? [] : [required(field, 'one of name or selector must be specified')]),
    ...(parameterNotFoundAction
      ? oneOf(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ['Allow', 'Deny'])
      : [required(`${field}.parameterNotFoundAction`)]),
  ];
};

export const bindingFaults = ({ policyName, paramRef, matchResources }: BindingSpec, field: string): FieldError[] => [
  ...(policyName ? subdomainFaults(`${field}.policyName`, policyName) : [required(`${field}.policyName`)]),
  ...(paramRef ? paramRefFaults(paramRef, `${field}.paramRef`) : []),
  ...(matchResources ? matchFaults(matchResources, `${field}.matchResources`) : []),
];
