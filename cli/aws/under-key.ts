/** Data that an installation's key encrypts beside its tables, unreadable without the key. */
import { ListBackupsCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3';
import { restoredPrefix } from '../restore/table.ts';
import { asking, explained } from './explain.ts';
import type { Outputs } from './stack.ts';
import type { Tables } from './table.ts';

export interface UnderKeyClients {
  tables: Tables;
  buckets: Pick<S3Client, 'send'>;
}

const hasFiles = async ({ buckets }: UnderKeyClients, Bucket: string): Promise<boolean> => {
  try {
    const { Versions = [] } = await buckets.send(new ListObjectVersionsCommand({ Bucket, MaxKeys: 1 }));
    return Versions.length > 0;
  } catch (error) {
    if ((error as Error).name === 'NoSuchBucket') return false;
    throw explained(error, { action: 's3:ListBucketVersions', what: `the bucket ${Bucket}` });
  }
};

/** Without those that DynamoDB makes of a deleted table: they end with the key. */
const backupsOf = async ({ tables }: UnderKeyClients, TableName: string): Promise<string[]> => {
  const what = `backups of the table ${TableName}`;
  const found: string[] = [];
  let ExclusiveStartBackupArn: string | undefined;
  do {
    const request = tables.send(new ListBackupsCommand({ TableName, BackupType: 'ALL', ExclusiveStartBackupArn }));
    const page = await asking(request, { action: 'dynamodb:ListBackups', what });
    for (const { BackupName = '', BackupType, BackupStatus } of page.BackupSummaries ?? [])
      if (BackupType !== 'SYSTEM' && BackupStatus !== 'DELETED') found.push(BackupName);
    ExclusiveStartBackupArn = page.LastEvaluatedBackupArn;
  } while (ExclusiveStartBackupArn);
  return found;
};

/** Tables that `capstan restore` made. */
export const copiesOf = async ({ tables }: Pick<UnderKeyClients, 'tables'>, table: string): Promise<string[]> => {
  const prefix = restoredPrefix(table);
  const request = tables.send(new ListTablesCommand({ ExclusiveStartTableName: prefix }));
  const { TableNames = [] } = await asking(request, { action: 'dynamodb:ListTables', what: 'the tables' });
  return TableNames.filter((name) => name.startsWith(prefix));
};

/** Names each, as a user would look for it. */
export const findUnderKey = async (
  clients: UnderKeyClients,
  { ObjectsTable, SnapshotBucket }: Outputs,
): Promise<string[]> => {
  const bucket = SnapshotBucket !== undefined && (await hasFiles(clients, SnapshotBucket)) ? [SnapshotBucket] : [];
  const [backups, copies] =
    ObjectsTable === undefined
      ? [[], []]
      : [await backupsOf(clients, ObjectsTable), await copiesOf(clients, ObjectsTable)];
  return [
    ...bucket.map((name) => `etcd snapshots in the bucket ${name}`),
    ...backups.map((name) => `the backup ${name} of the table ${ObjectsTable}`),
    ...copies.map((name) => `the restored table ${name}`),
  ];
};
