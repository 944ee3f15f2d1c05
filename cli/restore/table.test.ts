import { DescribeTableCommand, DynamoDBClient, RestoreTableToPointInTimeCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { sdkError } from '../../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { CliError } from '../errors.ts';
import { beginRestore, untilActive } from './table.ts';

const dynamo = mockedClient(DynamoDBClient);
beforeEach(() => dynamo.reset());
const client = new DynamoDBClient({ region: 'eu-central-1' });

const gone = sdkError('ResourceNotFoundException');
const at = new Date('2026-11-26T17:00:00.123Z');
const restored = 'objects-restored-20261126170000';
const statuses = (...all: (string | Error)[]) => {
  const described = dynamo.on(DescribeTableCommand);
  for (const one of all)
    if (one instanceof Error) described.rejectsOnce(one);
    else described.resolvesOnce({ Table: { TableStatus: one as 'ACTIVE' } });
};
const begun = () => dynamo.commandCalls(RestoreTableToPointInTimeCommand).map(({ args: [{ input }] }) => input);

describe('the restore of a table', () => {
  it('creates a table whose name contains the time', async () => {
    statuses(gone);
    dynamo.on(RestoreTableToPointInTimeCommand).resolves({});
    expect(await beginRestore(client, 'objects', at)).toBe(restored);
    expect(begun()).toEqual([{ SourceTableName: 'objects', TargetTableName: restored, RestoreDateTime: at }]);
  });

  it.each(['CREATING', 'ACTIVE'])('is not repeated while its table is %s', async (status) => {
    statuses(status);
    expect(await beginRestore(client, 'objects', at)).toBe(restored);
    expect(begun()).toEqual([]);
  });

  it('continues with the table of another process', async () => {
    statuses(gone);
    dynamo.on(RestoreTableToPointInTimeCommand).rejects(sdkError('TableAlreadyExistsException'));
    expect(await beginRestore(client, 'objects', at)).toBe(restored);
  });

  it.each([
    { name: 'InvalidRestoreTimeException', says: 'the table objects cannot be restored to 2026-11-26T17:00:00.123Z' },
    { name: 'PointInTimeRecoveryUnavailableException', says: 'the table objects cannot be restored to' },
    { name: 'AccessDeniedException', says: 'dynamodb:RestoreTableToPointInTime' },
  ])('reports $name in one line', async ({ name, says }) => {
    statuses(gone);
    dynamo.on(RestoreTableToPointInTimeCommand).rejects(sdkError(name));
    const error = await beginRestore(client, 'objects', at).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ exitCode: 1, message: expect.stringContaining(says) });
  });
});

describe('the wait for a restored table', () => {
  const wait = async () => {
    const reports: number[] = [];
    await untilActive(client, restored, { report: (seconds) => reports.push(seconds), every: 1 });
    return reports;
  };

  it('lasts until the table is active, and reports each time that it is not', async () => {
    statuses('CREATING', 'UPDATING', 'CREATING', 'ACTIVE');
    expect(await wait()).toEqual([0, 0, 0]);
  });

  it.each([
    { is: 'DELETING', status: 'DELETING', says: `the table ${restored} is DELETING` },
    { is: 'INACCESSIBLE_ENCRYPTION_CREDENTIALS', status: 'INACCESSIBLE_ENCRYPTION_CREDENTIALS', says: 'INACCESSIBLE' },
    { is: 'gone', status: gone, says: `the table ${restored} is not there` },
    { is: 'not readable', status: sdkError('AccessDeniedException'), says: 'dynamodb:DescribeTable' },
  ])('ends with an error when the table is $is', async ({ status, says }) => {
    statuses('CREATING', status);
    await expect(wait()).rejects.toThrow(says);
  });
});
