import type { Permissions } from '../service/permissions.ts';

/** On the audit log group. */
export const auditPermissions = {
  CreateLogStream: ['logs:CreateLogStream'],
  PutLogEvents: ['logs:PutLogEvents'],
} as const satisfies Permissions;
