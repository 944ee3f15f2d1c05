/** Lifecycle actions: what an instance waits for while its group launches or terminates it. */
import type { LifecycleTransition } from '../../kinds/ports/cloud/index.ts';
import { type GroupMember, type GroupRecord, hooksFor, type PendingAction } from './group.ts';
import { newUuid } from './naming.ts';
import { reportGroup } from './scaling-activity.ts';
import { type AccountState, scaled } from './state.ts';

const seconds = 1000;
/** An instance waits at most 48 hours, or a hundred times the timeout. */
const longestWait = 48 * 3600 * seconds;
const mostTimeouts = 100;

const events: Record<LifecycleTransition, { type: string; origin: string; destination: string }> = {
  'autoscaling:EC2_INSTANCE_LAUNCHING': {
    type: 'EC2 Instance-launch Lifecycle Action',
    origin: 'EC2',
    destination: 'AutoScalingGroup',
  },
  'autoscaling:EC2_INSTANCE_TERMINATING': {
    type: 'EC2 Instance-terminate Lifecycle Action',
    origin: 'AutoScalingGroup',
    destination: 'EC2',
  },
};

/** Starts an action for each hook of the transition, all at once. Whether there are any. */
export const beginActions = (
  account: AccountState,
  group: GroupRecord,
  member: GroupMember,
  transition: LifecycleTransition,
): boolean => {
  const now = account.clock.now();
  const { type, origin, destination } = events[transition];
  const actions = hooksFor(group, transition).map((hook): PendingAction => {
    const timeout = scaled(account, hook.HeartbeatTimeout * seconds);
    const token = newUuid(account.random);
    reportGroup(account, group, type, token, {
      LifecycleActionToken: token,
      LifecycleHookName: hook.LifecycleHookName,
      EC2InstanceId: member.instanceId,
      LifecycleTransition: transition,
      ...(hook.NotificationMetadata && { NotificationMetadata: hook.NotificationMetadata }),
      Origin: origin,
      Destination: destination,
    });
    return {
      hook: hook.LifecycleHookName,
      token,
      deadline: now + timeout,
      latest: now + Math.min(scaled(account, longestWait), timeout * mostTimeouts),
    };
  });
  if (actions.length > 0) member.actions = actions;
  return actions.length > 0;
};

/**
 * The outcome of all actions: undefined while one is open. An action without a hook, or past its deadline, has
 * its default result. The first ABANDON ends the wait.
 */
export const outcomeOf = (
  { hooks }: GroupRecord,
  { actions = [] }: GroupMember,
  now: number,
): { result: 'CONTINUE' | 'ABANDON'; action?: PendingAction; isTimeout?: boolean } | undefined => {
  const results = actions.map((action) => {
    if (action.result) return { result: action.result, action, isTimeout: false };
    const hook = hooks.find(({ LifecycleHookName }) => LifecycleHookName === action.hook);
    if (!hook) return { result: 'CONTINUE' as const, action };
    return now >= action.deadline ? { result: hook.DefaultResult, action, isTimeout: true } : undefined;
  });
  const abandoned = results.find((one) => one?.result === 'ABANDON');
  if (abandoned) return abandoned;
  return results.includes(undefined) ? undefined : { result: 'CONTINUE' };
};

/** When an open action times out next. */
export const nextTimeout = ({ actions = [] }: GroupMember): number =>
  Math.min(...actions.filter(({ result }) => !result).map(({ deadline }) => deadline));
