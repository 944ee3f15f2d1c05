/** Checks that several kinds share. Their messages are Cluster API's. */

import { parseDuration } from '../../machinery/api/durations.ts';
import type { FieldError } from '../../machinery/api/kind.ts';
import { formatLabelSelector, isLabelValue, isQualifiedName, labelMatcher } from '../../machinery/api/labels.ts';
import type { JsonObject, KubeObject, LabelSelector } from '../../machinery/api/object.ts';
import { parseVersion } from './kubernetes-version.ts';
import { annotations } from './labels.ts';
import { hasRandom, nameFromTemplate } from './names.ts';

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});
export const forbiddenField = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueForbidden',
  field,
  detail,
});
export const requiredField = (field: string, detail: string): FieldError => ({
  reason: 'FieldValueRequired',
  field,
  detail,
});
export const immutable = (field: string): FieldError => forbiddenField(field, 'field is immutable');

export const normalVersion = (version: string): string => (version.startsWith('v') ? version : `v${version}`);
export const validateVersion = (field: string, version: string | undefined): FieldError[] => {
  if (!version) return [];
  return [
    ...(version.startsWith('v') ? [] : [invalidValue(field, version, 'must start with v')]),
    ...(parseVersion(normalVersion(version)) ? [] : [invalidValue(field, version, 'must be a valid semantic version')]),
  ];
};

const dnsSubdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const labelKeyRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueFault = (value: string): string | undefined => {
  if (value.length > 63) return 'must be no more than 63 characters';
  return isLabelValue(value) ? undefined : labelValueRule;
};

/** Checks names that become label values. */
export const validateNameAsLabel = (name: string, separator = ': '): FieldError[] => {
  const fault = labelValueFault(name);
  return fault ? [invalidValue('metadata.name', name, `must be a valid label value${separator}${fault}`)] : [];
};

export interface TemplateMetadata {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}
export const validateTemplateMetadata = (field: string, metadata: TemplateMetadata | undefined): FieldError[] => [
  ...Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) => {
    const fault = labelValueFault(value);
    return [
      ...(isQualifiedName(key) ? [] : [invalidValue(`${field}.labels`, key, labelKeyRule)]),
      ...(fault ? [invalidValue(`${field}.labels`, value, fault)] : []),
    ];
  }),
  ...Object.keys(metadata?.annotations ?? {})
    .filter((key) => !isQualifiedName(key.toLowerCase()))
    .map((key) => invalidValue(`${field}.annotations`, key, labelKeyRule)),
];

export const isEmptySelector = ({ matchLabels, matchExpressions }: LabelSelector): boolean =>
  Object.keys(matchLabels ?? {}).length === 0 && (matchExpressions ?? []).length === 0;

/** Why a selector is invalid; undefined if it is valid. */
export const selectorFault = (selector: LabelSelector): string | undefined => {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (!isQualifiedName(key)) return `key: Invalid value: ${JSON.stringify(key)}: ${labelKeyRule}`;
    const fault = labelValueFault(value);
    if (fault) return `values[0][${key}]: Invalid value: ${JSON.stringify(value)}: ${fault}`;
  }
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    if (!['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator))
      return `${JSON.stringify(operator)} is not a valid label selector operator`;
    if (!isQualifiedName(key)) return `key: Invalid value: ${JSON.stringify(key)}: ${labelKeyRule}`;
    const listed = operator === 'In' || operator === 'NotIn';
    if (listed && values.length === 0)
      return "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty";
    if (!listed && values.length > 0)
      return `values: Invalid value: ${JSON.stringify(values)}: values set must be empty for exists and does not exist`;
  }
  return undefined;
};
/** Checks that a selector selects the objects of the template. */
export const validateSelector = (
  selector: LabelSelector,
  labels: Record<string, string> | undefined,
  mismatch: (field: string, detail: string) => FieldError,
): FieldError[] => {
  const fault = selectorFault(selector);
  if (fault) return [invalidValue('spec.selector', selector, fault)];
  if (labelMatcher(selector)(labels ?? {})) return [];
  return [mismatch('spec.template.metadata.labels', `must match spec.selector "${formatLabelSelector(selector)}"`)];
};

const reservedTaint = (key: string): string | undefined => {
  if (key === 'node.cluster.x-k8s.io/uninitialized' || key === 'node.cluster.x-k8s.io/outdated-revision')
    return 'taint key is not allowed';
  if (key.startsWith('node.kubernetes.io/') && key !== 'node.kubernetes.io/out-of-service')
    return 'taint key must not have the prefix node.kubernetes.io/, except for node.kubernetes.io/out-of-service';
  if (key.startsWith('node.cloudprovider.kubernetes.io/'))
    return 'taint key must not have the prefix node.cloudprovider.kubernetes.io/';
  if (key === 'node-role.kubernetes.io/master') return 'taint is deprecated since 1.24 and should not be used anymore';
  return undefined;
};
export const validateTaints = (
  field: string,
  taints: { key: string }[] | undefined,
  { worker }: { worker: boolean },
): FieldError[] =>
  (taints ?? []).flatMap(({ key }, i) => {
    const at = `${field}[${i}].key`;
    const reserved = reservedTaint(key);
    return [
      ...(reserved ? [invalidValue(at, key, reserved)] : []),
      ...(isQualifiedName(key) ? [] : [invalidValue(at, key, labelKeyRule)]),
      ...(worker && key === 'node-role.kubernetes.io/control-plane'
        ? [invalidValue(at, key, 'taint is not allowed for worker Machines')]
        : []),
    ];
  });

/** Checks a naming template; `variables` are those it may use, with sample values. */
export const validateNaming = (
  field: string,
  template: string | undefined,
  variables: Record<string, string>,
): FieldError[] => {
  if (!template) return [];
  const name = nameFromTemplate(template, variables, 'abcde');
  const fault =
    name instanceof Error
      ? `invalid template: ${name.message}`
      : /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)
        ? undefined
        : `invalid template, generated names would not be valid Kubernetes object names: ${dnsSubdomainRule}`;
  return [
    ...(hasRandom(template) ? [] : [invalidValue(field, template, 'invalid template, {{ .random }} is missing')]),
    ...(fault ? [invalidValue(field, template, fault)] : []),
  ];
};

export const preflightChecks = [
  'All',
  'ControlPlaneIsStable',
  'ControlPlaneVersionSkew',
  'KubeadmVersionSkew',
  'KubernetesVersionSkew',
];
const checksOf = (annotation: string): string[] => annotation.split(',').map((check) => check.trim());
export const skippedPreflights = ({ metadata }: KubeObject): string[] =>
  checksOf(metadata.annotations?.[annotations.skipPreflight] ?? '').filter((check) => check !== '');
export const validateSkippedPreflights = ({ metadata }: KubeObject): FieldError[] => {
  const annotation = metadata.annotations?.[annotations.skipPreflight];
  const unknown = annotation ? checksOf(annotation).filter((check) => !preflightChecks.includes(check)) : [];
  if (unknown.length === 0) return [];
  const detail = `skipped preflight check(s) must be among: [${preflightChecks.join(' ')}]`;
  return [invalidValue(`metadata.annotations.${annotations.skipPreflight}`, unknown, detail)];
};

export const validateIntOrPercent = (field: string, value: number | string | undefined): FieldError[] =>
  value === undefined || typeof value === 'number' || /^\d+%$/.test(value)
    ? []
    : [
        invalidValue(
          field,
          value,
          `must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage`,
        ),
      ];

export const validateRollingUpdate = (
  at: string,
  { maxSurge, maxUnavailable }: { maxSurge?: number | string; maxUnavailable?: number | string } = {},
): FieldError[] => [
  ...validateIntOrPercent(`${at}.maxUnavailable`, maxUnavailable),
  ...validateIntOrPercent(`${at}.maxSurge`, maxSurge),
  ...(maxSurge === 0 && maxUnavailable === 0
    ? [invalidValue(at, String(maxSurge), 'maxUnavailable and maxSurge cannot both be 0')]
    : []),
];

/**
 * Follows a path such as spec.template.spec or spec.workers[].ref; returns each value with its
 * path.
 */
const valuesAt = (value: unknown, path: string[], place: string): { place: string; value: unknown }[] => {
  const [step, ...rest] = path;
  if (step === undefined) return value === undefined || value === null ? [] : [{ place, value }];
  if (typeof value !== 'object' || value === null) return [];
  const field = step.replace('[]', '');
  const child = (value as JsonObject)[field];
  const at = place ? `${place}.${field}` : field;
  if (!step.endsWith('[]')) return valuesAt(child, rest, at);
  return Array.isArray(child) ? child.flatMap((item, i) => valuesAt(item, rest, `${at}[${i}]`)) : [];
};

/**
 * References of v1beta1 have a namespace. v1beta2 cannot store one, so it must be the object's own.
 */
export const validateReferences =
  (paths: string[]) =>
  (object: KubeObject): FieldError[] =>
    paths
      .flatMap((path) => valuesAt(object, path.split('.'), ''))
      .filter(({ value }) => {
        const { namespace } = value as { namespace?: string };
        return namespace && namespace !== object.metadata.namespace;
      })
      .map(({ place, value }) =>
        invalidValue(`${place}.namespace`, (value as { namespace: string }).namespace, 'must match metadata.namespace'),
      );

/** Durations of v1beta1 are strings. */
export const validateDurations =
  (paths: string[]) =>
  (object: KubeObject): FieldError[] =>
    paths
      .flatMap((path) => valuesAt(object, path.split('.'), ''))
      .filter(({ value }) => typeof value === 'string' && parseDuration(value) === undefined)
      .map(({ place, value }) => invalidValue(place, value, 'must be a duration such as 5m0s'));
