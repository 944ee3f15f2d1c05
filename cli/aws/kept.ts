/** What outlives a stack, so that nothing is lost by taking it down: the tables and the key. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, type KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { asking, explained } from './explain.ts';
import type { Outputs } from './stack.ts';

export interface Kept {
  tables: string[];
  /** The key's ARN. */
  key?: string;
}

export interface KeptClients {
  tables: Pick<DynamoDBClient, 'send'>;
  keys: Pick<KMSClient, 'send'>;
}

/** Days until a key is gone; until then its deletion can be cancelled. */
const pendingDays = 30;

/** Milliseconds between two looks at a table that is being updated, and how often it is looked at. */
const pause = 1_000;
const mostLooks = 120;

/** Undefined when it is not there. */
const statusOf = async ({ tables }: KeptClients, TableName: string): Promise<string | undefined> => {
  try {
    const { Table } = await tables.send(new DescribeTableCommand({ TableName }));
    return Table?.TableStatus;
  } catch (error) {
    if ((error as Error).name === 'ResourceNotFoundException') return undefined;
    throw explained(error, { action: 'dynamodb:DescribeTable', what: `the table ${TableName}` });
  }
};

const hasTable = async (clients: KeptClients, table: string): Promise<boolean> => {
  const status = await statusOf(clients, table);
  return status !== undefined && status !== 'DELETING';
};

const hasKey = async ({ keys }: KeptClients, KeyId: string): Promise<boolean> => {
  try {
    const { KeyMetadata } = await keys.send(new DescribeKeyCommand({ KeyId }));
    return KeyMetadata?.KeyState !== 'PendingDeletion';
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return false;
    throw explained(error, { action: 'kms:DescribeKey', what: `the key ${KeyId}` });
  }
};

/** Of what these outputs name, what is there. */
export const findKept = async (clients: KeptClients, { ObjectsTable, WorkTable, KeyArn }: Outputs): Promise<Kept> => {
  const tables: string[] = [];
  for (const table of [ObjectsTable, WorkTable])
    if (table !== undefined && (await hasTable(clients, table))) tables.push(table);
  const key = KeyArn !== undefined && (await hasKey(clients, KeyArn)) ? KeyArn : undefined;
  return { tables, ...(key !== undefined && { key }) };
};

/** What is kept, why, and the commands that delete it. */
export const renderKept = ({ tables, key }: Kept, region: string): string => {
  if (tables.length === 0 && key === undefined) return 'Nothing is kept.';
  const what = [...tables.map((table) => `  table ${table}`), ...(key === undefined ? [] : [`  key   ${key}`])];
  const how = [
    ...tables.flatMap((table) => [
      `  aws dynamodb update-table --no-deletion-protection-enabled --table-name ${table} --region ${region}`,
      `  aws dynamodb wait table-exists --table-name ${table} --region ${region}`,
      `  aws dynamodb delete-table --table-name ${table} --region ${region}`,
    ]),
    ...(key === undefined
      ? []
      : [`  aws kms schedule-key-deletion --pending-window-in-days ${pendingDays} --key-id ${key} --region ${region}`]),
  ];
  return [
    'Kept, and still charged for: the objects, and the key without which the Secrets among them cannot be read.',
    ...what,
    'When nobody needs them any more:',
    ...how,
  ].join('\n');
};

/** Backups for point-in-time recovery go with a table; the key's deletion can be cancelled for 30 days. */
export const deleteKept = async (clients: KeptClients, { tables, key }: Kept, every = pause): Promise<void> => {
  for (const TableName of tables) {
    const what = `the table ${TableName}`;
    const unprotected = new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false });
    await asking(clients.tables.send(unprotected), { action: 'dynamodb:UpdateTable', what });
    // One that is being updated is in use, and cannot be deleted.
    for (let look = 1; look < mostLooks && (await statusOf(clients, TableName)) === 'UPDATING'; look++)
      await wait(every);
    await asking(clients.tables.send(new DeleteTableCommand({ TableName })), { action: 'dynamodb:DeleteTable', what });
  }
  if (key === undefined) return;
  const scheduled = new ScheduleKeyDeletionCommand({ KeyId: key, PendingWindowInDays: pendingDays });
  await asking(clients.keys.send(scheduled), { action: 'kms:ScheduleKeyDeletion', what: `the key ${key}` });
};
