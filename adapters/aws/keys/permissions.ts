import type { Permissions } from '../service/permissions.ts';

/** On the key, and only for data keys made with the store's encryption context. */
export const keyPermissions = {
  GenerateDataKey: ['kms:GenerateDataKey'],
  Decrypt: ['kms:Decrypt'],
} as const satisfies Permissions;
