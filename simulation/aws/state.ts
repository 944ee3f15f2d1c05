/** The state that every action uses. */
import type { CloudAction, CloudActions } from '../../kinds/ports/cloud/index.ts';
import type { Clock, Random } from '../../machinery/ports.ts';
import type { Guests, Network, Records } from '../ports.ts';
import type { AlarmRecord } from './alarm.ts';
import type { Behaviour } from './behaviour.ts';
import type { Collections } from './collections.ts';
import type { Faults } from './faults.ts';
import type { Directory } from './sts.ts';
import type { SubnetAddresses } from './subnet-addresses.ts';
import type { Timers } from './timers.ts';

/** EC2's notice that it is going to take an instance away, or might. */
export type InstanceNotice = {
  reason: 'SpotInterruption' | 'RebalanceRecommendation';
  at: number;
  /** When the instance ends; absent if that is open. */
  deadline?: number;
};
/** A new state, or a notice. */
export type InstanceChange = { region: string; instanceId: string; state?: string; notice?: InstanceNotice };

/** An alarm has another state, which only a read tells. */
export type AlarmChange = { region: string; alarmName: string };

/** What EventBridge reports about an Auto Scaling group, with its fields. */
export type GroupChange = {
  region: string;
  /** EventBridge's type, such as `EC2 Instance-launch Lifecycle Action`. */
  type: string;
  detail: { AutoScalingGroupName: string; EC2InstanceId?: string } & Record<string, unknown>;
};

export interface AccountState extends Collections {
  accountId: string;
  clock: Clock;
  random: Random;
  network: Network;
  guests: Guests;
  speed: number;
  behaviour: Behaviour;
  onInstanceChange: (event: InstanceChange) => void;
  onAlarmChange: (event: AlarmChange) => void;
  onGroupChange: (event: GroupChange) => void;
  /** Called at once for every new state of an instance, and every notice. */
  afterInstanceChange: (instanceId: string) => void;
  afterNotice: (instanceId: string) => void;
  timers: Timers;
  faults: Faults;
  subnetAddresses: SubnetAddresses;
  /** The roles and sessions of all accounts. */
  directory: Directory;
  /** Removed instance types, images, profiles, key pairs and pools. */
  removed: Records<true>;
  /** Added profiles and key pairs. */
  added: Records<true>;
  /** By region and market: virtual CPUs of all instances that are not terminated. */
  vcpusInUse: Map<string, number>;
  nextSeq(): number;

  /**
   * Client tokens of launches without an instance record: refused for capacity, or no longer
   * visible.
   */
  launchTokens: Records<LaunchToken>;
  /** By region and name. */
  alarms: Records<AlarmRecord>;
}

export interface LaunchToken {
  parameters: string;
  /** There was an instance, and it is terminated. */
  spent: boolean;
}

/** One request: account, region and time. */
export interface Call {
  account: AccountState;
  region: string;
  now: number;
  /** The ARNs of who calls, and of the role that it has. */
  caller: { arn: string; role: string };
}

export type Handler<A extends CloudAction> = (call: Call, input: CloudActions[A][0]) => CloudActions[A][1];
export type Handlers = { [A in CloudAction]?: Handler<A> };

/**
 * A delay of the real service at this account's speed, in whole milliseconds, the resolution of
 * clocks.
 */
export const scaled = (account: AccountState, ms: number): number => Math.ceil(ms / account.speed);
