/** What core reads from the ClusterOperation that a Cluster names. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';

export const operationTypes = ['create', 'upgrade', 'restore', 'delete'] as const;
export const failurePolicies = ['TearDown', 'Hold', 'Retry'] as const;
export const upgradeFailurePolicies = ['RollBack', 'Hold', 'Retry'] as const;
/** The steps of an upgrade, in order; users name them to pause before one. */
export const upgradeSteps = [
  'Preflight',
  'Snapshot',
  'ControlPlaneFirst',
  'SoakControlPlane',
  'ControlPlane',
  'AddOns',
  'WorkersCanary',
  'SoakWorkers',
  'Workers',
  'Verify',
] as const;
/** The steps of a restore, in order. */
export const restoreSteps = ['Preflight', 'StopMembers', 'RestoreFirst', 'Join', 'Verify'] as const;
/** Paused: it goes on when a user says so; its steps stand still. */
export const phases = [
  'Pending',
  'Running',
  'Paused',
  'Succeeded',
  'Held',
  'TornDown',
  'RolledBack',
  'Cancelled',
] as const;
export const verdicts = [
  'Running',
  'Succeeded',
  'Refused',
  'DeadlineExceeded',
  'Cancelled',
  'Failed',
  'Paused',
] as const;

export type OperationType = (typeof operationTypes)[number];
export type FailurePolicy = (typeof failurePolicies)[number];
export type UpgradeFailurePolicy = (typeof upgradeFailurePolicies)[number];
export type UpgradeStep = (typeof upgradeSteps)[number];
export type RestoreStep = (typeof restoreSteps)[number];
export type Phase = (typeof phases)[number];
export type Verdict = (typeof verdicts)[number];

export type OperationReport = KubeObject<
  { type: OperationType; cancel?: boolean },
  { phase?: Phase; message?: string; step?: string; late?: boolean }
>;

/** True on a Cluster whose last upgrade or restore is held, or did not succeed; absent otherwise. */
export const operationStopped = 'OperationStopped';

/** Why the cluster's last upgrade or restore did not succeed; undefined if it did, or runs. */
export const refusalOf = ({ status }: KubeObject): string | undefined => {
  const condition = conditionOf((status as { conditions?: Condition[] } | undefined)?.conditions, operationStopped);
  return condition?.status === 'True' ? condition.message : undefined;
};
