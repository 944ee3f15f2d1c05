/** Conditions of an AWSMachinePool, with the AWS provider's types and reasons. */
import { type LegacyDraft, legacyFalse, summarizeLegacy, withLegacy } from '../../../machinery/api/conditions.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { reportOf, specActedOn } from '../aws-cluster/conditions.ts';
import type { AWSMachinePool, AWSMachinePoolStatus } from './schema.ts';

export const asgReady = 'ASGReady';
export const launchTemplateReady = 'LaunchTemplateReady';
export const preUpdateCheck = 'PreLaunchTemplateUpdateCheckSuccess';
export const postUpdate = 'PostLaunchTemplateUpdateOperationSuccess';
export const refreshStarted = 'InstanceRefreshStarted';
export const lifecycleHookReady = 'LifecycleHookReady';
/** Capstan's own reason: the template stays while hosts of the version could not join. */
export const waitingForControlPlane = 'WaitingForControlPlane';
/** Capstan's own: False with AWS's words while a launch fails. */
export const instancesLaunched = 'InstancesLaunched';

const summed = [asgReady, launchTemplateReady, lifecycleHookReady, instancesLaunched, refreshStarted];

/** All conditions, with `changes` applied and Ready recomputed. */
export const conditionsWith = (pool: AWSMachinePool, ...changes: LegacyDraft[]): LegacyDraft[] => {
  const reported = withLegacy(
    (pool.status?.conditions as LegacyDraft[] | undefined)?.filter(
      ({ type }) => type !== 'Ready' && type !== specActedOn,
    ),
    ...changes,
  );
  const summary = summarizeLegacy(reported.filter(({ type }) => summed.includes(type)));
  return withLegacy(reported, ...(summary ? [summary] : []), ...reportOf(pool));
};

export const report = (
  pool: AWSMachinePool,
  changes: readonly LegacyDraft[],
  more: Partial<AWSMachinePoolStatus> = {},
): AWSMachinePoolStatus => ({
  ...pool.status,
  ...more,
  conditions: conditionsWith(pool, ...changes) as NonNullable<AWSMachinePoolStatus['conditions']>,
});

/** Hints for failures that a user can mend. */
const hints: [RegExp, string][] = [
  [/IAM Instance Profile|iamInstanceProfile/i, 'Create the instance profile, or name another one.'],
  [/KeyPair|key pair/i, 'Create the key pair in this region, or name another one (or none) in sshKeyName.'],
  [/ReservationCapacityExceeded/, 'Raise the reservation, or delete what takes it.'],
  [/InvalidAMIID|\bami-/i, 'Name an image that exists in this region in ami.id, or none to look one up.'],
  [/CapacityReservation|capacity reservation/i, 'Name an active reservation of the instance type and its zone.'],
  [
    /InsufficientInstanceCapacity|sufficient .*capacity/i,
    'Auto Scaling tries again: allow other types in mixedInstancesPolicy.overrides, or other zones.',
  ],
  [/MaxSpotInstanceCount/, 'Raise the spot quota of the account, or use less spot capacity.'],
  [/SpotMaxPriceTooLow/, 'Raise spotMarketOptions.maxPrice, or leave it out.'],
  [/VcpuLimitExceeded|LimitExceeded|more vCPU/i, 'Raise the quota of the account, or use less.'],
  [/instance type/i, 'Choose an instance type that the region and its zones have.'],
  [/AccessDenied|Unauthorized|not authorized/i, 'Deploy with --context machinePools=true.'],
];
export const withHint = (text: string): string => {
  const hint = hints.find(([pattern]) => pattern.test(text));
  return hint ? `${text} ${hint[1]}` : text;
};

export const describeFailure = ({ operation, code, message }: Failure): string =>
  withHint(`${operation}: ${code}: ${message}`);

const about: [RegExp, (failure: Failure) => [type: string, reason: string]][] = [
  [
    /LaunchTemplate|Secret/,
    ({ operation }) =>
      operation === 'CreateLaunchTemplate'
        ? [launchTemplateReady, 'LaunchTemplateCreateFailed']
        : [launchTemplateReady, 'LaunchTemplateReconcileFailed'],
  ],
  [/^PutLifecycleHook/, () => [lifecycleHookReady, 'LifecycleHookUpdateFailed']],
  [/^DeleteLifecycleHook/, () => [lifecycleHookReady, 'LifecycleHookDeletionFailed']],
  [/InstanceRefresh/, () => [refreshStarted, 'InstanceRefreshFailed']],
];

/** The condition that a failed call belongs to. */
export const failedCondition = (failure: Failure): LegacyDraft => {
  const [, named] = about.find(([pattern]) => pattern.test(failure.operation)) ?? [];
  const [type, reason] = named?.(failure) ?? [asgReady, 'ASGProvisionFailed'];
  return legacyFalse(type, reason, 'Error', describeFailure(failure));
};
