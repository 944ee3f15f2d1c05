/** Actions on lifecycle hooks, and answers to their actions. */
import type { LifecycleHook } from '../../kinds/ports/cloud/index.ts';
import { refuse, validationError } from './errors.ts';
import { changeableGroup, type GroupMember, type GroupRecord, groupNamed, type PendingAction } from './group.ts';
import { wakeGroup } from './group-members.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';

const seconds = 1000;
const transitions = ['autoscaling:EC2_INSTANCE_LAUNCHING', 'autoscaling:EC2_INSTANCE_TERMINATING'];

/** Refuses what Auto Scaling refuses of a hook. */
export const checkNewHook = (account: AccountState, { hooks }: GroupRecord, hook: LifecycleHook): void => {
  const { LifecycleHookName: name, HeartbeatTimeout, LifecycleTransition, DefaultResult } = hook;
  if (!/^[A-Za-z0-9\-_/]{1,255}$/.test(name)) validationError(`Invalid lifecycle hook name '${name}'`);
  if (!transitions.includes(LifecycleTransition))
    validationError(`Lifecycle hook transition '${LifecycleTransition}' is not supported`);
  if (HeartbeatTimeout < 30 || HeartbeatTimeout > 7200)
    validationError('Heartbeat Timeout must be between 30 and 7200 seconds');
  if (DefaultResult !== 'CONTINUE' && DefaultResult !== 'ABANDON')
    validationError(`Lifecycle action result '${DefaultResult}' is neither CONTINUE nor ABANDON`);
  if (!hook.NotificationTargetARN !== !hook.RoleARN)
    validationError('A notification target and the role that publishes to it come together');
  const { lifecycleHooksPerGroup: most } = account.behaviour.quotas;
  if (hooks.length >= most && !hooks.some(({ LifecycleHookName }) => LifecycleHookName === name))
    refuse('LimitExceeded', `You have reached the limit of ${most} lifecycle hooks for this Auto Scaling group.`);
};

interface Named {
  AutoScalingGroupName: string;
  LifecycleHookName: string;
  InstanceId: string;
}
/** The action of a hook that an instance waits for. */
const openAction = (
  call: Call,
  { AutoScalingGroupName, LifecycleHookName, InstanceId }: Named,
): { group: GroupRecord; member: GroupMember; action: PendingAction } => {
  const group = groupNamed(call, AutoScalingGroupName);
  const member = group.members.find(({ instanceId }) => instanceId === InstanceId);
  const action = member?.actions?.find(({ hook, result }) => hook === LifecycleHookName && !result);
  if (member && action) return { group, member, action };
  return validationError(`No active Lifecycle Action found with instance ID ${InstanceId}`);
};

export const lifecycleHookActions = {
  DescribeLifecycleHooks: (call, { AutoScalingGroupName }) => ({
    LifecycleHooks: groupNamed(call, AutoScalingGroupName).hooks,
  }),

  /** Instances that wait already are not affected. */
  PutLifecycleHook: (call, { AutoScalingGroupName, ...hook }) => {
    const group = changeableGroup(call, AutoScalingGroupName);
    checkNewHook(call.account, group, hook);
    group.hooks = [
      ...group.hooks.filter(({ LifecycleHookName }) => LifecycleHookName !== hook.LifecycleHookName),
      hook,
    ];
    call.account.autoScalingGroups.put(group);
    return {};
  },

  /** Its open actions are completed: CONTINUE for terminating instances, ABANDON for launching ones. */
  DeleteLifecycleHook: (call, { AutoScalingGroupName, LifecycleHookName }) => {
    const { account } = call;
    const group = groupNamed(call, AutoScalingGroupName);
    const hook =
      group.hooks.find((one) => one.LifecycleHookName === LifecycleHookName) ??
      validationError(`No Lifecycle Hook found with name: ${LifecycleHookName}`);
    for (const member of group.members)
      for (const action of member.actions ?? [])
        if (action.hook === LifecycleHookName)
          action.result ??= member.state === 'Pending:Wait' ? 'ABANDON' : 'CONTINUE';
    group.hooks = group.hooks.filter((one) => one !== hook);
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return {};
  },

  CompleteLifecycleAction: (call, input) => {
    const { account } = call;
    const { group, action } = openAction(call, input);
    action.result = input.LifecycleActionResult;
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return {};
  },

  RecordLifecycleActionHeartbeat: (call, input) => {
    const { account, now } = call;
    const { group, action } = openAction(call, input);
    const hook = group.hooks.find(({ LifecycleHookName }) => LifecycleHookName === action.hook);
    if (hook) action.deadline = Math.min(action.latest, now + scaled(account, hook.HeartbeatTimeout * seconds));
    account.autoScalingGroups.put(group);
    wakeGroup(account, group);
    return {};
  },
} satisfies Handlers;
