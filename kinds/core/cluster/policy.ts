/** Validates the annotations with which a user sets the policy of a Cluster's operations. */

import { parseDuration } from '../../../machinery/api/durations.ts';
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type LimitName, limitAnnotations, limitFaults } from '../../common/autoscale/limits.ts';
import { unknownAutoscale } from '../../common/autoscale/unknown.ts';
import { keepOf, mostKept, scheduleAnnotations, scheduleFault } from '../../common/snapshot-schedule.ts';
import { forbiddenField, invalidValue } from '../../common/validate.ts';
import { isInitialized } from '../contract/cluster-status.ts';
import { finalSnapshotAnnotation } from '../contract/final-snapshot.ts';
import { failurePolicies, upgradeFailurePolicies, upgradeSteps } from '../contract/operation.ts';
import { excludedPath, originAnnotations, originFileOf, pathsIn, restoreFromOf } from '../contract/origin.ts';
import { overrideFault } from '../contract/override.ts';
import { policyAnnotations, wasAvailable } from '../contract/target.ts';
import type { Cluster } from './schema.ts';

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

const snapshotName: Check = (field, value) =>
  /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value) && value.length <= 253
    ? []
    : [invalidValue(field, value, 'must be the name of an EtcdSnapshot of this namespace')];

const without: Check = (field, value) =>
  pathsIn(value)
    .filter((path) => !excludedPath.test(path))
    .map((path) => invalidValue(field, path, 'must be paths such as deployments/kube-system/external-dns'));

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
  [finalSnapshotAnnotation]: oneOf('true', 'false'),
  [originAnnotations.restoreFrom]: snapshotName,
  [originAnnotations.restoreWithout]: without,
  [scheduleAnnotations.schedule]: schedule,
  [scheduleAnnotations.keep]: count,
  [policyAnnotations.protected]: oneOf('true', 'false'),
  [policyAnnotations.leaveResources]: oneOf('true', 'false'),
  [limitAnnotations.nodes]: limit('nodes'),
  [limitAnnotations.vCPU]: limit('vCPU'),
  [limitAnnotations.dollarsPerHour]: limit('dollarsPerHour'),
};

/** A cluster begins once: its data would be lost. */
const begunOtherwise = (cluster: KubeObject, old: KubeObject | undefined): FieldError[] => {
  const wanted = restoreFromOf(cluster);
  if (!old || wanted === undefined || wanted === restoreFromOf(old)) return [];
  const hasBegun = originFileOf(old) !== undefined || wasAvailable(old) || isInitialized(old as Cluster);
  return hasBegun
    ? [
        forbiddenField(
          `metadata.annotations[${originAnnotations.restoreFrom}]`,
          'can be set only before the cluster is created; capstan snapshot restore returns an existing cluster to a snapshot of its own',
        ),
      ]
    : [];
};

/**
 * Ignores an invalid value that is already stored, so that a client can still change other fields.
 */
export const validatePolicy = (cluster: KubeObject, old: KubeObject | undefined): FieldError[] => [
  ...begunOtherwise(cluster, old),
  ...unknownAutoscale(cluster, old, Object.values(limitAnnotations)),
  ...Object.entries(checks).flatMap(([name, check]) => {
    const value = cluster.metadata.annotations?.[name];
    if (value === undefined || value === old?.metadata.annotations?.[name]) return [];
    return check(`metadata.annotations[${name}]`, value);
  }),
];
