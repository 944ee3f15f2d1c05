/** Decoders of Auto Scaling groups. */
import type * as sdk from '@aws-sdk/client-auto-scaling';
import type * as port from '../../../kinds/ports/cloud/index.ts';
import { flag, list, listIfAny, number, optional, record, text, textIfAny, time } from './decode.ts';

const template = record<sdk.LaunchTemplateSpecification, port.LaunchTemplateSpecification>({
  LaunchTemplateId: text,
  Version: text,
});

const mixedInstancesPolicy = record<sdk.MixedInstancesPolicy, port.MixedInstancesPolicy>({
  LaunchTemplate: record<sdk.LaunchTemplate, port.MixedInstancesPolicy['LaunchTemplate']>({
    LaunchTemplateSpecification: template,
    Overrides: listIfAny(record<sdk.LaunchTemplateOverrides, { InstanceType: string }>({ InstanceType: text })),
  }),
  InstancesDistribution: optional(
    record<sdk.InstancesDistribution, NonNullable<port.MixedInstancesPolicy['InstancesDistribution']>>({
      OnDemandAllocationStrategy: textIfAny,
      OnDemandBaseCapacity: optional(number),
      OnDemandPercentageAboveBaseCapacity: optional(number),
      SpotAllocationStrategy: textIfAny,
    }),
  ),
});

const instance = record<sdk.Instance, port.GroupInstance>({
  InstanceId: text,
  InstanceType: text,
  AvailabilityZone: text,
  LifecycleState: text,
  HealthStatus: text,
  LaunchTemplate: optional(
    record<sdk.LaunchTemplateSpecification, NonNullable<port.GroupInstance['LaunchTemplate']>>({
      LaunchTemplateId: text,
      LaunchTemplateName: textIfAny,
      Version: text,
    }),
  ),
  ProtectedFromScaleIn: flag,
});

const tag = record<sdk.TagDescription, port.GroupTag>({
  ResourceId: text,
  ResourceType: text,
  Key: text,
  Value: text,
  PropagateAtLaunch: flag,
});

export const group = record<sdk.AutoScalingGroup, port.AutoScalingGroup>({
  AutoScalingGroupName: text,
  AutoScalingGroupARN: text,
  LaunchTemplate: optional(template),
  MixedInstancesPolicy: optional(mixedInstancesPolicy),
  MinSize: number,
  MaxSize: number,
  DesiredCapacity: number,
  DefaultCooldown: number,
  DefaultInstanceWarmup: optional(number),
  AvailabilityZones: list(text),
  VPCZoneIdentifier: text,
  CapacityRebalance: optional(flag),
  Instances: list(instance),
  SuspendedProcesses: list(record<sdk.SuspendedProcess, { ProcessName: string }>({ ProcessName: text })),
  Tags: list(tag),
  Status: textIfAny,
});

export const hook = record<sdk.LifecycleHook, port.LifecycleHook>({
  LifecycleHookName: text,
  LifecycleTransition: text,
  DefaultResult: text,
  HeartbeatTimeout: number,
  NotificationMetadata: textIfAny,
  NotificationTargetARN: textIfAny,
  RoleARN: textIfAny,
});

export const refresh = record<sdk.InstanceRefresh, port.InstanceRefresh>({
  InstanceRefreshId: text,
  AutoScalingGroupName: text,
  Status: text,
  StatusReason: textIfAny,
  PercentageComplete: optional(number),
  StartTime: optional(time),
  EndTime: optional(time),
});

export const activity = record<sdk.Activity, port.ScalingActivity>({
  ActivityId: text,
  Description: text,
  Cause: text,
  StatusCode: text,
  StatusMessage: textIfAny,
  StartTime: time,
});
