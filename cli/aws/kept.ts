/** Resources that outlive a stack: tables, key, the bucket of etcd snapshots, and the audit log. */
import { setTimeout as wait } from 'node:timers/promises';
import { DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, type KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import type { S3Client } from '@aws-sdk/client-s3';
import { type Existence, findBucket, findLogGroup } from './existence.ts';
import { asking, explained } from './explain.ts';
import type { CloudFormation, Outputs } from './stack.ts';
import { type Tables, tableStatus } from './table.ts';
import { copiesOf } from './under-key.ts';

export interface Kept {
  tables: string[];
  /** Tables that `capstan restore` made: each holds the objects as of some time. */
  copies?: string[];
  /** The key's ARN. */
  key?: string;
  /** The ARN of the key of what is kept beside snapshots. Its deletion stays with the user, as that of the bucket. */
  snapshotKeysKey?: string;
  /** Its deletion stays with the user: snapshots may be the last copy of a cluster. */
  bucket?: string;
  /** The log group of the audit log, which audits may need later. */
  auditLog?: string;
  /** What may exist, and why that is not known. */
  unknown?: Unknown[];
}

export interface Unknown {
  what: string;
  why: string;
}

/** The resource if it exists. */
export const resultOf = <T>(what: string, name: T, found: Existence): { name?: T; unknown: Unknown[] } => {
  switch (found.is) {
    case 'there':
      return { name, unknown: [] };
    case 'gone':
      return { unknown: [] };
    default:
      return { unknown: [{ what, why: found.why }] };
  }
};

export const renderUnknown = (unknown: readonly Unknown[] = []): string[] =>
  unknown.length === 0
    ? []
    : ['Could not be checked, and may exist:', ...unknown.map(({ what, why }) => `  ${what}: ${why}`)];

export interface KeptClients {
  tables: Tables;
  keys: Pick<KMSClient, 'send'>;
  buckets: Pick<S3Client, 'send'>;
  logs: Pick<CloudWatchLogsClient, 'send'>;
}

const tableType = 'AWS::DynamoDB::Table';

/** Days until a key is gone; until then its deletion can be cancelled. */
const pendingDays = 30;

/** Milliseconds between two reads of a table that is being updated, and their maximum. */
const pause = 1_000;
const mostLooks = 120;

const hasTable = async ({ tables }: Pick<KeptClients, 'tables'>, table: string): Promise<boolean> => {
  const status = await tableStatus(tables, table);
  return status !== undefined && status !== 'DELETING';
};

const hasKey = async ({ keys }: Pick<KeptClients, 'keys'>, KeyId: string): Promise<boolean> => {
  try {
    const { KeyMetadata } = await keys.send(new DescribeKeyCommand({ KeyId }));
    return KeyMetadata?.KeyState !== 'PendingDeletion';
  } catch (error) {
    if ((error as Error).name === 'NotFoundException') return false;
    throw explained(error, { action: 'kms:DescribeKey', what: `the key ${KeyId}` });
  }
};

/** Tables that a failed first deployment left: a rollback deletes no protected table. */
export const findLeftTables = async (client: CloudFormation, StackName: string): Promise<string[]> => {
  const { StackResources = [] } = await asking(client.send(new DescribeStackResourcesCommand({ StackName })), {
    action: 'cloudformation:DescribeStackResources',
    what: `the stack ${StackName}`,
  });
  return StackResources.filter(
    ({ ResourceType, ResourceStatus }) => ResourceType === tableType && ResourceStatus === 'DELETE_SKIPPED',
  ).map(({ PhysicalResourceId = '' }) => PhysicalResourceId);
};

/** The resources that these outputs name and that exist. */
export const findKept = async (
  clients: KeptClients,
  { ObjectsTable, WorkTable, KeyArn, SnapshotKeysKeyArn, SnapshotBucket, AuditLogGroup }: Outputs,
): Promise<Kept> => {
  const tables: string[] = [];
  for (const table of [ObjectsTable, WorkTable])
    if (table !== undefined && (await hasTable(clients, table))) tables.push(table);
  const present = async (arn: string | undefined) =>
    arn !== undefined && (await hasKey(clients, arn)) ? arn : undefined;
  const [key, snapshotKeysKey] = [await present(KeyArn), await present(SnapshotKeysKeyArn)];
  const copies = ObjectsTable === undefined ? [] : await copiesOf(clients, ObjectsTable);
  const [bucket, auditLog] = [
    SnapshotBucket === undefined
      ? undefined
      : resultOf(`the bucket ${SnapshotBucket}`, SnapshotBucket, await findBucket(SnapshotBucket, clients.buckets)),
    AuditLogGroup === undefined
      ? undefined
      : resultOf(`the log group ${AuditLogGroup}`, AuditLogGroup, await findLogGroup(AuditLogGroup, clients.logs)),
  ];
  const unknown = [bucket, auditLog].flatMap((one) => one?.unknown ?? []);
  return {
    tables,
    ...(copies.length > 0 && { copies }),
    ...(key !== undefined && { key }),
    ...(snapshotKeysKey !== undefined && { snapshotKeysKey }),
    ...(bucket?.name !== undefined && { bucket: bucket.name }),
    ...(auditLog?.name !== undefined && { auditLog: auditLog.name }),
    ...(unknown.length > 0 && { unknown }),
  };
};

/** A versioned bucket must be emptied of all versions, of which one request deletes at most a thousand. */
const emptied = (bucket: string, region: string): string[] => [
  `  aws s3api delete-objects --bucket ${bucket} --region ${region} --delete "$(aws s3api list-object-versions --bucket ${bucket} --region ${region} --max-items 1000 --query '{Objects: [Versions, DeleteMarkers][][].{Key: Key, VersionId: VersionId}}')"    (again until none is left)`,
  `  aws s3 rb s3://${bucket} --region ${region}`,
];

const deletingTable = (table: string, region: string): string[] => [
  `  aws dynamodb update-table --no-deletion-protection-enabled --table-name ${table} --region ${region}`,
  `  aws dynamodb wait table-exists --table-name ${table} --region ${region}`,
  `  aws dynamodb delete-table --table-name ${table} --region ${region}`,
];

/** The next deployment makes tables of its own. */
export const renderLeftTables = (tables: readonly string[], region: string): string[] =>
  tables.length === 0
    ? []
    : [
        'It left these tables, which are empty and which no later deployment uses:',
        ...tables.flatMap((table) => deletingTable(table, region)),
      ];

const deletingKey = (key: string, region: string): string =>
  `  aws kms schedule-key-deletion --pending-window-in-days ${pendingDays} --key-id ${key} --region ${region}`;

/** Lists the kept resources, the reason, and the commands that delete them. */
export const renderKept = (kept: Kept, region: string): string => {
  const { tables, copies = [], key, snapshotKeysKey, bucket, auditLog } = kept;
  const unknown = renderUnknown(kept.unknown);
  if ([...tables, ...copies, key, snapshotKeysKey, bucket, auditLog].every((one) => one === undefined))
    return unknown.length > 0 ? unknown.join('\n') : 'Nothing of it is kept.';
  const what = [
    ...tables.map((table) => `  table ${table}`),
    ...copies.map((table) => `  table ${table}, restored from one of these`),
    ...(key === undefined ? [] : [`  key   ${key}`]),
    ...(snapshotKeysKey === undefined ? [] : [`  key   ${snapshotKeysKey}, of the keys beside etcd snapshots`]),
    ...(bucket === undefined ? [] : [`  bucket ${bucket}, with etcd snapshots`]),
    ...(auditLog === undefined ? [] : [`  log group ${auditLog}, with the audit log`]),
  ];
  // The key comes last: what it encrypts must not outlive it.
  const how = [
    ...[...tables, ...copies].flatMap((table) => deletingTable(table, region)),
    ...(bucket === undefined ? [] : emptied(bucket, region)),
    ...[key, snapshotKeysKey].flatMap((one) => (one === undefined ? [] : [deletingKey(one, region)])),
    ...(auditLog === undefined ? [] : [`  aws logs delete-log-group --log-group-name ${auditLog} --region ${region}`]),
  ];
  return [
    'Kept, and still charged for. Without the key neither the Secrets among the objects nor snapshots can be read.',
    ...what,
    'When you no longer need them:',
    ...how,
    ...unknown,
  ].join('\n');
};

/** Deletes the tables with their recovery points; the key's deletion can be cancelled for 30 days. */
export const deleteKept = async (
  clients: Pick<KeptClients, 'tables' | 'keys'>,
  { tables, key }: Pick<Kept, 'tables'> & { key?: string | undefined },
  every = pause,
): Promise<void> => {
  for (const TableName of tables) {
    const what = `the table ${TableName}`;
    const unprotected = new UpdateTableCommand({ TableName, DeletionProtectionEnabled: false });
    await asking(clients.tables.send(unprotected), { action: 'dynamodb:UpdateTable', what });
    // A table cannot be deleted while it is being updated.
    for (let look = 1; look < mostLooks && (await tableStatus(clients.tables, TableName)) === 'UPDATING'; look++)
      await wait(every);
    await asking(clients.tables.send(new DeleteTableCommand({ TableName })), { action: 'dynamodb:DeleteTable', what });
  }
  if (key === undefined) return;
  const scheduled = new ScheduleKeyDeletionCommand({ KeyId: key, PendingWindowInDays: pendingDays });
  await asking(clients.keys.send(scheduled), { action: 'kms:ScheduleKeyDeletion', what: `the key ${key}` });
};
