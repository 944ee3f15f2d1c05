/** Snapshots of volumes. Their state follows from the time recorded at creation. */
import type { VolumeSnapshot } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { idErrorsOf, named, newRecord, notFound } from './naming.ts';
import { type Call, type Handlers, scaled } from './state.ts';
import { tagList } from './tags.ts';
import { checkVolumeId, volumeErrors, volumesOf } from './volume.ts';

export interface SnapshotRecord extends Stored {
  volumeId: string;
  size: number;
  encrypted: boolean;
  description: string;
  /** When `pending` ends. */
  settles: number;
}

export const snapshots: CollectionOf<SnapshotRecord> = {
  name: 'snapshots',
  errors: idErrorsOf('snap', 'InvalidSnapshot', 'snapshot'),
  indexes: { 'volume-id': ({ volumeId }) => [volumeId] },
};

export const snapshotErrors = {
  ...idErrorsOf('snap', 'InvalidSnapshot', 'snapshot'),
  message: (ids: string) => `The snapshot '${ids}' does not exist.`,
};

/** EBS's quotas of one volume: snapshots that are pending, and milliseconds between two calls. */
const mostPending = 5;
const pause = 15_000;

export const snapshotState = ({ settles }: SnapshotRecord, now: number): VolumeSnapshot['State'] =>
  now < settles ? 'pending' : 'completed';

const view = (snapshot: SnapshotRecord, now: number): VolumeSnapshot => ({
  SnapshotId: snapshot.id,
  VolumeId: snapshot.volumeId,
  State: snapshotState(snapshot, now),
  StartTime: new Date(snapshot.created).toISOString(),
  VolumeSize: snapshot.size,
  Encrypted: snapshot.encrypted,
  Description: snapshot.description,
  Tags: tagList(snapshot.tags),
});

const fieldsAt = ({ now }: Call): Fields<SnapshotRecord> => ({
  'snapshot-id': ({ id }) => [id],
  'volume-id': ({ volumeId }) => [volumeId],
  description: ({ description }) => [description],
  status: (snapshot) => [snapshotState(snapshot, now)],
});

export const snapshotActions = {
  DescribeSnapshots: (call, { SnapshotIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: SnapshotIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.snapshots, snapshotErrors, fieldsAt(call), question);
    return {
      Snapshots: found.items.map((snapshot) => view(snapshot, call.now)),
      ...(found.NextToken && { NextToken: found.NextToken }),
    };
  },

  CreateSnapshot: (call, { VolumeId, Description = '', TagSpecifications }) => {
    const { account, region, now } = call;
    const { delays, quotas } = account.behaviour;
    checkVolumeId(VolumeId);
    const volume = account.instances
      .by('volume', VolumeId)
      .filter((instance) => instance.region === region)
      .flatMap((instance) => volumesOf(instance, now))
      .find(({ id }) => id === VolumeId);
    if (!volume) return notFound([VolumeId], volumeErrors);
    const base = newRecord(call, 'snap', 'snapshot', TagSpecifications);
    const earlier = account.snapshots.by('volume-id', VolumeId);
    if (earlier.some(({ created }) => now - created < scaled(account, pause)))
      refuse(
        'SnapshotCreationPerVolumeRateExceeded',
        'The maximum per volume CreateSnapshot request rate has been exceeded. Use an increasing or variable sleep interval between requests.',
      );
    if (earlier.filter((one) => snapshotState(one, now) === 'pending').length >= mostPending)
      refuse('ConcurrentSnapshotLimitExceeded', `Maximum allowed in-progress snapshots for a single volume exceeded.`);
    if (account.snapshots.count('region', region) >= quotas.snapshots)
      refuse('SnapshotLimitExceeded', 'You have reached the maximum number of snapshots that you can create.');
    const snapshot: SnapshotRecord = {
      ...base,
      volumeId: VolumeId,
      size: volume.size,
      encrypted: volume.encrypted,
      description: Description,
      settles: now + scaled(account, delays.snapshotCompleted),
    };
    account.snapshots.put(snapshot);
    return { SnapshotId: snapshot.id };
  },

  DeleteSnapshot: (call, { SnapshotId }) => {
    const snapshot = named(call, call.account.snapshots, SnapshotId, snapshotErrors);
    call.account.snapshots.delete(snapshot.id);
    return {};
  },
} satisfies Handlers;
