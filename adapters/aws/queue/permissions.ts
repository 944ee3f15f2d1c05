import type { Permissions } from '../service/permissions.ts';

/** On the queues to which a function sends. */
export const sendPermissions = { SendMessageBatch: ['sqs:SendMessage'] } as const satisfies Permissions;

/** On the queue that invokes the function. */
export const receivePermissions = {
  ChangeMessageVisibility: ['sqs:ChangeMessageVisibility'],
} as const satisfies Permissions;
