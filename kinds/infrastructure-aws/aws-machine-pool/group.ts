/** The Auto Scaling group that a pool asks for, and what differs from it. Pure. */
import { parseDuration } from '../../../machinery/api/durations.ts';
import { equal } from '../../../machinery/api/merge.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { AutoScalingGroup, CloudInput, GroupTag, MixedInstancesPolicy } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { hooksOf } from './hooks.ts';
import type { AWSMachinePoolSpec } from './schema.ts';

export interface Wanted {
  name: string;
  spec: AWSMachinePoolSpec;
  launchTemplateId: string;
  /** Ids. */
  subnets: readonly string[];
  /** Of the MachinePool. */
  replicas: number;
  /** Another program scales the group. */
  isScaledByOthers: boolean;
  tags: Record<string, string>;
}

const launchTemplateOf = ({ launchTemplateId }: Wanted) => ({ LaunchTemplateId: launchTemplateId, Version: '$Latest' });

const mixedOf = (wanted: Wanted): MixedInstancesPolicy | undefined => {
  const { mixedInstancesPolicy: given } = wanted.spec;
  if (!given) return undefined;
  const { overrides = [], instancesDistribution: distribution } = given;
  return {
    LaunchTemplate: {
      LaunchTemplateSpecification: launchTemplateOf(wanted),
      ...(overrides.length > 0 && { Overrides: overrides.map(({ instanceType }) => ({ InstanceType: instanceType })) }),
    },
    ...(distribution && {
      InstancesDistribution: {
        OnDemandAllocationStrategy: distribution.onDemandAllocationStrategy ?? 'prioritized',
        OnDemandBaseCapacity: distribution.onDemandBaseCapacity ?? 0,
        OnDemandPercentageAboveBaseCapacity: distribution.onDemandPercentageAboveBaseCapacity ?? 100,
        SpotAllocationStrategy: distribution.spotAllocationStrategy ?? 'lowest-price',
      },
    }),
  };
};

/** Of the two ways to name the template, a group has one. */
const launchOf = (wanted: Wanted) => {
  const mixed = mixedOf(wanted);
  return mixed ? { MixedInstancesPolicy: mixed } : { LaunchTemplate: launchTemplateOf(wanted) };
};

const within = (count: number, { minSize, maxSize }: AWSMachinePoolSpec): number =>
  Math.min(Math.max(count, minSize), maxSize);

/** Auto Scaling refuses a size outside the bounds: the nearest one holds. */
export const sizeOf = ({ spec, replicas, isScaledByOthers }: Wanted, current?: number): number =>
  within(isScaledByOthers ? (current ?? replicas) : replicas, spec);

const seconds = (duration: string | undefined): number | undefined =>
  duration === undefined ? undefined : parseDuration(duration);

const settingsOf = (wanted: Wanted) => {
  const { spec, subnets } = wanted;
  const [cooldown, warmup] = [seconds(spec.defaultCoolDown), seconds(spec.defaultInstanceWarmup)];
  return {
    ...launchOf(wanted),
    VPCZoneIdentifier: [...subnets].toSorted().join(','),
    ...(cooldown !== undefined && { DefaultCooldown: cooldown }),
    ...(warmup !== undefined && { DefaultInstanceWarmup: warmup }),
    CapacityRebalance: spec.capacityRebalance ?? false,
  };
};

const groupTags = (name: string, tags: Record<string, string>): GroupTag[] =>
  Object.entries(tags).map(([Key, Value]) => ({
    ResourceId: name,
    ResourceType: 'auto-scaling-group',
    Key,
    Value,
    // The launch template tags the instances.
    PropagateAtLaunch: false,
  }));

export const creationOf = (wanted: Wanted): CloudInput<'CreateAutoScalingGroup'> => ({
  AutoScalingGroupName: wanted.name,
  MinSize: wanted.spec.minSize,
  MaxSize: wanted.spec.maxSize,
  DesiredCapacity: sizeOf(wanted),
  ...settingsOf(wanted),
  LifecycleHookSpecificationList: hooksOf(wanted.spec),
  Tags: groupTags(wanted.name, wanted.tags),
});

/** Whether everything that is asked for is so; fields that the answer has besides do not count. */
const contains = (there: unknown, asked: unknown): boolean => {
  if (Array.isArray(asked))
    return Array.isArray(there) && there.length === asked.length && asked.every((one, i) => contains(there[i], one));
  if (typeof asked !== 'object' || asked === null) return there === asked;
  return Object.entries(asked).every(([key, value]) => contains((there as Record<string, unknown>)?.[key], value));
};

const sortedSubnets = (identifier: string): string => identifier.split(',').toSorted().join(',');

/** One call for everything that differs: AWS judges the sizes of one call together. Undefined: nothing differs. */
export const updateOf = (wanted: Wanted, group: AutoScalingGroup): CloudInput<'UpdateAutoScalingGroup'> | undefined => {
  const { spec, name } = wanted;
  const there: Record<string, unknown> = {
    ...group,
    VPCZoneIdentifier: sortedSubnets(group.VPCZoneIdentifier),
    CapacityRebalance: group.CapacityRebalance ?? false,
  };
  const settings = Object.entries(settingsOf(wanted)).filter(([key, value]) => !contains(there[key], value));
  const size = sizeOf(wanted, group.DesiredCapacity);
  const sizes = { MinSize: spec.minSize, MaxSize: spec.maxSize, DesiredCapacity: size };
  const isSized = contains(group, sizes);
  if (settings.length === 0 && isSized) return undefined;
  return { AutoScalingGroupName: name, ...Object.fromEntries(settings), ...(!isSized && sizes) };
};

/** Tags of the group that are missing or have another value. Others stay. */
export const missingTags = ({ name, tags }: Wanted, group: AutoScalingGroup): GroupTag[] => {
  const there = new Map(group.Tags.map(({ Key, Value }) => [Key, Value]));
  return groupTags(name, tags).filter(({ Key, Value }) => there.get(Key) !== Value);
};

/** Instances that exist, whatever their state. */
export const instancesOf = (group: AutoScalingGroup | undefined) =>
  (group?.Instances ?? []).filter(({ LifecycleState }) => LifecycleState !== 'Terminated');

export const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  equal([...a].toSorted(), [...b].toSorted());

/** The Machines of a MachinePool in deletion end: their instances must not be replaced. */
export const emptied = (group: AutoScalingGroup, region: string, owned: Record<string, string>): Action[] =>
  group.MinSize === 0 && group.DesiredCapacity === 0
    ? []
    : [
        callCloud(
          region,
          'UpdateAutoScalingGroup',
          { AutoScalingGroupName: group.AutoScalingGroupName, MinSize: 0, MaxSize: group.MaxSize, DesiredCapacity: 0 },
          owned,
        ),
      ];
