/**
 * The life of a group: brings its instances to its desired capacity, through their lifecycle hooks, and sets a
 * timer for what comes next. Everything follows from the record, so that a restart of the account loses nothing.
 */
import type { InstanceStateName } from '../../kinds/ports/cloud/index.ts';
import {
  type GroupMember,
  type GroupRecord,
  isLive,
  isSuspended,
  liveMembers,
  refreshOf,
  zonesOfGroup,
} from './group.ts';
import { launchMember } from './group-launch.ts';
import { instanceState } from './instance.ts';
import { endInstance } from './lifecycle.ts';
import { beginActions, nextTimeout, outcomeOf } from './lifecycle-action.ts';
import { refreshPlan } from './refresh-plan.ts';
import { beginActivity, endActivity, reportGroup, setActivityStatus, toTheSecond } from './scaling-activity.ts';
import { type AccountState, scaled } from './state.ts';

const stateOf = (account: AccountState, { instanceId }: GroupMember): InstanceStateName => {
  const instance = account.instances.get(instanceId);
  return instance ? instanceState(instance, account.clock.now()) : 'terminated';
};

/** Starts the termination of a member, for a reason that its activity reports. */
export const beginTermination = (
  account: AccountState,
  group: GroupRecord,
  member: GroupMember,
  because: string,
): string => {
  if (!isLive(member)) return member.activity;
  if (member.state !== 'InService')
    endActivity(account, group, member.activity, { status: 'Cancelled', instanceId: member.instanceId });
  member.state = 'Terminating';
  member.activity = beginActivity(account, group, `Terminating EC2 instance: ${member.instanceId}`, because).id;
  delete member.actions;
  return member.activity;
};

const enterService = (account: AccountState, group: GroupRecord, member: GroupMember): void => {
  member.state = 'InService';
  member.inService = account.clock.now();
  delete member.actions;
  delete member.until;
  endActivity(account, group, member.activity, { status: 'Successful', instanceId: member.instanceId });
};

/** A launch that comes to nothing: the instance goes without hooks. */
const abandonLaunch = (
  account: AccountState,
  group: GroupRecord,
  member: GroupMember,
  status: 'Cancelled' | 'Failed',
  message: string,
): void => {
  const { instanceId } = member;
  endActivity(account, group, member.activity, { status, message, instanceId });
  member.state = 'Terminating:Proceed';
  delete member.actions;
  member.activity = beginActivity(
    account,
    group,
    `Terminating EC2 instance: ${instanceId}`,
    'an instance was taken out of service in response to a launch that failed',
  ).id;
  const { delays } = account.behaviour;
  group.retries = account.clock.now() + scaled(account, delays.groupRetry);
};

const reasonOf = (account: AccountState, { instanceId }: GroupMember): string =>
  account.instances.get(instanceId)?.ended?.message ?? 'Client.UserInitiatedShutdown: User initiated shutdown';

/** Whether the member went on to another state. */
const advance = (account: AccountState, group: GroupRecord, member: GroupMember): boolean => {
  const now = account.clock.now();
  const state = stateOf(account, member);
  const isDead = state !== 'pending' && state !== 'running';
  switch (member.state) {
    case 'Pending':
      if (isDead) {
        const reason = reasonOf(account, member);
        const message = `Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: ${reason}`;
        abandonLaunch(account, group, member, 'Failed', message);
      } else if (state === 'pending') return false;
      else if (beginActions(account, group, member, 'autoscaling:EC2_INSTANCE_LAUNCHING')) {
        member.state = 'Pending:Wait';
        setActivityStatus(group, member.activity, 'MidLifecycleAction');
      } else enterService(account, group, member);
      return true;
    case 'Pending:Wait': {
      const outcome = isDead ? { result: 'ABANDON' as const } : outcomeOf(group, member, now);
      if (!outcome) return false;
      if (outcome.result === 'CONTINUE') {
        member.state = 'Pending:Proceed';
        member.until = now + scaled(account, account.behaviour.delays.lifecycleProceed);
        return true;
      }
      const token = outcome.action?.token ?? member.actions?.[0]?.token ?? '';
      const why = outcome.isTimeout ? 'Heartbeat Timeout' : 'Lifecycle Action Completed with ABANDON Result';
      const message = `Instance failed to complete user's Lifecycle Action: Lifecycle Action with token ${token} was abandoned: ${why}`;
      abandonLaunch(account, group, member, 'Cancelled', message);
      return true;
    }
    case 'Pending:Proceed':
      if (member.until !== undefined && now < member.until) return false;
      enterService(account, group, member);
      return true;
    case 'InService':
      return checkHealth(account, group, member, isDead);
    case 'Terminating':
      if (beginActions(account, group, member, 'autoscaling:EC2_INSTANCE_TERMINATING')) {
        member.state = 'Terminating:Wait';
        setActivityStatus(group, member.activity, 'MidLifecycleAction');
      } else member.state = 'Terminating:Proceed';
      return true;
    case 'Terminating:Wait':
      if (!outcomeOf(group, member, now)) return false;
      member.state = 'Terminating:Proceed';
      delete member.actions;
      setActivityStatus(group, member.activity, 'InProgress');
      return true;
    case 'Terminating:Proceed': {
      const instance = account.instances.get(member.instanceId);
      if (instance && state !== 'terminated') {
        endInstance(account, instance, {
          code: 'Client.UserInitiatedShutdown',
          message: 'Client.UserInitiatedShutdown: User initiated shutdown',
        });
        return false;
      }
      group.members = group.members.filter((one) => one !== member);
      endActivity(account, group, member.activity, { status: 'Successful', instanceId: member.instanceId });
      return true;
    }
    default:
      return false;
  }
};

/** The check finds a stopped, terminated or impaired instance after a while, and the group replaces it. */
const checkHealth = (account: AccountState, group: GroupRecord, member: GroupMember, isDead: boolean): boolean => {
  const now = account.clock.now();
  const isImpaired = (account.instances.get(member.instanceId)?.trouble?.impaired.length ?? 0) > 0;
  if (member.health === 'Healthy') {
    if (!isDead && !isImpaired) {
      delete member.failing;
      return false;
    }
    member.failing ??= now + scaled(account, account.behaviour.delays.groupHealthCheck);
    if (now < member.failing || isSuspended(group, 'HealthCheck')) return false;
    member.health = 'Unhealthy';
  }
  if (isSuspended(group, 'ReplaceUnhealthy') || isSuspended(group, 'Terminate')) return false;
  const found = isDead
    ? 'an EC2 health check indicating it has been terminated or stopped'
    : 'an EC2 instance status checks failure';
  beginTermination(account, group, member, `an instance was taken out of service in response to ${found}`);
  return true;
};

/** Terminates past all hooks. */
const endAll = (account: AccountState, group: GroupRecord): void => {
  for (const member of group.members) {
    beginTermination(account, group, member, 'an instance was taken out of service in response to a user request');
    member.state = 'Terminating:Proceed';
    delete member.actions;
  }
};

/**
 * The members that a smaller group gives up: of the zone with the most instances, one with the oldest version of
 * the launch template, and of these the one that was launched first.
 */
export const pickForScaleIn = (live: readonly GroupMember[], count: number): GroupMember[] => {
  const left = [...live];
  const picked: GroupMember[] = [];
  while (picked.length < count && left.length > 0) {
    const inZone = [...Map.groupBy(left, ({ zone }) => zone).values()].sort((a, b) => b.length - a.length)[0]!;
    const [next] = inZone.sort((a, b) => a.template.version - b.template.version || a.launched - b.launched);
    picked.push(next!);
    left.splice(left.indexOf(next!), 1);
  }
  return picked;
};

const differs = 'a difference between desired and actual capacity';

/** Launches what is missing, and ends what is too much. */
const scale = (account: AccountState, group: GroupRecord, capacity: number): void => {
  const now = account.clock.now();
  const live = liveMembers(group);
  const missing = capacity - live.length;
  if (missing > 0 && now >= group.retries && !isSuspended(group, 'Launch')) {
    const started = `an instance was started in response to ${differs}, increasing the capacity from ${live.length} to ${capacity}`;
    const because = group.changed ? `${group.changed}.  At ${toTheSecond(now)} ${started}` : started;
    for (let launched = 0; launched < missing; launched++) if (!launchMember(account, group, because)) break;
  }
  if (missing < 0 && !isSuspended(group, 'Terminate'))
    for (const member of pickForScaleIn(live, -missing))
      beginTermination(
        account,
        group,
        member,
        `an instance was taken out of service in response to ${differs}, shrinking the capacity from ${live.length} to ${capacity}. Instance ${member.instanceId} was selected for termination`,
      );
  delete group.changed;
};

/** Ends the refresh with this status. */
export const endRefresh = (
  account: AccountState,
  group: GroupRecord,
  status: 'Successful' | 'Failed' | 'Cancelled',
  reason?: string,
): void => {
  const refresh = refreshOf(group);
  if (!refresh) return;
  Object.assign(refresh, { status, ended: account.clock.now(), ...(reason && { reason }) });
  const how = status === 'Successful' ? 'Succeeded' : status;
  reportGroup(account, group, `EC2 Auto Scaling Instance Refresh ${how}`, refresh.id, {
    InstanceRefreshId: refresh.id,
  });
};

/** The capacity that the group has during its refresh. */
const refreshed = (account: AccountState, group: GroupRecord): number => {
  const now = account.clock.now();
  const desired = group.settings.DesiredCapacity;
  const refresh = refreshOf(group);
  if (!refresh) return desired;
  if (refresh.status === 'Cancelling') {
    endRefresh(account, group, 'Cancelled', refresh.reason);
    return desired;
  }
  if (refresh.status === 'Pending') {
    refresh.status = 'InProgress';
    reportGroup(account, group, 'EC2 Auto Scaling Instance Refresh Started', refresh.id, {
      InstanceRefreshId: refresh.id,
    });
  }
  const plan = refreshPlan(group, refresh, now);
  if (plan.replaced > refresh.replaced) Object.assign(refresh, { replaced: plan.replaced, advanced: now });
  if (plan.isDone) {
    refresh.replaced = refresh.total;
    endRefresh(account, group, 'Successful');
    return desired;
  }
  if (now >= refresh.advanced + scaled(account, account.behaviour.delays.refreshStalled)) {
    endRefresh(account, group, 'Failed', 'The instance refresh made no progress in the last hour.');
    return desired;
  }
  if (isSuspended(group, 'InstanceRefresh')) return desired;
  if (!isSuspended(group, 'Terminate'))
    for (const member of plan.ends)
      beginTermination(
        account,
        group,
        member,
        'an instance was taken out of service in response to an instance refresh',
      );
  return plan.capacity;
};

/** One zone has two instances more than another: its oldest instance is replaced, unless the other had no capacity. */
const balanceZones = (account: AccountState, group: GroupRecord): void => {
  const live = liveMembers(group);
  const isSettled = live.every(({ state, rebalanced }) => state === 'InService' && !rebalanced);
  if (isSuspended(group, 'AZRebalance') || !isSettled || live.length !== group.settings.DesiredCapacity) return;
  const inZone = (zone: string): GroupMember[] => live.filter((member) => member.zone === zone);
  const zones = zonesOfGroup(account, group).sort((a, b) => inZone(a).length - inZone(b).length);
  const [emptiest, fullest] = [zones.at(0), zones.at(-1)];
  if (emptiest === undefined || fullest === undefined) return;
  const lacked = group.short?.[emptiest];
  const isShort =
    lacked !== undefined && account.clock.now() < lacked + scaled(account, account.behaviour.delays.zoneShort);
  if (isShort || inZone(fullest).length - inZone(emptiest).length < 2) return;
  pickForScaleIn(inZone(fullest), 1)[0]!.rebalanced = 'zone';
};

const replacedFor = {
  spot: 'an EC2 instance rebalance recommendation',
  zone: 'an imbalance of the Availability Zones of the group',
};

/** While it replaces instances ahead of their end, the group may be a tenth larger than it may be else. */
const rebalanced = (account: AccountState, group: GroupRecord, capacity: number): number => {
  if (!refreshOf(group)) balanceZones(account, group);
  const leaving = liveMembers(group).filter((member) => member.rebalanced);
  if (leaving.length === 0) return capacity;
  const inService = liveMembers(group).filter(({ state }) => state === 'InService').length;
  if (!isSuspended(group, 'Terminate'))
    for (const member of leaving.slice(0, Math.max(0, inService - group.settings.DesiredCapacity)))
      beginTermination(
        account,
        group,
        member,
        `an instance was taken out of service in response to ${replacedFor[member.rebalanced!]}`,
      );
  const left = leaving.filter(isLive).length;
  const most = group.settings.MaxSize + Math.ceil(group.settings.MaxSize / 10);
  return Math.max(capacity, Math.min(capacity + left, most));
};

const advanceAll = (account: AccountState, group: GroupRecord): void => {
  while ([...group.members].map((member) => advance(account, group, member)).includes(true));
};

/** When something happens next that no change of an instance announces. */
const nextTime = (account: AccountState, group: GroupRecord): number => {
  const now = account.clock.now();
  const refresh = refreshOf(group);
  const times = [
    group.reacts,
    group.retries,
    ...group.members.flatMap((member) => [
      nextTimeout(member),
      member.until ?? now,
      (member.health === 'Healthy' && member.failing) || now,
    ]),
    ...Object.values(group.short ?? {}).map((time) => time + scaled(account, account.behaviour.delays.zoneShort)),
    ...(refresh
      ? [
          refreshPlan(group, refresh, now).warm,
          refresh.advanced + scaled(account, account.behaviour.delays.refreshStalled),
        ]
      : []),
  ];
  return Math.min(...times.filter((time) => time > now));
};

const timerOf = (id: string): string => `group/${id}`;

/** Brings the group up to date, and sets its timer. */
export const followGroup = (account: AccountState, id: string): void => {
  const group = account.autoScalingGroups.get(id);
  if (!group) return;
  if (group.deleting) endAll(account, group);
  advanceAll(account, group);
  if (group.deleting && group.members.length === 0) {
    account.timers.cancel(timerOf(id));
    account.autoScalingGroups.delete(id);
    return;
  }
  if (!group.deleting && account.clock.now() >= group.reacts) {
    scale(account, group, rebalanced(account, group, refreshed(account, group)));
    advanceAll(account, group);
  }
  account.autoScalingGroups.put(group);
  const next = nextTime(account, group);
  if (Number.isFinite(next)) account.timers.at(timerOf(id), next, () => followGroup(account, id));
  else account.timers.cancel(timerOf(id));
};

/** Follows the group soon, after a change of it or of one of its instances. */
export const wakeGroup = (account: AccountState, { id }: GroupRecord): void =>
  account.timers.at(timerOf(id), account.clock.now(), () => followGroup(account, id));

/** Saves a change of a group, which acts on it after a moment. */
export const changeGroup = (account: AccountState, group: GroupRecord): void => {
  group.reacts = account.clock.now() + scaled(account, account.behaviour.delays.groupReaction);
  account.autoScalingGroups.put(group);
  wakeGroup(account, group);
};

/** Groups learn at once what happens to their instances; their health checks take their time. */
export const watchMembers = (account: AccountState): void => {
  const groupsWith = (instanceId: string) => account.autoScalingGroups.by('instance', instanceId);
  account.afterInstanceChange = (instanceId) => {
    for (const group of groupsWith(instanceId)) wakeGroup(account, group);
  };
  account.afterNotice = (instanceId) => {
    for (const group of groupsWith(instanceId)) {
      const member = group.members.find((one) => one.instanceId === instanceId);
      if (!group.settings.CapacityRebalance || !member || member.state !== 'InService') continue;
      member.rebalanced = 'spot';
      account.autoScalingGroups.put(group);
      wakeGroup(account, group);
    }
  };
};
