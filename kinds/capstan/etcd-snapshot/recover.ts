/** A snapshot that brings a deleted one back, of a cluster that may be gone. Pure. */
import { type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { callSnapshots } from '../../ports/index.ts';
import type { DamagedSnapshot, DeletedSnapshot } from '../../ports/snapshots.ts';
import { adviceFor } from './alternatives.ts';
import type { Observed } from './observe.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { attempt, begin, failed, isDamage, storageWaits } from './taking.ts';

type Plans = Plan<EtcdSnapshotStatus>;

/** A client names any key: what another namespace's cluster left is not there for it. */
const isOf = (deleted: DeletedSnapshot | DamagedSnapshot, { metadata, spec }: EtcdSnapshot): boolean => {
  if ('fault' in deleted) return true;
  const { cluster } = deleted.manifest;
  return cluster.namespace === metadata.namespace && cluster.name === spec?.clusterName;
};

/** Fails at once: what is kept stays damaged. */
export const damaged = (
  { snapshot, alternatives, cluster }: Pick<Observed, 'snapshot' | 'alternatives' | 'cluster'>,
  fault: string,
  { now }: Pick<Context, 'now'>,
): Plans => {
  if (alternatives?.present.state === 'unread' || alternatives?.deleted.state === 'unread') return {};
  const advice = alternatives ? adviceFor(snapshot, alternatives, cluster) : '';
  return failed(snapshot, 'Damaged', `What is kept of the deleted file is damaged: ${fault}${advice}`, now);
};

export const recovering = (observed: Observed, context: Context): Plans => {
  const { snapshot, deleted: read } = observed;
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
  if (deleted && 'fault' in deleted) return damaged(observed, deleted.fault, context);
  if (lastFailure && isDamage(lastFailure)) return damaged(observed, lastFailure.message, context);
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
