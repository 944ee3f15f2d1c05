/** A snapshot that brings a deleted one back, of a cluster that may be gone. Pure. */
import { type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { callSnapshots } from '../../ports/index.ts';
import type { DeletedSnapshot } from '../../ports/snapshots.ts';
import type { Observed } from './observe.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { attempt, begin, failed, storageWaits } from './taking.ts';

type Plans = Plan<EtcdSnapshotStatus>;

/** A client names any key: what another namespace's cluster left is not there for it. */
const isOf = ({ manifest: { cluster } }: DeletedSnapshot, { metadata, spec }: EtcdSnapshot): boolean =>
  cluster.namespace === metadata.namespace && cluster.name === spec?.clusterName;

export const recovering = ({ snapshot, deleted: read }: Observed, context: Context): Plans => {
  const { location: from = '' } = snapshot.spec?.recover ?? {};
  const deleted = read && found(read);
  const { lastFailure } = context;
  if (read?.state === 'unreadable') return storageWaits(snapshot, read.reason, context.now);
  if (read?.state === 'absent' || (deleted && !isOf(deleted, snapshot)) || lastFailure?.code === 'NotFound')
    return failed(
      snapshot,
      'NothingKept',
      `Nothing is kept of a snapshot of Cluster ${snapshot.spec?.clusterName} under ${from}`,
      context.now,
    );
  if (!deleted) return {};
  const { cluster, startedAt, revision, member, etcdVersion, kubernetesVersion } = deleted.manifest;
  const message = `Bringing ${from} back`;
  const source = { member, etcdVersion, kubernetesVersion };
  const { location } = snapshot.status ?? {};
  if (location === undefined) {
    const begun = begin(snapshot, cluster.uid, context, { message, revision, ...source });
    // Its state is that of then, whenever it is brought back.
    return { ...begun, status: { ...begun.status, startedAt } };
  }
  const { name, uid = '' } = snapshot.metadata;
  const manifest = { ...deleted.manifest, snapshot: { name, uid } };
  return attempt(snapshot, callSnapshots('Recover', { from, location, manifest }), context, { message });
};
