/** Actions on instance refreshes. */
import type { RefreshPreferences } from '../../kinds/ports/cloud/index.ts';
import { refuse, validationError } from './errors.ts';
import { changeableGroup, type GroupRecord, groupNamed, liveMembers, refreshOf, viewRefresh } from './group.ts';
import { wakeGroup } from './group-members.ts';
import { newUuid } from './naming.ts';
import { type AccountState, type Handlers, scaled } from './state.ts';

const mostKept = 100;
const seconds = 1000;

const checkPreferences = ({ MinHealthyPercentage: min, MaxHealthyPercentage: max }: RefreshPreferences): void => {
  if (min !== undefined && (min < 0 || min > 100)) validationError('MinHealthyPercentage must be between 0 and 100');
  if (max === undefined) return;
  if (min === undefined) validationError('MaxHealthyPercentage can only be specified with MinHealthyPercentage');
  if (max < 100 || max > 200) validationError('MaxHealthyPercentage must be between 100 and 200');
  if (max - min! > 100)
    validationError('The difference between MaxHealthyPercentage and MinHealthyPercentage cannot be greater than 100');
};

const preferencesOf = (account: AccountState, { settings }: GroupRecord, given: RefreshPreferences) => ({
  MinHealthyPercentage: given.MinHealthyPercentage ?? 90,
  ...(given.MaxHealthyPercentage !== undefined && { MaxHealthyPercentage: given.MaxHealthyPercentage }),
  warmup: scaled(account, (given.InstanceWarmup ?? settings.DefaultInstanceWarmup ?? 0) * seconds),
});

export const instanceRefreshActions = {
  StartInstanceRefresh: (call, { AutoScalingGroupName, Preferences = {} }) => {
    const { account, now } = call;
    const group = changeableGroup(call, AutoScalingGroupName);
    checkPreferences(Preferences);
    if (refreshOf(group))
      refuse(
        'InstanceRefreshInProgress',
        'An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.',
      );
    const refresh = {
      id: newUuid(account.random),
      status: 'Pending' as const,
      preferences: preferencesOf(account, group, Preferences),
      started: now,
      total: liveMembers(group).length,
      replaced: 0,
      advanced: now,
    };
    group.refreshes = [refresh, ...group.refreshes].slice(0, mostKept);
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return { InstanceRefreshId: refresh.id };
  },

  CancelInstanceRefresh: (call, { AutoScalingGroupName }) => {
    const { account } = call;
    const group = groupNamed(call, AutoScalingGroupName);
    const refresh =
      refreshOf(group) ??
      refuse(
        'ActiveInstanceRefreshNotFound',
        `No in progress or pending Instance Refresh found for Auto Scaling group ${AutoScalingGroupName}`,
      );
    refresh.status = 'Cancelling';
    refresh.reason = 'Cancelled due to user request.';
    group.reacts = account.clock.now() + scaled(account, account.behaviour.delays.groupReaction);
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return { InstanceRefreshId: refresh.id };
  },

  DescribeInstanceRefreshes: (call, { AutoScalingGroupName, MaxRecords = mostKept }) => {
    const group = groupNamed(call, AutoScalingGroupName);
    return { InstanceRefreshes: group.refreshes.slice(0, MaxRecords).map((refresh) => viewRefresh(group, refresh)) };
  },
} satisfies Handlers;
