/** Snapshots of volumes. */

import type { Calls } from '../call.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

/** A copy of a volume at the moment of the call, which is complete later. */
export type VolumeSnapshot = {
  SnapshotId: string;
  VolumeId: string;
  State: 'pending' | 'completed' | 'error' | 'recoverable' | 'recovering';
  /** Why its state is error. */
  StateMessage?: string;
  /** RFC 3339. */
  StartTime: string;
  /** GiB. */
  VolumeSize: number;
  Encrypted: boolean;
  Description: string;
  Tags: Tag[];
};
export interface SnapshotActions {
  /** OwnerIds self leaves out those of others, of which EC2 lists every public one. */
  DescribeSnapshots: [
    { SnapshotIds?: string[]; OwnerIds?: string[]; Filters?: Filter[] } & Page,
    { Snapshots: VolumeSnapshot[]; NextToken?: string },
  ];
  /** Without a client token. EC2 takes one call a volume in 15 seconds. */
  CreateSnapshot: [
    { VolumeId: string; Description?: string; TagSpecifications: TagSpecifications },
    { SnapshotId: string },
  ];
  DeleteSnapshot: [{ SnapshotId: string }, Empty];
}

export const snapshotCalls = {
  DescribeSnapshots: {},
  CreateSnapshot: { also: ['ec2:CreateTags'], makes: ['snapshot'], ours: ['volume'] },
  DeleteSnapshot: { ours: ['snapshot'] },
} as const satisfies Calls<SnapshotActions>;

export const snapshots = list('DescribeSnapshots', 'SnapshotId', {
  filtered: (Filters) => ({ OwnerIds: ['self'], Filters }),
  type: 'snapshot',
  prefix: 'snap',
});
