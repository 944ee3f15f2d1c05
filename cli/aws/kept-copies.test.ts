import { DescribeSnapshotsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { beforeEach, expect, it } from 'vitest';
import { sdkError } from '../../adapters/aws/service/sdk-error.fixture.ts';
import { mockedClient } from '../../adapters/aws/service/sdk-mock.fixture.ts';
import { findKeptCopies, renderKeptCopies } from './kept-copies.ts';

const ec2 = mockedClient(EC2Client);
beforeEach(() => ec2.reset());

const snapshot = (SnapshotId: string) => ({
  SnapshotId,
  Description: '/dev/sda1 of EC2 instance i-1',
  Tags: [{ Key: 'capstan.dev/kept-until', Value: '2026-12-30T00:00:00Z' }],
});

it('are found on every page in every region, by the tags of the installation', async () => {
  ec2
    .on(DescribeSnapshotsCommand)
    .resolvesOnce({ Snapshots: [snapshot('snap-1')], NextToken: 'more' })
    .resolvesOnce({ Snapshots: [snapshot('snap-2')] })
    .resolves({ Snapshots: [] });
  const found = await findKeptCopies('blue', ['eu-west-1', 'us-east-1']);
  expect(found.copies.map(({ id, region }) => `${id} ${region}`)).toEqual(['snap-1 eu-west-1', 'snap-2 eu-west-1']);
  expect(ec2.commandCalls(DescribeSnapshotsCommand)[0]?.args[0].input.Filters).toEqual([
    { Name: 'tag:capstan.dev/installation', Values: ['blue'] },
    { Name: 'tag-key', Values: ['capstan.dev/kept-until'] },
  ]);
  const lines = renderKeptCopies(found);
  expect(lines).toContain(
    '  EBS snapshot snap-1 in eu-west-1, /dev/sda1 of EC2 instance i-1, to be kept until 2026-12-30T00:00:00Z',
  );
  expect(lines).toContain('  aws ec2 delete-snapshot --snapshot-id snap-2 --region eu-west-1');
});

it('are named as unknown where the caller may not look', async () => {
  ec2.on(DescribeSnapshotsCommand).rejects(sdkError('UnauthorizedOperation'));
  const found = await findKeptCopies('blue', ['eu-west-1']);
  expect(found).toEqual({
    copies: [],
    unknown: [{ what: 'copies of disks in eu-west-1', why: expect.stringContaining('ec2:DescribeSnapshots') }],
  });
  expect(renderKeptCopies(found)).toEqual([]);
});
