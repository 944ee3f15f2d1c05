/** What EBS refuses to copy. */
import { expect, it } from 'vitest';
import type { CloudError } from '../../kinds/ports/cloud/index.ts';
import { openWorld } from './account.fixture.ts';

const second = 1000;
const refusalOf = async (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'done',
    (error: CloudError) => error.code,
  );

const open = async (quotas: { snapshots?: number } = {}) => {
  const world = openWorld({ behaviour: { quotas } });
  const { privateSubnet } = await world.make.network();
  const id = await world.make.instance(privateSubnet);
  const Filters = [{ Name: 'attachment.instance-id', Values: [id] }];
  const { Volumes } = await world.call('DescribeVolumes', { Filters });
  const volumeId = Volumes[0]!.VolumeId;
  const copy = () => world.call('CreateSnapshot', { VolumeId: volumeId, TagSpecifications: [] });
  return { ...world, copy };
};

it('copies a volume once in 15 seconds', async () => {
  const { copy, clock } = await open();
  expect(await refusalOf(copy())).toBe('done');
  await clock.advance(14 * second);
  expect(await refusalOf(copy())).toBe('SnapshotCreationPerVolumeRateExceeded');
  await clock.advance(second);
  expect(await refusalOf(copy())).toBe('done');
});

it('works on five copies of a volume at once', async () => {
  const { copy, clock } = await open();
  const codes: string[] = [];
  for (let i = 0; i < 6; i++) {
    codes.push(await refusalOf(copy()));
    await clock.advance(16 * second);
  }
  expect(codes).toEqual([...Array.from({ length: 5 }, () => 'done'), 'ConcurrentSnapshotLimitExceeded']);
});

it('has a quota', async () => {
  const { copy } = await open({ snapshots: 0 });
  expect(await refusalOf(copy())).toBe('SnapshotLimitExceeded');
});
