import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { withClusterLabel } from '../../common/cluster-label.ts';
import { labels } from '../../common/labels.ts';
import {
  immutable,
  invalidValue,
  isEmptySelector,
  requiredField,
  selectorFault,
  validateDurations,
  validateIntOrPercent,
  validateReferences,
} from '../../common/validate.ts';
import { budgetAnnotation, zoneFreezeAnnotation } from './restraint.ts';
import type { MachineHealthCheck } from './schema.ts';

/** Seconds. */
export const defaultStartupTimeout = 600;
const shortestStartupTimeout = 30;

export const defaultMachineHealthCheck = (object: KubeObject): KubeObject => {
  const check = object as MachineHealthCheck;
  if (!check.spec) return object;
  const checks = { nodeStartupTimeoutSeconds: defaultStartupTimeout, ...check.spec.checks };
  return withClusterLabel({ ...check, spec: { ...check.spec, checks } }, check.spec.clusterName);
};

const startupTimeoutErrors = (field: string, timeout: number | undefined): FieldError[] =>
  timeout === undefined || timeout === 0 || timeout >= shortestStartupTimeout
    ? []
    : [invalidValue(`${field}.checks.nodeStartupTimeoutSeconds`, timeout, 'must be at least 30s')];

/** Ignores invalid values that are already stored. */
const annotationErrors = ({ metadata }: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const changed = (name: string) => {
    const value = metadata.annotations?.[name];
    return value === old?.metadata.annotations?.[name] ? undefined : value;
  };
  const at = (name: string) => `metadata.annotations[${name}]`;
  const [budget, freeze] = [changed(budgetAnnotation), changed(zoneFreezeAnnotation)];
  const isAmount = budget === undefined || /^(\d{1,5}|\d{1,2}%|100%)$/.test(budget);
  const isSwitch = freeze === undefined || freeze === 'On' || freeze === 'Off';
  const supported = 'supported values: "On", "Off"';
  return [
    ...(isAmount ? [] : [invalidValue(at(budgetAnnotation), budget, 'must be a count or a percentage such as 20%')]),
    ...(isSwitch
      ? []
      : [
          {
            reason: 'FieldValueNotSupported' as const,
            field: at(zoneFreezeAnnotation),
            value: freeze,
            detail: supported,
          },
        ]),
  ];
};

const rangeErrors = (field: string, range: string | undefined): FieldError[] => {
  const [least, most] = (range?.match(/\d+/g) ?? []).map(Number);
  return least !== undefined && most !== undefined && most < least
    ? [invalidValue(`${field}.remediation.triggerIf.unhealthyInRange`, range, 'must not end before it begins')]
    : [];
};

interface Checked {
  checks?: { nodeStartupTimeoutSeconds?: number };
  remediation?: {
    maxInFlight?: number | string;
    triggerIf?: { unhealthyInRange?: string; unhealthyLessThanOrEqualTo?: number | string };
  };
}
/** What health checks of ClusterClasses and topologies must satisfy, too. */
export const validateChecks = (field: string, { checks, remediation }: Checked): FieldError[] => [
  ...startupTimeoutErrors(field, checks?.nodeStartupTimeoutSeconds),
  ...validateIntOrPercent(
    `${field}.remediation.triggerIf.unhealthyLessThanOrEqualTo`,
    remediation?.triggerIf?.unhealthyLessThanOrEqualTo,
  ),
  ...validateIntOrPercent(`${field}.remediation.maxInFlight`, remediation?.maxInFlight),
  ...rangeErrors(field, remediation?.triggerIf?.unhealthyInRange),
];

export const validateMachineHealthCheck = (object: KubeObject, { operation, old }: Admission): FieldError[] => {
  const { spec } = object as MachineHealthCheck;
  if (!spec || operation === 'delete') return [];
  const before = (old as MachineHealthCheck | undefined)?.spec;
  const { selector, clusterName } = spec;
  const fault = selectorFault(selector);
  const selected = selector.matchLabels?.[labels.cluster];
  return [
    ...(fault ? [invalidValue('spec.selector', selector, fault)] : []),
    ...(isEmptySelector(selector) ? [requiredField('spec.selector', 'selector must not be empty')] : []),
    ...(selected !== undefined && selected !== clusterName
      ? [
          invalidValue(
            'spec.selector',
            selector,
            'cannot specify a cluster selector other than the one specified by ClusterName',
          ),
        ]
      : []),
    ...(before && before.clusterName !== clusterName ? [immutable('spec.clusterName')] : []),
    ...annotationErrors(object, old),
    ...validateChecks('spec', spec),
  ];
};

const referencesV1beta1 = validateReferences(['spec.remediationTemplate']);
const durationsV1beta1 = validateDurations([
  'spec.nodeStartupTimeout',
  'spec.unhealthyConditions[].timeout',
  'spec.unhealthyMachineConditions[].timeout',
]);
export const validateMachineHealthCheckV1beta1 = (object: KubeObject): FieldError[] => [
  ...referencesV1beta1(object),
  ...durationsV1beta1(object),
];
