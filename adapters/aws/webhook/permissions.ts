import type { Permissions } from '../service/permissions.ts';

/** On functions with the tag of webhooks. */
export const webhookPermissions = { Invoke: ['lambda:InvokeFunction'] } as const satisfies Permissions;
