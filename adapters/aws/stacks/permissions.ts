import type { Permissions } from '../service/permissions.ts';

/** On the installation's own stack. */
export const stackPermissions = { DescribeStacks: ['cloudformation:DescribeStacks'] } as const satisfies Permissions;
