/** The processes of a group that may be suspended, under Auto Scaling's names. Pure. */
import type { AWSMachinePoolSpec } from './schema.ts';

const names = {
  addToLoadBalancer: 'AddToLoadBalancer',
  alarmNotification: 'AlarmNotification',
  azRebalance: 'AZRebalance',
  healthCheck: 'HealthCheck',
  instanceRefresh: 'InstanceRefresh',
  launch: 'Launch',
  replaceUnhealthy: 'ReplaceUnhealthy',
  scheduledActions: 'ScheduledActions',
  terminate: 'Terminate',
} as const;

export const suspendedOf = ({ suspendProcesses }: AWSMachinePoolSpec): string[] =>
  (Object.keys(names) as (keyof typeof names)[])
    .filter((name) => suspendProcesses?.all || suspendProcesses?.processes?.[name])
    .map((name) => names[name]);
