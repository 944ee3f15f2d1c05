import type { Permissions } from '../service/permissions.ts';

/** On the queues that are written to; the service checks sending and the messages a function was given apart. */
export const sendPermissions = { SendMessage: ['sqs:SendMessage'] } as const satisfies Permissions;

/** On the queues that the function works on. */
export const receivePermissions = {
  ChangeMessageVisibility: ['sqs:ChangeMessageVisibility'],
} as const satisfies Permissions;
