/** Auto Scaling groups, their instances, lifecycle hooks and instance refreshes. */
import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter } from '../shared.ts';

/** `Version`: a number, `$Latest` or `$Default`. */
export type LaunchTemplateSpecification = { LaunchTemplateId: string; Version: string };
export type MixedInstancesPolicy = {
  LaunchTemplate: {
    LaunchTemplateSpecification: LaunchTemplateSpecification;
    Overrides?: { InstanceType: string }[];
  };
  InstancesDistribution?: {
    OnDemandAllocationStrategy?: string;
    OnDemandBaseCapacity?: number;
    /** Percent. */
    OnDemandPercentageAboveBaseCapacity?: number;
    SpotAllocationStrategy?: string;
  };
};
/** The group's own tags; those with `PropagateAtLaunch` go to its instances, too. */
export type GroupTag = {
  ResourceId: string;
  ResourceType: 'auto-scaling-group';
  Key: string;
  Value: string;
  PropagateAtLaunch: boolean;
};
export type GroupInstanceState =
  | 'Pending'
  | 'Pending:Wait'
  | 'Pending:Proceed'
  | 'InService'
  | 'Terminating'
  | 'Terminating:Wait'
  | 'Terminating:Proceed'
  | 'Terminated';
export type GroupInstance = {
  InstanceId: string;
  InstanceType: string;
  AvailabilityZone: string;
  LifecycleState: GroupInstanceState;
  HealthStatus: 'Healthy' | 'Unhealthy';
  LaunchTemplate?: { LaunchTemplateId: string; LaunchTemplateName?: string; Version: string };
  ProtectedFromScaleIn: boolean;
};
export type AutoScalingGroup = {
  AutoScalingGroupName: string;
  AutoScalingGroupARN: string;
  LaunchTemplate?: LaunchTemplateSpecification;
  MixedInstancesPolicy?: MixedInstancesPolicy;
  MinSize: number;
  MaxSize: number;
  DesiredCapacity: number;
  /** Seconds. */
  DefaultCooldown: number;
  DefaultInstanceWarmup?: number;
  AvailabilityZones: string[];
  /** Subnets, separated by commas. */
  VPCZoneIdentifier: string;
  CapacityRebalance?: boolean;
  Instances: GroupInstance[];
  SuspendedProcesses: { ProcessName: string }[];
  Tags: GroupTag[];
  /** `Delete in progress` after a request to delete it, and absent before. */
  Status?: string;
};
export type LifecycleTransition = 'autoscaling:EC2_INSTANCE_LAUNCHING' | 'autoscaling:EC2_INSTANCE_TERMINATING';
export type LifecycleHook = {
  LifecycleHookName: string;
  LifecycleTransition: LifecycleTransition;
  DefaultResult: 'ABANDON' | 'CONTINUE';
  /** Seconds, 30 to 7200. */
  HeartbeatTimeout: number;
  NotificationMetadata?: string;
  NotificationTargetARN?: string;
  RoleARN?: string;
};
export type RefreshStatus = 'Pending' | 'InProgress' | 'Successful' | 'Failed' | 'Cancelling' | 'Cancelled';
export type RefreshPreferences = {
  /** Percent. */
  MinHealthyPercentage?: number;
  MaxHealthyPercentage?: number;
  /** Seconds. */
  InstanceWarmup?: number;
};
export type InstanceRefresh = {
  InstanceRefreshId: string;
  AutoScalingGroupName: string;
  Status: RefreshStatus;
  StatusReason?: string;
  PercentageComplete?: number;
  /** RFC 3339. */
  StartTime?: string;
  EndTime?: string;
};
export type ScalingActivity = {
  ActivityId: string;
  Description: string;
  Cause: string;
  StatusCode: 'InProgress' | 'Successful' | 'Failed' | 'Cancelled' | 'MidLifecycleAction';
  /** AWS's message about a failed launch, such as that of InsufficientInstanceCapacity. */
  StatusMessage?: string;
  /** RFC 3339. */
  StartTime: string;
};
export type GroupSizes = { MinSize: number; MaxSize: number; DesiredCapacity?: number };

export interface AutoScalingGroupActions {
  /** Names that do not exist are left out. Pages of 50, of at most 100 with `MaxRecords`. */
  DescribeAutoScalingGroups: [
    { AutoScalingGroupNames?: string[]; Filters?: Filter[]; MaxRecords?: number; NextToken?: string },
    { AutoScalingGroups: AutoScalingGroup[]; NextToken?: string },
  ];
  CreateAutoScalingGroup: [
    GroupSizes & {
      AutoScalingGroupName: string;
      LaunchTemplate?: LaunchTemplateSpecification;
      MixedInstancesPolicy?: MixedInstancesPolicy;
      VPCZoneIdentifier: string;
      DefaultCooldown?: number;
      DefaultInstanceWarmup?: number;
      CapacityRebalance?: boolean;
      LifecycleHookSpecificationList?: LifecycleHook[];
      Tags: GroupTag[];
    },
    Empty,
  ];
  UpdateAutoScalingGroup: [
    Partial<GroupSizes> & {
      AutoScalingGroupName: string;
      LaunchTemplate?: LaunchTemplateSpecification;
      MixedInstancesPolicy?: MixedInstancesPolicy;
      VPCZoneIdentifier?: string;
      DefaultCooldown?: number;
      DefaultInstanceWarmup?: number;
      CapacityRebalance?: boolean;
    },
    Empty,
  ];
  /** With `ForceDelete`, its instances are terminated without waiting for their hooks. */
  DeleteAutoScalingGroup: [{ AutoScalingGroupName: string; ForceDelete?: boolean }, Empty];
  TerminateInstanceInAutoScalingGroup: [
    { InstanceId: string; ShouldDecrementDesiredCapacity: boolean },
    { Activity?: ScalingActivity },
  ];
  SuspendProcesses: [{ AutoScalingGroupName: string; ScalingProcesses: string[] }, Empty];
  ResumeProcesses: [{ AutoScalingGroupName: string; ScalingProcesses: string[] }, Empty];
  CreateOrUpdateTags: [{ Tags: GroupTag[] }, Empty];
  DeleteTagsOfGroup: [{ Tags: Omit<GroupTag, 'Value' | 'PropagateAtLaunch'>[] }, Empty];
  DescribeLifecycleHooks: [{ AutoScalingGroupName: string }, { LifecycleHooks: LifecycleHook[] }];
  PutLifecycleHook: [LifecycleHook & { AutoScalingGroupName: string }, Empty];
  DeleteLifecycleHook: [{ AutoScalingGroupName: string; LifecycleHookName: string }, Empty];
  CompleteLifecycleAction: [
    {
      AutoScalingGroupName: string;
      LifecycleHookName: string;
      InstanceId: string;
      LifecycleActionResult: 'CONTINUE' | 'ABANDON';
    },
    Empty,
  ];
  /** Starts the heartbeat timeout again. */
  RecordLifecycleActionHeartbeat: [
    { AutoScalingGroupName: string; LifecycleHookName: string; InstanceId: string },
    Empty,
  ];
  StartInstanceRefresh: [
    { AutoScalingGroupName: string; Strategy: 'Rolling'; Preferences?: RefreshPreferences },
    { InstanceRefreshId: string },
  ];
  CancelInstanceRefresh: [{ AutoScalingGroupName: string }, { InstanceRefreshId?: string }];
  /** The newest first. */
  DescribeInstanceRefreshes: [
    { AutoScalingGroupName: string; MaxRecords?: number },
    { InstanceRefreshes: InstanceRefresh[] },
  ];
  DescribeScalingActivities: [{ AutoScalingGroupName: string; MaxRecords?: number }, { Activities: ScalingActivity[] }];
}

const ours = ['autoScalingGroup'] as const;

// Auto Scaling checks that the caller may launch by the template. An account's first group creates the
// service-linked role.
const launches = ['ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole'] as const;

export const autoScalingGroupCalls = {
  DescribeAutoScalingGroups: {},
  CreateAutoScalingGroup: { also: [...launches, 'iam:CreateServiceLinkedRole'], makes: ['autoScalingGroup'] },
  UpdateAutoScalingGroup: { also: launches, ours },
  DeleteAutoScalingGroup: { ours },
  TerminateInstanceInAutoScalingGroup: { ours },
  SuspendProcesses: { ours },
  ResumeProcesses: { ours },
  CreateOrUpdateTags: { ours },
  DeleteTagsOfGroup: { iam: 'autoscaling:DeleteTags', ours },
  DescribeLifecycleHooks: {},
  PutLifecycleHook: { ours },
  DeleteLifecycleHook: { ours },
  CompleteLifecycleAction: { ours },
  RecordLifecycleActionHeartbeat: { ours },
  StartInstanceRefresh: { ours },
  CancelInstanceRefresh: { ours },
  DescribeInstanceRefreshes: {},
  DescribeScalingActivities: {},
} as const satisfies Calls<AutoScalingGroupActions>;

export const autoScalingGroups = list('DescribeAutoScalingGroups', 'AutoScalingGroupName', {
  type: 'autoScalingGroup',
  pageSize: undefined,
});
