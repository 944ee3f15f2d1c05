import type { Permissions } from '../service/permissions.ts';

/** On the state machine. */
export const machinePermissions = {
  StartExecution: ['states:StartExecution'],
  // IAM checks the state machine that created the task token.
  SendTaskSuccess: ['states:SendTaskSuccess'],
  SendTaskFailure: ['states:SendTaskFailure'],
} as const satisfies Permissions;

/** On its executions. */
export const executionPermissions = {
  DescribeExecution: ['states:DescribeExecution'],
  StopExecution: ['states:StopExecution'],
} as const satisfies Permissions;
