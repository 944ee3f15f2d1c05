import { DynamoDBClient, ListBackupsCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkError } from '../../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { restoredName } from '../restore/table.ts';
import { findUnderKey } from './under-key.ts';

const [dynamo, s3] = [mockedClient(DynamoDBClient), mockedClient(S3Client)];
const region = 'eu-central-1';
const clients = { tables: new DynamoDBClient({ region }), buckets: new S3Client({ region }) };
const outputs = { ObjectsTable: 'objects', WorkTable: 'work', SnapshotBucket: 'snapshots' };
const copy = restoredName('objects', new Date('2026-11-26T17:00:00Z'));

beforeEach(() => {
  dynamo.reset();
  s3.reset();
  dynamo.on(ListBackupsCommand).resolves({}).on(ListTablesCommand).resolves({});
  s3.on(ListObjectVersionsCommand).resolves({});
});

describe('the data that needs the key', () => {
  it('is none in a bucket without files and a table without backups', async () => {
    expect(await findUnderKey(clients, outputs)).toEqual([]);
    expect(await findUnderKey(clients, {})).toEqual([]);
  });

  it('includes snapshots, their former versions, too', async () => {
    s3.on(ListObjectVersionsCommand).resolves({ Versions: [{ Key: 'a', IsLatest: false }] });
    expect(await findUnderKey(clients, outputs)).toEqual(['etcd snapshots in the bucket snapshots']);
  });

  it('is none in a bucket that is gone', async () => {
    s3.on(ListObjectVersionsCommand).rejects(sdkError('NoSuchBucket'));
    expect(await findUnderKey(clients, outputs)).toEqual([]);
  });

  it('includes backups of all pages that a user or AWS Backup made', async () => {
    dynamo
      .on(ListBackupsCommand)
      .resolvesOnce({
        BackupSummaries: [{ BackupName: 'system', BackupType: 'SYSTEM', BackupStatus: 'AVAILABLE' }],
        LastEvaluatedBackupArn: 'arn',
      })
      .resolvesOnce({
        BackupSummaries: [
          { BackupName: 'by-hand', BackupType: 'USER', BackupStatus: 'AVAILABLE' },
          { BackupName: 'vault', BackupType: 'AWS_BACKUP', BackupStatus: 'AVAILABLE' },
          { BackupName: 'gone', BackupType: 'USER', BackupStatus: 'DELETED' },
        ],
      });
    expect(await findUnderKey(clients, outputs)).toEqual([
      'the backup by-hand of the table objects',
      'the backup vault of the table objects',
    ]);
  });

  it('includes tables that a restore made of this installation', async () => {
    dynamo.on(ListTablesCommand).resolves({ TableNames: [copy, 'others-restored-20261126170000'] });
    expect(await findUnderKey(clients, outputs)).toEqual([`the restored table ${copy}`]);
  });

  it.each([
    { call: 's3:ListBucketVersions', deny: () => s3.on(ListObjectVersionsCommand).rejects(sdkError('AccessDenied')) },
    {
      call: 'dynamodb:ListBackups',
      deny: () => dynamo.on(ListBackupsCommand).rejects(sdkError('AccessDeniedException')),
    },
  ])('is unknown without $call, so nothing is deleted', async ({ call, deny }) => {
    deny();
    await expect(findUnderKey(clients, outputs)).rejects.toThrow(call);
  });
});
