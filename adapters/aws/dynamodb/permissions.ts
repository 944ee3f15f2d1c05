import type { Permissions } from '../service/permissions.ts';

/** On the table. IAM checks each operation of a transaction. */
export const tablePermissions = {
  GetItem: ['dynamodb:GetItem'],
  Query: ['dynamodb:Query'],
  PutItem: ['dynamodb:PutItem'],
  UpdateItem: ['dynamodb:UpdateItem'],
  DeleteItem: ['dynamodb:DeleteItem'],
  TransactWriteItems: ['dynamodb:ConditionCheckItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
} as const satisfies Permissions;
