/** Auto Scaling groups: their records, and what is read from them. */
import type {
  AutoScalingGroup,
  CloudInput,
  GroupInstance,
  GroupInstanceState,
  GroupTag,
  InstanceRefresh,
  LifecycleHook,
  LifecycleTransition,
  RefreshPreferences,
  RefreshStatus,
  ScalingActivity,
} from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { validationError } from './errors.ts';
import { partitionOf } from './regions.ts';
import type { AccountState, Call } from './state.ts';

/** A lifecycle action that an instance waits for. */
export interface PendingAction {
  hook: string;
  token: string;
  /** When its heartbeat times out. */
  deadline: number;
  /** No heartbeat moves the deadline past this time. */
  latest: number;
  result?: 'CONTINUE' | 'ABANDON';
}

export interface GroupMember {
  instanceId: string;
  type: string;
  zone: string;
  market?: 'spot';
  template: { id: string; name: string; version: number };
  state: GroupInstanceState;
  launched: number;
  inService?: number;
  health: GroupInstance['HealthStatus'];
  /** When the group's health check finds that the instance has failed. */
  failing?: number;
  /** When it leaves a state that ends by itself. */
  until?: number;
  actions?: PendingAction[];
  /** Why its replacement is launched before it is terminated. */
  rebalanced?: 'spot' | 'zone';
  /** The activity that launches or terminates it. */
  activity: string;
}

export interface ActivityRecord {
  id: string;
  description: string;
  cause: string;
  status: ScalingActivity['StatusCode'];
  message?: string;
  started: number;
  ended?: number;
}

export interface RefreshRecord {
  id: string;
  status: RefreshStatus;
  reason?: string;
  preferences: Pick<RefreshPreferences, 'MaxHealthyPercentage'> & {
    MinHealthyPercentage: number;
    /** Milliseconds. */
    warmup: number;
  };
  started: number;
  ended?: number;
  /** How many instances it replaces. */
  total: number;
  replaced: number;
  /** The last time that it came closer to its end. */
  advanced: number;
}

export type GroupSettings = Pick<
  CloudInput<'CreateAutoScalingGroup'>,
  | 'LaunchTemplate'
  | 'MixedInstancesPolicy'
  | 'MinSize'
  | 'MaxSize'
  | 'VPCZoneIdentifier'
  | 'DefaultInstanceWarmup'
  | 'CapacityRebalance'
> & { DesiredCapacity: number; DefaultCooldown: number };

export interface GroupRecord extends Stored {
  name: string;
  settings: GroupSettings;
  /** Keys of the tags that its instances get. */
  propagated: string[];
  hooks: LifecycleHook[];
  suspended: string[];
  members: GroupMember[];
  /** The newest first. */
  activities: ActivityRecord[];
  /** The newest first. */
  refreshes: RefreshRecord[];
  /** It launches and terminates nothing before this time. */
  reacts: number;
  /** It launches nothing before this time. */
  retries: number;
  /** When a zone last had no capacity for it. */
  short?: Record<string, number>;
  /** Why its desired capacity changed last, for the causes of its activities. */
  changed?: string;
  deleting?: true;
}

export const autoScalingGroups: CollectionOf<GroupRecord> = {
  name: 'auto-scaling-groups',
  indexes: {
    'auto-scaling-group': ({ name }) => [name],
    instance: ({ members }) => members.map(({ instanceId }) => instanceId),
  },
};

/** AWS's own tag, by which an instance names its group. */
export const groupNameTag = 'aws:autoscaling:groupName';

/** Instances that the group keeps or is launching. */
export const isLive = ({ state }: GroupMember): boolean => !state.startsWith('Terminat');
export const liveMembers = ({ members }: GroupRecord): GroupMember[] => members.filter(isLive);

export const isSuspended = ({ suspended }: GroupRecord, process: string): boolean => suspended.includes(process);

export const hooksFor = ({ hooks }: GroupRecord, transition: LifecycleTransition): LifecycleHook[] =>
  hooks.filter(({ LifecycleTransition }) => LifecycleTransition === transition);

const activeRefresh: readonly RefreshStatus[] = ['Pending', 'InProgress', 'Cancelling'];
/** At most one is active. */
export const refreshOf = ({ refreshes }: GroupRecord): RefreshRecord | undefined =>
  refreshes[0] && activeRefresh.includes(refreshes[0].status) ? refreshes[0] : undefined;

/** In the order of the group. */
export const subnetIdsOf = ({ VPCZoneIdentifier }: Pick<GroupSettings, 'VPCZoneIdentifier'>): string[] =>
  VPCZoneIdentifier.split(',')
    .map((id) => id.trim())
    .filter(Boolean);

export const zonesOfGroup = ({ subnets }: AccountState, { settings }: GroupRecord): string[] => [
  ...new Set(subnetIdsOf(settings).flatMap((id) => subnets.get(id)?.zone ?? [])),
];

export const groupArn = ({ accountId }: AccountState, { region, id, name }: GroupRecord): string =>
  `arn:${partitionOf(region)}:autoscaling:${region}:${accountId}:autoScalingGroup:${id}:autoScalingGroupName/${name}`;

export const findGroup = ({ account, region }: Call, name: string): GroupRecord | undefined =>
  account.autoScalingGroups.by('auto-scaling-group', name).find((group) => group.region === region);

export const groupNamed = (call: Call, name: string): GroupRecord =>
  findGroup(call, name) ?? validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);

/** For calls that change a group. */
export const changeableGroup = (call: Call, name: string): GroupRecord => {
  const group = groupNamed(call, name);
  if (group.deleting) validationError('The AutoScaling group may not be modified while it is pending delete');
  return group;
};

/** The group that an instance belongs to, with what the group knows of it. */
export const memberNamed = (call: Call, instanceId: string): { group: GroupRecord; member: GroupMember } => {
  const [group] = call.account.autoScalingGroups.by('instance', instanceId);
  const member = group?.members.find((one) => one.instanceId === instanceId);
  return group?.region === call.region && member
    ? { group, member }
    : validationError(`Instance Id not found - No managed instance found for instance ID: ${instanceId}`);
};

export const timeText = (time: number): string => new Date(time).toISOString();

export const groupTags = ({ name, tags, propagated }: GroupRecord): GroupTag[] =>
  Object.entries(tags).map(([Key, Value]) => ({
    ResourceId: name,
    ResourceType: 'auto-scaling-group',
    Key,
    Value,
    PropagateAtLaunch: propagated.includes(Key),
  }));

const viewMember = (member: GroupMember): GroupInstance => ({
  InstanceId: member.instanceId,
  InstanceType: member.type,
  AvailabilityZone: member.zone,
  LifecycleState: member.state,
  HealthStatus: member.health,
  LaunchTemplate: {
    LaunchTemplateId: member.template.id,
    LaunchTemplateName: member.template.name,
    Version: String(member.template.version),
  },
  ProtectedFromScaleIn: false,
});

export const viewGroup = (account: AccountState, group: GroupRecord): AutoScalingGroup => ({
  AutoScalingGroupName: group.name,
  AutoScalingGroupARN: groupArn(account, group),
  ...group.settings,
  AvailabilityZones: zonesOfGroup(account, group),
  Instances: group.members.map(viewMember),
  SuspendedProcesses: group.suspended.map((ProcessName) => ({ ProcessName })),
  Tags: groupTags(group),
  ...(group.deleting && { Status: 'Delete in progress' }),
});

export const viewActivity = (activity: ActivityRecord): ScalingActivity => ({
  ActivityId: activity.id,
  Description: activity.description,
  Cause: activity.cause,
  StatusCode: activity.status,
  ...(activity.message && { StatusMessage: activity.message }),
  StartTime: timeText(activity.started),
});

export const viewRefresh = ({ name }: GroupRecord, refresh: RefreshRecord): InstanceRefresh => ({
  InstanceRefreshId: refresh.id,
  AutoScalingGroupName: name,
  Status: refresh.status,
  ...(refresh.reason && { StatusReason: refresh.reason }),
  PercentageComplete: refresh.total === 0 ? 100 : Math.floor((refresh.replaced / refresh.total) * 100),
  StartTime: timeText(refresh.started),
  ...(refresh.ended !== undefined && { EndTime: timeText(refresh.ended) }),
});
