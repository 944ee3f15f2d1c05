/** Validates the annotations with which a user sets the policy of a Cluster's operations. */

import { parseDuration } from '../../../machinery/api/durations.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type LimitName, limitAnnotations, limitFaults } from '../../common/autoscale/limits.ts';
import { unknownAutoscale } from '../../common/autoscale/unknown.ts';
import { keepOf, mostKept, scheduleAnnotations, scheduleFault } from '../../common/snapshot-schedule.ts';
import { invalidValue } from '../../common/validate.ts';
import { failurePolicies, upgradeFailurePolicies, upgradeSteps } from '../contract/operation.ts';
import { overrideFault } from '../contract/override.ts';
import { policyAnnotations } from '../contract/target.ts';

type Check = (field: string, value: string) => FieldError[];

/** Go's longest duration. A longer value is not a valid duration, and would overflow a date. */
const longest = 2 ** 63 / 1e9;

const duration =
  (isAllowed: (seconds: number) => boolean, rule: string): Check =>
  (field, value) => {
    const seconds = parseDuration(value);
    if (seconds === undefined || seconds >= longest)
      return [invalidValue(field, value, 'must be a duration such as 1h30m')];
    return isAllowed(seconds) ? [] : [invalidValue(field, value, rule)];
  };
const positiveDuration = duration((seconds) => seconds > 0, 'must be greater than 0');
const notNegativeDuration = duration((seconds) => seconds >= 0, 'must not be negative');

const oneOf =
  (...supported: string[]): Check =>
  (field, value) => {
    if (supported.includes(value)) return [];
    const detail = `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`;
    return [{ reason: 'FieldValueNotSupported', field, value, detail }];
  };

const listOf =
  (...supported: string[]): Check =>
  (field, value) =>
    value
      .split(',')
      .map((one) => one.trim())
      .flatMap((one) => oneOf(...supported)(field, one));

const schedule: Check = (field, value) => {
  const fault = scheduleFault(value);
  return fault === undefined ? [] : [invalidValue(field, value, fault)];
};
const count: Check = (field, value) =>
  keepOf(value) === undefined ? [invalidValue(field, value, `must be a number from 1 to ${mostKept}`)] : [];

const limit =
  (name: LimitName): Check =>
  (field, value) =>
    limitFaults(name, field, value);

const override: Check = (field, value) => {
  const fault = overrideFault(value);
  return fault === undefined ? [] : [invalidValue(field, value, fault)];
};

const checks: Record<string, Check> = {
  [policyAnnotations.createDeadline]: positiveDuration,
  [policyAnnotations.onCreateFailure]: oneOf(...failurePolicies),
  [policyAnnotations.upgradeDeadline]: positiveDuration,
  [policyAnnotations.restoreDeadline]: positiveDuration,
  [policyAnnotations.upgradeSoak]: notNegativeDuration,
  [policyAnnotations.upgradePause]: listOf(...upgradeSteps),
  [policyAnnotations.onUpgradeFailure]: oneOf(...upgradeFailurePolicies),
  [policyAnnotations.upgradeRollback]: oneOf('Guarded'),
  [policyAnnotations.override]: override,
  [scheduleAnnotations.schedule]: schedule,
  [scheduleAnnotations.keep]: count,
  [policyAnnotations.protected]: oneOf('true', 'false'),
  [policyAnnotations.leaveResources]: oneOf('true', 'false'),
  [limitAnnotations.nodes]: limit('nodes'),
  [limitAnnotations.vCPU]: limit('vCPU'),
  [limitAnnotations.dollarsPerHour]: limit('dollarsPerHour'),
};

/**
 * Ignores an invalid value that is already stored, so that a client can still change other fields.
 */
export const validatePolicy = (cluster: KubeObject, old: KubeObject | undefined): FieldError[] => [
  ...unknownAutoscale(cluster, old, Object.values(limitAnnotations)),
  ...Object.entries(checks).flatMap(([name, check]) => {
    const value = cluster.metadata.annotations?.[name];
    if (value === undefined || value === old?.metadata.annotations?.[name]) return [];
    return check(`metadata.annotations[${name}]`, value);
  }),
];
