/** Answers a request once, and deletes it soon after. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Context, Plan, Read, Reader } from '../../../machinery/api/reconcile.ts';
import { deletionOf } from '../../common/owners.ts';
import { askSnapshots } from '../../ports/index.ts';
import type { DeletedSnapshot, SnapshotReads } from '../../ports/snapshots.ts';
import type { SnapshotListRequest, SnapshotListRequestStatus } from './schema.ts';

/** An object holds no more. */
const most = 500;
/** Seconds. */
const answered = 600;
const retry = 15;

type List = SnapshotReads['ListDeleted'][1];
export interface Observed {
  request: SnapshotListRequest;
  /** Absent once the request is answered. */
  list?: Read<List>;
}

export const observe = (request: SnapshotListRequest, read: Reader, { installation }: Context): Observed => {
  if (request.status?.time !== undefined) return { request };
  const { namespace = '' } = request.metadata;
  const cluster = request.spec?.clusterName;
  const asked = { installation, namespace, most, ...(cluster !== undefined && { cluster }) };
  return { request, list: askSnapshots(read, 'ListDeleted', asked) };
};

const shown = ({ location, manifest, deletedAt, keptUntil }: DeletedSnapshot) => {
  const { cluster, snapshot, startedAt, revision, size, kubernetesVersion } = manifest;
  return {
    name: snapshot.name,
    clusterName: cluster.name,
    clusterUID: cluster.uid,
    location,
    startedAt,
    deletedAt: timestamp(deletedAt),
    keptUntil: timestamp(keptUntil),
    revision,
    size,
    kubernetesVersion,
  };
};

export const reconcile = ({ request, list }: Observed, { now }: Context): Plan<SnapshotListRequestStatus> => {
  const { time } = request.status ?? {};
  if (time !== undefined) {
    const left = Math.ceil((Date.parse(time) - now) / 1000) + answered;
    return left > 0 ? { requeueAfter: left } : { actions: [deletionOf(request)] };
  }
  switch (list?.state) {
    case 'found': {
      const { snapshots, omitted } = list.value;
      const status = { time: timestamp(now), snapshots: snapshots.map(shown), ...(omitted > 0 && { omitted }) };
      return { status, requeueAfter: answered };
    }
    case 'unreadable':
      return { status: { message: `The storage of snapshots cannot be read: ${list.reason}` }, requeueAfter: retry };
    default:
      return {};
  }
};
