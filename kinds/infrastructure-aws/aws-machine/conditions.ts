/** Conditions of an AWSMachine, with the AWS provider's types and reasons. */
import {
  conditionOf,
  type LegacyDraft,
  legacyFalse,
  legacyTrue,
  legacyUnknown,
  summarizeLegacy,
  withLegacy,
} from '../../../machinery/api/conditions.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { reportOf, specActedOn } from '../aws-cluster/conditions.ts';
import type { AWSMachine } from './schema.ts';

export const instanceReady = 'InstanceReady';
export const securityGroupsReady = 'SecurityGroupsReady';
export const elbAttached = 'ELBAttached';

export const waitingFor = (what: 'ClusterInfrastructure' | 'BootstrapData'): LegacyDraft =>
  legacyFalse(instanceReady, `WaitingFor${what}`, 'Info');
export const waitingForAddress = (message: string): LegacyDraft =>
  legacyFalse(instanceReady, 'WaitingForAddress', 'Info', message);
export const provisionStarted = (message: string): LegacyDraft =>
  legacyFalse(instanceReady, 'InstanceProvisionStarted', 'Info', message);
export const provisionFailed = (message: string): LegacyDraft =>
  legacyFalse(instanceReady, 'InstanceProvisionFailed', 'Error', message);

/** Hints for failures that a user can fix. */
const hints: [RegExp, string][] = [
  [/IAM Instance Profile/i, 'Create the instance profile, or name another in a new AWSMachineTemplate.'],
  [/^InvalidKeyPair/, 'Create the key pair in this region, or name another (or none) in sshKeyName.'],
  [/^InvalidAMIID|image/i, 'Give an image that exists in this region in ami.id, or none to look one up.'],
  [
    /^InvalidIPAddress.InUse/,
    'Something else in the subnet has it: exclude it in the pool (spec.excludedAddresses), then delete the Machine.',
  ],
  [
    /ReservationCapacityExceeded/,
    'It is tried again: raise the reservation, delete what takes it, or allow other capacity in a new AWSMachineTemplate.',
  ],
  [
    /CapacityReservation|capacity reservation/i,
    'Name an active reservation of the instance type, and its zone in failureDomain of the Machine, or none.',
  ],
  [/InvalidInstanceType|InstanceType|instance type/i, 'Choose an instance type that the region and zone have.'],
  [/^InvalidSubnet/, 'Name a subnet that exists, or none to use one of the cluster.'],
  [/^InvalidGroup/, 'Name security groups that exist in the VPC of the machine.'],
  [
    /InsufficientInstanceCapacity/,
    'AWS has none left there now; later times are tried, and other zones where the Machine may be in them.',
  ],
  [/RequestLimitExceeded|Throttl/, 'It is tried again.'],
  [/^MaxSpotInstanceCountExceeded/, 'Raise the spot quota of the account, or use less spot capacity.'],
  [/^SpotMaxPriceTooLow/, 'Raise spotMarketOptions.maxPrice in a new AWSMachineTemplate, or leave it out.'],
  [
    /ServiceLinkedRoleCreationNotPermitted/,
    'Create the service-linked role once: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
  ],
  [/LimitExceeded/, 'Raise the quota of the account, or use less.'],
];

const hintFor = (code: string, message: string): string => {
  const hint = [code, message].flatMap((text) => hints.filter(([pattern]) => pattern.test(text)))[0];
  return hint ? ` ${hint[1]}` : '';
};

export const describeFailure = ({ operation, code, message }: Failure): string =>
  `${operation}: ${code}: ${message}${hintFor(code, message)}`;

/** Why a read failed. The reason contains the error code. */
export const describeReason = (reason: string): string => `${reason}${hintFor('', reason)}`;

/** The condition for an instance state. */
export const stateCondition = ({ State }: Pick<Instance, 'State'>): LegacyDraft => {
  switch (State.Name) {
    case 'pending':
      return legacyFalse(instanceReady, 'InstanceNotReady', 'Warning');
    case 'running':
      return legacyTrue(instanceReady);
    case 'stopping':
    case 'stopped':
      return legacyFalse(instanceReady, 'InstanceStopped', 'Error');
    case 'shutting-down':
    case 'terminated':
      return legacyFalse(instanceReady, 'InstanceTerminated', 'Error');
    default:
      return legacyUnknown(instanceReady, 'InstanceProvisionFailed', `unknown state ${State.Name satisfies never}`);
  }
};

/** All conditions, with `changes` applied and Ready recomputed. */
export const conditionsWith = (
  awsMachine: AWSMachine,
  controlPlane: boolean,
  ...changes: LegacyDraft[]
): LegacyDraft[] => {
  const reported = withLegacy(
    awsMachine.status?.conditions?.filter(({ type }) => type !== 'Ready' && type !== specActedOn),
    ...changes,
  );
  const of = [instanceReady, securityGroupsReady, ...(controlPlane ? [elbAttached] : [])];
  const summary = summarizeLegacy(reported, { of, stepCounter: true, stepCounterIfOnly: of });
  return withLegacy(reported, ...(summary ? [summary] : []), ...reportOf(awsMachine));
};

/** When a condition last changed, in milliseconds; `now` for a new one. */
export const sinceOf = ({ status }: AWSMachine, type: string, now: number): number => {
  const time = conditionOf(status?.conditions, type)?.lastTransitionTime;
  return time ? Date.parse(time) : now;
};
