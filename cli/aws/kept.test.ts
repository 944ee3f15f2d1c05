import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeKeyCommand, KMSClient, ScheduleKeyDeletionCommand } from '@aws-sdk/client-kms';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkError } from '../../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { CliError } from '../errors.ts';
import { deleteKept, findKept, findLeftTables, type Kept, renderKept, renderLeftTables } from './kept.ts';

const [dynamo, kms] = [mockedClient(DynamoDBClient), mockedClient(KMSClient)];
const [s3, logs] = [mockedClient(S3Client), mockedClient(CloudWatchLogsClient)];
beforeEach(() => {
  for (const client of [dynamo, kms, s3, logs]) client.reset();
});
const clients = {
  tables: new DynamoDBClient({ region: 'eu-central-1' }),
  keys: new KMSClient({ region: 'eu-central-1' }),
  buckets: new S3Client({ region: 'eu-central-1' }),
  logs: new CloudWatchLogsClient({ region: 'eu-central-1' }),
};
const asked = () =>
  [...dynamo.calls(), ...kms.calls()].map(({ args: [command] }) => command.constructor.name.replace(/Command$/, ''));

describe('the resources that a stack retains', () => {
  it('name the bucket of snapshots, whose deletion stays with the user', () => {
    const text = renderKept({ tables: [], bucket: 'snapshots' }, 'eu-central-1');
    expect(text).toContain('bucket snapshots, with etcd snapshots');
    expect(text).toContain('aws s3 rb s3://snapshots --region eu-central-1');
  });

  it('name the audit log', () => {
    const text = renderKept({ tables: [], auditLog: 'Capstan-AuditLog' }, 'eu-central-1');
    expect(text).toContain('log group Capstan-AuditLog, with the audit log');
    expect(text).toContain('aws logs delete-log-group --log-group-name Capstan-AuditLog --region eu-central-1');
  });

  it('name the tables that a restore made', () => {
    const text = renderKept({ tables: [], copies: ['objects-restored-1'] }, 'eu-central-1');
    expect(text).toContain('table objects-restored-1, restored from one of these');
    expect(text).toContain('aws dynamodb delete-table --table-name objects-restored-1');
  });

  it('are deleted in an order in which the key outlives what it encrypts', () => {
    const text = renderKept(
      { tables: ['objects'], key: 'arn:key', snapshotKeysKey: 'arn:keys', bucket: 'snapshots' },
      'eu-central-1',
    );
    expect(text).toContain('--key-id arn:keys --region');
    const [table, bucket, key] = ['delete-table', 's3 rb', 'schedule-key-deletion'].map((one) => text.indexOf(one));
    expect([table, bucket, key]).toEqual([table, bucket, key].sort((a, b) => a! - b!));
  });

  const outputs = { ObjectsTable: 'objects', WorkTable: 'work', KeyArn: 'arn:key' };

  it.each<{ rule: string; work: string | Error; key: string | Error; is: Kept }>([
    {
      rule: 'include everything that exists',
      work: 'ACTIVE',
      key: 'Enabled',
      is: { tables: ['objects', 'work'], key: 'arn:key' },
    },
    {
      rule: 'exclude resources that are being deleted',
      work: 'DELETING',
      key: 'PendingDeletion',
      is: { tables: ['objects'] },
    },
    {
      rule: 'exclude resources that are gone',
      work: sdkError('ResourceNotFoundException'),
      key: sdkError('NotFoundException'),
      is: { tables: ['objects'] },
    },
  ])('$rule', async ({ work, key, is }) => {
    dynamo.on(DescribeTableCommand).resolves({ Table: { TableStatus: 'ACTIVE' } });
    const described = dynamo.on(DescribeTableCommand, { TableName: 'work' });
    if (work instanceof Error) described.rejects(work);
    else described.resolves({ Table: { TableStatus: work as 'ACTIVE' } });
    if (key instanceof Error) kms.on(DescribeKeyCommand).rejects(key);
    else kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: 'key', KeyState: key as 'Enabled' } });
    dynamo.on(ListTablesCommand).resolves({ TableNames: [] });
    expect(await findKept(clients, outputs)).toEqual(is);
  });

  const files = { SnapshotBucket: 'snapshots', AuditLogGroup: 'audit' };
  it.each<{ rule: string; bucket: object | Error; groups: string[] | Error; is: Omit<Kept, 'tables'> }>([
    {
      rule: 'include bucket and log group',
      bucket: {},
      groups: ['audit'],
      is: { bucket: 'snapshots', auditLog: 'audit' },
    },
    {
      rule: 'exclude a bucket and a log group that are gone',
      bucket: sdkError('NotFound'),
      groups: ['audit-of-another'],
      is: {},
    },
    {
      rule: 'say what could not be checked',
      bucket: sdkError('Forbidden'),
      groups: sdkError('AccessDeniedException'),
      is: {
        unknown: [
          { what: 'the bucket snapshots', why: expect.stringContaining('s3:ListBucket') },
          { what: 'the log group audit', why: expect.stringContaining('logs:DescribeLogGroups') },
        ],
      },
    },
  ])('$rule', async ({ bucket, groups, is }) => {
    if (bucket instanceof Error) s3.on(HeadBucketCommand).rejects(bucket);
    else s3.on(HeadBucketCommand).resolves(bucket);
    const described = logs.on(DescribeLogGroupsCommand, { logGroupNamePrefix: 'audit' });
    if (groups instanceof Error) described.rejects(groups);
    else described.resolves({ logGroups: groups.map((logGroupName) => ({ logGroupName })) });
    const found = await findKept(clients, files);
    expect(found).toEqual({ tables: [], ...is });
    const text = renderKept(found, 'eu-central-1');
    if (found.unknown) expect(text).toContain('Could not be checked, and may exist:\n  the bucket snapshots: ');
    else if (!found.bucket) expect(text).toBe('Nothing of it is kept.');
  });

  it('are unknown when the caller may not read them', async () => {
    dynamo.on(DescribeTableCommand).rejects(sdkError('AccessDeniedException'));
    const found = findKept(clients, outputs);
    await expect(found).rejects.toBeInstanceOf(CliError);
    await expect(found).rejects.toThrow('dynamodb:DescribeTable on the table objects');
  });

  it('are deleted once their deletion protection is off', async () => {
    dynamo.on(UpdateTableCommand).resolves({}).on(DeleteTableCommand).resolves({});
    const described = dynamo.on(DescribeTableCommand);
    for (const status of ['UPDATING', 'UPDATING', 'ACTIVE'] as const)
      described.resolvesOnce({ Table: { TableStatus: status } });
    kms.on(ScheduleKeyDeletionCommand).resolves({});
    await deleteKept(clients, { tables: ['objects'], key: 'arn:key' }, 1);
    expect(asked()).toEqual([
      'UpdateTable',
      ...['DescribeTable', 'DescribeTable', 'DescribeTable'],
      'DeleteTable',
      'ScheduleKeyDeletion',
    ]);
    const [unprotected, deleted, scheduled] = [
      dynamo.commandCalls(UpdateTableCommand),
      dynamo.commandCalls(DeleteTableCommand),
      kms.commandCalls(ScheduleKeyDeletionCommand),
    ].map(([call]) => call?.args[0].input);
    expect(unprotected).toEqual({ TableName: 'objects', DeletionProtectionEnabled: false });
    expect(deleted).toEqual({ TableName: 'objects' });
    expect(scheduled).toEqual({ KeyId: 'arn:key', PendingWindowInDays: 30 });
  });

  it('keep the key without its ARN', async () => {
    dynamo.onAnyCommand().resolves({});
    await deleteKept(clients, { tables: ['objects'] }, 1);
    expect(dynamo.commandCalls(DeleteTableCommand)).toHaveLength(1);
    expect(kms.calls()).toEqual([]);
  });

  it.each([
    { call: UpdateTableCommand, says: 'dynamodb:UpdateTable', deletions: 0 },
    { call: DeleteTableCommand, says: 'dynamodb:DeleteTable', deletions: 1 },
  ])('stay when $says is denied', async ({ call, says, deletions }) => {
    dynamo.onAnyCommand().resolves({});
    dynamo.on(call as typeof UpdateTableCommand).rejects(sdkError('AccessDeniedException'));
    const deleted = deleteKept(clients, { tables: ['objects'], key: 'arn:key' }, 1);
    await expect(deleted).rejects.toThrow(says);
    expect(dynamo.commandCalls(DeleteTableCommand)).toHaveLength(deletions);
    expect(kms.calls()).toEqual([]);
  });

  it('are listed with the commands that delete them, waits included', () => {
    const lines = renderKept({ tables: ['objects'] }, 'eu-central-1').split('\n');
    expect(lines.filter((line) => line.includes('aws dynamodb')).map((line) => line.trim().split(' ')[2])).toEqual([
      'update-table',
      'wait',
      'delete-table',
    ]);
  });
});

describe('a failed first deployment', () => {
  const stacks = mockedClient(CloudFormationClient);
  it('left the tables that its rollback skipped, with the commands that delete them', async () => {
    stacks.on(DescribeStackResourcesCommand, { StackName: 'Capstan-x' }).resolves({
      StackResources: [
        ['AWS::DynamoDB::Table', 'DELETE_SKIPPED', 'objects'],
        ['AWS::DynamoDB::Table', 'DELETE_COMPLETE', 'work'],
        ['AWS::KMS::Key', 'DELETE_SKIPPED', 'key'],
      ].map(([ResourceType, ResourceStatus, PhysicalResourceId]) => ({
        LogicalResourceId: PhysicalResourceId,
        ResourceType,
        ResourceStatus: ResourceStatus as 'DELETE_SKIPPED',
        PhysicalResourceId,
        Timestamp: new Date(0),
      })),
    });
    const tables = await findLeftTables(new CloudFormationClient({ region: 'eu-central-1' }), 'Capstan-x');
    expect(tables).toEqual(['objects']);
    expect(renderLeftTables(tables, 'eu-central-1').join('\n')).toContain('delete-table --table-name objects');
    expect(renderLeftTables([], 'eu-central-1')).toEqual([]);
  });
});
