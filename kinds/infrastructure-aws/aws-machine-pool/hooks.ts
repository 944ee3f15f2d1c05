/** Lifecycle hooks: those of the spec, and the one that holds instances until their Nodes are drained. Pure. */
import { parseDuration } from '../../../machinery/api/durations.ts';
import type { LifecycleHook } from '../../ports/cloud/index.ts';
import type { AWSMachinePoolSpec } from './schema.ts';

export const drainHook = 'capstan-drain';
/** Seconds: a heartbeat is recorded well before, so this counts only while Capstan does not run. */
const drainTimeout = 900;
/** Auto Scaling's own default. */
const defaultTimeout = 3600;

const ours: LifecycleHook = {
  LifecycleHookName: drainHook,
  LifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING',
  DefaultResult: 'CONTINUE',
  HeartbeatTimeout: drainTimeout,
};

export const hooksOf = ({ lifecycleHooks = [] }: AWSMachinePoolSpec): LifecycleHook[] => [
  ours,
  ...lifecycleHooks.map((hook) => ({
    LifecycleHookName: hook.name,
    LifecycleTransition: hook.lifecycleTransition,
    DefaultResult: hook.defaultResult ?? ('ABANDON' as const),
    HeartbeatTimeout: hook.heartbeatTimeout ? (parseDuration(hook.heartbeatTimeout) ?? defaultTimeout) : defaultTimeout,
    ...(hook.notificationMetadata && { NotificationMetadata: hook.notificationMetadata }),
    ...(hook.notificationTargetARN && { NotificationTargetARN: hook.notificationTargetARN }),
    ...(hook.roleARN && { RoleARN: hook.roleARN }),
  })),
];

const isSame = (wanted: LifecycleHook, there: LifecycleHook): boolean =>
  (
    [
      'LifecycleTransition',
      'DefaultResult',
      'HeartbeatTimeout',
      'NotificationMetadata',
      'NotificationTargetARN',
      'RoleARN',
    ] as const
  ).every((field) => (wanted[field] ?? '') === (there[field] ?? ''));

/** `noted`: hooks that Capstan put, of which those that the spec does not name are removed. Others stay. */
export const hookChanges = (
  wanted: readonly LifecycleHook[],
  there: readonly LifecycleHook[],
  noted: readonly string[],
): { put: LifecycleHook[]; remove: string[] } => {
  const byName = new Map(there.map((hook) => [hook.LifecycleHookName, hook]));
  const names = new Set(wanted.map(({ LifecycleHookName }) => LifecycleHookName));
  return {
    put: wanted.filter((hook) => {
      const known = byName.get(hook.LifecycleHookName);
      return !known || !isSame(hook, known);
    }),
    remove: noted.filter((name) => byName.has(name) && !names.has(name)),
  };
};
