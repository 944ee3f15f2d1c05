/** Faults of the annotations of a pool that Capstan scales. Pure. */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { alarmFaults } from '../../common/autoscale/alarms.ts';
import { autoscale, boundsOf, poolSettings, size, sizeAnnotations } from '../../common/autoscale/annotations.ts';
import { capacity, capacityAnnotations } from '../../common/autoscale/capacity.ts';
import { consolidateRule, parseConsolidate } from '../../common/autoscale/consolidate.ts';
import { areLabels, areTaints, labelsRule, taintsRule } from '../../common/autoscale/declared.ts';
import { headroomRule, parseHeadroom } from '../../common/autoscale/headroom.ts';
import { scheduleFaults } from '../../common/autoscale/schedule.ts';
import { parseStartupTaints, startupTaintsRule } from '../../common/autoscale/startup-taints.ts';
import { parseQuantity } from '../../common/quantity.ts';
import { invalidValue, requiredField } from '../../common/validate.ts';

export const fieldOf = (annotation: string): string => `metadata.annotations[${annotation}]`;

const validateEnabled = (given: Record<string, string>): FieldError[] => {
  const value = given[autoscale.enabled];
  if (value === undefined || value === 'true' || value === 'false') return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: fieldOf(autoscale.enabled),
      value,
      detail: 'supported values: "false", "true"',
    },
  ];
};

const validateSizes = (given: Record<string, string>, { min, max }: { min: string; max: string }): FieldError[] => {
  const faultOf = (annotation: string): FieldError[] => {
    const value = given[annotation];
    if (value === undefined) return [requiredField(fieldOf(annotation), `${min} and ${max} must be set together`)];
    return size.parse(value) === undefined ? [invalidValue(fieldOf(annotation), value, size.rule)] : [];
  };
  const faults = [min, max].flatMap(faultOf);
  if (faults.length > 0 || Number(given[max]) >= Number(given[min])) return faults;
  return [invalidValue(fieldOf(max), given[max], `must be greater than or equal to ${min}`)];
};

const validateSettings = (given: Record<string, string>): FieldError[] =>
  poolSettings.flatMap(({ annotation, parse, rule }) => {
    const value = given[annotation];
    return value !== undefined && parse(value) === undefined ? [invalidValue(fieldOf(annotation), value, rule)] : [];
  });

const validateCapacity = (given: Record<string, string>): FieldError[] =>
  capacityAnnotations.flatMap((annotation) => {
    const value = given[annotation];
    if (value === undefined || (parseQuantity(value) ?? -1) >= 0) return [];
    return [invalidValue(fieldOf(annotation), value, 'must be a quantity that is not negative, such as 4 or 16Gi')];
  });

/** As kubelets take them in --node-labels and --register-with-taints. */
const validateDeclared = (given: Record<string, string>): FieldError[] => {
  const { [capacity.labels]: labels = '', [capacity.taints]: taints = '' } = given;
  return [
    ...(areLabels(labels) ? [] : [invalidValue(fieldOf(capacity.labels), labels, labelsRule)]),
    ...(areTaints(taints) ? [] : [invalidValue(fieldOf(capacity.taints), taints, taintsRule)]),
  ];
};

const validateSchedule = ({ metadata }: KubeObject): FieldError[] => {
  const text = metadata.annotations?.[autoscale.schedule];
  if (text === undefined) return [];
  return scheduleFaults(text, boundsOf({ metadata })).map(({ at, field, value, detail }) =>
    invalidValue(`${fieldOf(autoscale.schedule)}[${at}]${field ? `.${field}` : ''}`, value, detail),
  );
};

const validateAlarms = ({ metadata }: KubeObject): FieldError[] => {
  const text = metadata.annotations?.[autoscale.alarms];
  if (text === undefined) return [];
  return alarmFaults(text, boundsOf({ metadata })).map(({ at, field, value, detail }) =>
    invalidValue(`${fieldOf(autoscale.alarms)}[${at}]${field ? `.${field}` : ''}`, value, detail),
  );
};

const validateHeadroom = (given: Record<string, string>): FieldError[] => {
  const text = given[autoscale.headroom];
  return text === undefined || parseHeadroom(text)
    ? []
    : [invalidValue(fieldOf(autoscale.headroom), text, headroomRule)];
};

const validateConsolidate = (given: Record<string, string>): FieldError[] => {
  const text = given[autoscale.consolidate];
  return text === undefined || parseConsolidate(text) !== undefined
    ? []
    : [invalidValue(fieldOf(autoscale.consolidate), text, consolidateRule)];
};

const validateStartupTaints = (given: Record<string, string>): FieldError[] => {
  const text = given[autoscale.startupTaints];
  return text === undefined || parseStartupTaints(text)
    ? []
    : [invalidValue(fieldOf(autoscale.startupTaints), text, startupTaintsRule)];
};

const optionsOfPools = [
  autoscale.schedule,
  autoscale.alarms,
  autoscale.headroom,
  autoscale.consolidate,
  autoscale.startupTaints,
];

/** Options of a pool without sizes have no effect, which is a mistake unless it opted out. */
const validateOptedOut = (given: Record<string, string>): FieldError[] => {
  const option = optionsOfPools.find((name) => given[name] !== undefined);
  if (option === undefined || given[autoscale.enabled] === 'false') return [];
  return [requiredField(fieldOf(autoscale.min), `${option} is an option of a pool with sizes`)];
};

/** Of all but its sizes. */
export const optionFaults = (object: KubeObject): FieldError[] => {
  const { annotations: given = {} } = object.metadata;
  return [
    ...validateSettings(given),
    ...validateCapacity(given),
    ...validateDeclared(given),
    ...validateSchedule(object),
    ...validateAlarms(object),
    ...validateHeadroom(given),
    ...validateConsolidate(given),
    ...validateStartupTaints(given),
  ];
};

/**
 * cluster-autoscaler ignores options that it cannot parse, so only pools that opted in are checked.
 * `whole`: the pool with the settings that its ScalingPlan adds.
 */
export const validateAutoscale = (object: KubeObject, whole = object): FieldError[] => {
  const { annotations: given = {} } = object.metadata;
  const named = sizeAnnotations(object);
  return [
    ...validateEnabled(given),
    ...(named ? validateSizes(given, named) : []),
    ...(sizeAnnotations(whole) ? optionFaults(whole) : validateOptedOut(given)),
  ];
};
