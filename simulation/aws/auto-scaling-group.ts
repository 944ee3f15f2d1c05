/** Actions on Auto Scaling groups. */
import type { CloudInput } from '../../kinds/ports/cloud/index.ts';
import { refuse, validationError } from './errors.ts';
import type { Fields } from './filters.ts';
import { select } from './filters.ts';
import {
  changeableGroup,
  findGroup,
  type GroupRecord,
  type GroupSettings,
  groupNamed,
  memberNamed,
  subnetIdsOf,
  viewActivity,
  viewGroup,
} from './group.ts';
import { beginTermination, changeGroup, wakeGroup } from './group-members.ts';
import { templateVersion } from './launch-template.ts';
import { checkNewHook } from './lifecycle-hook.ts';
import { newUuid } from './naming.ts';
import { partOf } from './paging.ts';
import { isStale } from './staleness.ts';
import type { AccountState, Call, Handlers } from './state.ts';

const checkSizes = ({ MinSize, MaxSize, DesiredCapacity }: GroupSettings): void => {
  if (MinSize > MaxSize)
    validationError(`Max bound, ${MaxSize}, must be greater than or equal to min bound, ${MinSize}`);
  if (DesiredCapacity < MinSize || DesiredCapacity > MaxSize)
    validationError(
      `Desired capacity:${DesiredCapacity} must be between the specified min size:${MinSize} and max size:${MaxSize}`,
    );
};

const checkSubnets = ({ account, region }: Call, settings: GroupSettings): void => {
  const ids = subnetIdsOf(settings);
  if (ids.length === 0) validationError('At least one Availability Zone or VPC Subnet is required.');
  const subnets = ids.map((id) => {
    const subnet = account.subnets.get(id);
    return subnet?.region === region ? subnet : validationError(`The subnet ID '${id}' does not exist`);
  });
  if (new Set(subnets.map(({ vpcId }) => vpcId)).size > 1)
    validationError('The subnets of an Auto Scaling group must be in the same VPC');
};

const unusable = (why: string): never => validationError(`You must use a valid fully-formed launch template. ${why}`);

const checkTemplate = ({ account, region }: Call, settings: GroupSettings): void => {
  const { LaunchTemplate, MixedInstancesPolicy } = settings;
  if (!LaunchTemplate === !MixedInstancesPolicy)
    validationError(
      'Valid requests must contain either LaunchTemplate, LaunchConfigurationName, InstanceId or MixedInstancesPolicy parameter.',
    );
  const named = (MixedInstancesPolicy?.LaunchTemplate.LaunchTemplateSpecification ?? LaunchTemplate)!;
  const { ImageId, InstanceType, InstanceMarketOptions } = usableVersion(account, region, named);
  if (!ImageId) unusable('The request must contain the parameter ImageId');
  if (!InstanceType && !MixedInstancesPolicy?.LaunchTemplate.Overrides?.length)
    unusable('The request must contain the parameter InstanceType');
  if (MixedInstancesPolicy && InstanceMarketOptions?.MarketType === 'spot')
    validationError(
      'Incompatible launch template: You cannot use a launch template that is set to request Spot Instances (InstanceMarketOptions) when you configure an Auto Scaling group with a mixed instances policy.',
    );
};
const usableVersion = (
  account: AccountState,
  region: string,
  { LaunchTemplateId, Version }: NonNullable<GroupSettings['LaunchTemplate']>,
) => {
  try {
    return templateVersion(account, region, LaunchTemplateId, Version).version.data;
  } catch (refusal) {
    return unusable((refusal as Error).message);
  }
};

const checkSettings = (call: Call, settings: GroupSettings): void => {
  checkSizes(settings);
  checkSubnets(call, settings);
  checkTemplate(call, settings);
};

const given = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** Without a desired capacity, it follows the new bounds. */
const changedSettings = (
  before: GroupSettings,
  { AutoScalingGroupName: _, ...changes }: CloudInput<'UpdateAutoScalingGroup'>,
): GroupSettings => {
  const { LaunchTemplate, MixedInstancesPolicy, ...others } = before;
  const launches =
    changes.LaunchTemplate || changes.MixedInstancesPolicy ? {} : given({ LaunchTemplate, MixedInstancesPolicy });
  const after = { ...others, ...launches, ...given(changes) } as GroupSettings;
  if (changes.DesiredCapacity !== undefined) return after;
  return {
    ...after,
    DesiredCapacity: Math.min(Math.max(after.DesiredCapacity, after.MinSize), Math.max(after.MinSize, after.MaxSize)),
  };
};

const fields: Fields<GroupRecord> = { 'auto-scaling-group': ({ name }) => [name] };

const mostTags = 50;
const pageSize = 50;
const largestPage = 100;
const processes = [
  'Launch',
  'Terminate',
  'AddToLoadBalancer',
  'AlarmNotification',
  'AZRebalance',
  'HealthCheck',
  'InstanceRefresh',
  'ReplaceUnhealthy',
  'ScheduledActions',
];

const checkProcesses = (names: readonly string[]): void => {
  for (const name of names) if (!processes.includes(name)) validationError(`Invalid scaling process '${name}'`);
};

/** Sets tags, with whether instances get them. */
const setTags = (group: GroupRecord, tags: CloudInput<'CreateOrUpdateTags'>['Tags']): void => {
  for (const { Key, Value, PropagateAtLaunch } of tags) {
    if (/^aws:/i.test(Key)) validationError(`Reserved tag key: ${Key}`);
    if (!Key || Key.length > 128 || Value.length > 256) validationError(`Invalid tag ${Key}`);
    group.tags = { ...group.tags, [Key]: Value };
    group.propagated = [...group.propagated.filter((key) => key !== Key), ...(PropagateAtLaunch ? [Key] : [])];
  }
  if (Object.keys(group.tags).length > mostTags)
    refuse('LimitExceeded', `An Auto Scaling group can have at most ${mostTags} tags`);
};

const userRequest = (before: number, after: number): string =>
  `a user request update of AutoScalingGroup constraints to desired: ${after} changed the desired capacity from ${before} to ${after}`;

export const autoScalingGroupActions = {
  DescribeAutoScalingGroups: (call, { AutoScalingGroupNames, Filters, MaxRecords = pageSize, NextToken }) => {
    if (MaxRecords > largestPage) validationError(`The maximum number of records is ${largestPage}`);
    const { account, region } = call;
    const found = select(account.autoScalingGroups, region, Filters, fields).filter(
      (group) =>
        (!AutoScalingGroupNames?.length || AutoScalingGroupNames.includes(group.name)) && !isStale(call, group),
    );
    const part = partOf(found, NextToken, MaxRecords);
    return {
      AutoScalingGroups: part.items.map((group) => viewGroup(account, group)),
      ...(part.NextToken && { NextToken: part.NextToken }),
    };
  },

  CreateAutoScalingGroup: (call, input) => {
    const { account, region, now } = call;
    const { AutoScalingGroupName: name, Tags, LifecycleHookSpecificationList = [], ...rest } = input;
    const earlier = findGroup(call, name);
    if (earlier)
      refuse(
        'AlreadyExists',
        `AutoScalingGroup by this name already exists - A group with the name ${name} already exists${earlier.deleting ? ' and is pending delete' : ''}`,
      );
    const { autoScalingGroups: most } = account.behaviour.quotas;
    if (account.autoScalingGroups.count('region', region) >= most)
      refuse('LimitExceeded', `You have reached the limit of ${most} Auto Scaling groups for this account.`);
    const settings = given({
      ...rest,
      DesiredCapacity: input.DesiredCapacity ?? input.MinSize,
      DefaultCooldown: input.DefaultCooldown ?? 300,
    }) as GroupSettings;
    checkSettings(call, settings);
    const group: GroupRecord = {
      id: newUuid(account.random),
      region,
      seq: account.nextSeq(),
      created: now,
      tags: {},
      name,
      settings,
      propagated: [],
      hooks: [],
      suspended: [],
      members: [],
      activities: [],
      refreshes: [],
      reacts: now,
      retries: now,
      changed: `a user request created an AutoScalingGroup changing the desired capacity from 0 to ${settings.DesiredCapacity}`,
    };
    setTags(group, Tags);
    for (const hook of LifecycleHookSpecificationList) {
      checkNewHook(account, group, hook);
      group.hooks.push(hook);
    }
    changeGroup(account, group);
    return {};
  },

  UpdateAutoScalingGroup: (call, input) => {
    const { account } = call;
    const group = changeableGroup(call, input.AutoScalingGroupName);
    const before = group.settings;
    const settings = changedSettings(before, input);
    checkSettings(call, settings);
    group.settings = settings;
    if (settings.DesiredCapacity !== before.DesiredCapacity)
      group.changed = userRequest(before.DesiredCapacity, settings.DesiredCapacity);
    changeGroup(account, group);
    return {};
  },

  DeleteAutoScalingGroup: (call, { AutoScalingGroupName, ForceDelete = false }) => {
    const { account } = call;
    const group = groupNamed(call, AutoScalingGroupName);
    if (!ForceDelete && group.members.length > 0)
      refuse(
        'ResourceInUse',
        'You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.',
      );
    group.deleting = true;
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return {};
  },

  TerminateInstanceInAutoScalingGroup: (call, { InstanceId, ShouldDecrementDesiredCapacity }) => {
    const { account } = call;
    const { group, member } = memberNamed(call, InstanceId);
    const { MinSize, DesiredCapacity } = group.settings;
    if (ShouldDecrementDesiredCapacity) {
      if (DesiredCapacity <= MinSize)
        validationError(
          `Currently, desiredSize equals minSize (${MinSize}). Terminating instance without replacement will violate group's min size constraint. Either set shouldDecrementDesiredCapacity flag to false or lower group's min size.`,
        );
      group.settings = { ...group.settings, DesiredCapacity: DesiredCapacity - 1 };
    }
    const by = 'in response to a user request';
    const shrinks = `, shrinking the capacity from ${DesiredCapacity} to ${DesiredCapacity - 1}`;
    const because = `instance ${InstanceId} was taken out of service ${by}${ShouldDecrementDesiredCapacity ? shrinks : ''}`;
    const id = beginTermination(account, group, member, because);
    const activity = group.activities.find((one) => one.id === id);
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return { ...(activity && { Activity: viewActivity(activity) }) };
  },

  SuspendProcesses: (call, { AutoScalingGroupName, ScalingProcesses }) => {
    const group = changeableGroup(call, AutoScalingGroupName);
    checkProcesses(ScalingProcesses);
    const named = ScalingProcesses.length > 0 ? ScalingProcesses : processes;
    group.suspended = [...new Set([...group.suspended, ...named])];
    call.account.autoScalingGroups.put(group);
    wakeGroup(call.account, group);
    return {};
  },

  ResumeProcesses: (call, { AutoScalingGroupName, ScalingProcesses }) => {
    const group = changeableGroup(call, AutoScalingGroupName);
    checkProcesses(ScalingProcesses);
    const named = ScalingProcesses.length > 0 ? ScalingProcesses : processes;
    group.suspended = group.suspended.filter((process) => !named.includes(process));
    call.account.autoScalingGroups.put(group);
    wakeGroup(call.account, group);
    return {};
  },

  CreateOrUpdateTags: (call, { Tags }) => {
    for (const [name, tags] of Map.groupBy(Tags, ({ ResourceId }) => ResourceId)) {
      const group = groupNamed(call, name);
      setTags(group, tags);
      call.account.autoScalingGroups.put(group);
    }
    return {};
  },

  DeleteTagsOfGroup: (call, { Tags }) => {
    for (const { ResourceId, Key } of Tags) {
      const group = groupNamed(call, ResourceId);
      const { [Key]: _, ...left } = group.tags;
      group.tags = left;
      group.propagated = group.propagated.filter((key) => key !== Key);
      call.account.autoScalingGroups.put(group);
    }
    return {};
  },
} satisfies Handlers;
