import type { Permissions } from '../service/permissions.ts';

/** On the state machine. */
export const machinePermissions = {
  StartExecution: ['states:StartExecution'],
  // Who holds a task's token answers it; what is checked is the state machine that made the token.
  SendTaskSuccess: ['states:SendTaskSuccess'],
  SendTaskFailure: ['states:SendTaskFailure'],
} as const satisfies Permissions;

/** On its executions. */
export const executionPermissions = {
  DescribeExecution: ['states:DescribeExecution'],
  StopExecution: ['states:StopExecution'],
} as const satisfies Permissions;
