/** Plans one pass of an EtcdSnapshot. Pure. */

import { conditionOf } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { deletionOf, isOwnedBy, ownerReference, withOwner } from '../../common/owners.ts';
import { refusedDeletion } from '../../common/undeleted.ts';
import type { Cluster } from '../../core/cluster/schema.ts';
import { isInitialized } from '../../core/contract/cluster-status.ts';
import { offer } from '../../core/contract/download.ts';
import { verifyAnnotation } from '../../core/contract/file-requests.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { originFileOf } from '../../core/contract/origin.ts';
import { clusterUidIn, isRestoredFrom } from '../../core/contract/restore.ts';
import { callSnapshots } from '../../ports/index.ts';
import { type KeptSecret, nothingStored, type SnapshotCheck } from '../../ports/snapshots.ts';
import { copying } from './copy.ts';
import { deleting, inUse, isOfDeletion } from './deletion.ts';
import { downloadOf } from './download.ts';
import { restoringKeys } from './keys.ts';
import { type Observed, requestedCheck } from './observe.ts';
import { isOver, storageUnreadable } from './over.ts';
import { damaged, recovering } from './recover.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { isWaiting, type Source } from './source.ts';
import {
  attempt,
  begin,
  deadlineOf,
  dropFile,
  failed,
  manifestOf,
  ready,
  resync,
  secondsUntil,
  storageFault,
  storageWaits,
  waiting,
  withReady,
} from './taking.ts';

type Status = EtcdSnapshotStatus;

/** Seconds. */
const day = 24 * 3600;
const beginTaking = (
  snapshot: EtcdSnapshot,
  cluster: KubeObject,
  { node, member, alarms, kubernetesVersion }: Source,
  context: Context,
): Plan<Status> => ({
  ...begin(snapshot, cluster.metadata.uid ?? '', context, {
    message: `Reading etcd on ${node}`,
    member: node,
    revision: member.revision,
    etcdVersion: member.version,
    kubernetesVersion,
  }),
  ...(alarms.length > 0 && {
    events: [
      { type: 'Warning', reason: 'EtcdAlarm', message: `Taken although etcd has the alarm ${alarms.join(', ')}` },
    ],
  }),
});

const take = (
  snapshot: EtcdSnapshot,
  cluster: KubeObject,
  { access, node, member, kubernetesVersion, secrets }: Source & { secrets: KeptSecret[] },
  context: Context,
): Plan<Status> => {
  const { location = '' } = snapshot.status ?? {};
  const manifest = {
    ...manifestOf(snapshot, cluster, { member: node, etcdVersion: member.version, kubernetesVersion }),
    ...(secrets.length > 0 && { secrets: secrets.map(({ name }) => name) }),
  };
  return attempt(snapshot, callSnapshots('Take', { ...access, location, manifest, secrets }), context, {
    message: `Reading etcd on ${node}`,
    member: node,
    etcdVersion: member.version,
  });
};

const verificationOf = ({ fault, revision, keys }: SnapshotCheck, request: string | undefined, now: number) => ({
  ...(request !== undefined && { request }),
  time: timestamp(now),
  valid: fault === undefined,
  message: fault ?? 'The hash matches, and every page and entry of the database could be read',
  ...(revision !== undefined && { revision }),
  ...(keys !== undefined && { keys }),
});

const succeeded = ({ metadata, spec, status }: EtcdSnapshot, check: SnapshotCheck, now: number): Plan<Status> => {
  const { secrets: kept, ...stored } = check.stored;
  const revision = status?.revision ?? check.revision;
  const message = `Snapshot of ${stored.size} bytes from ${stored.member} at revision ${revision}`;
  return {
    status: withReady(status, ready('True', 'Complete', 'The stored file was read back and is complete'), {
      ...stored,
      ...(kept && { keys: { kept } }),
      phase: 'Succeeded',
      // What is brought back has the state of then.
      completedAt: (spec?.recover && status?.startedAt) ?? timestamp(now),
      ...(revision !== undefined && { revision }),
      verification: verificationOf(check, metadata.annotations?.[verifyAnnotation], now),
    }),
    events: [{ type: 'Normal', reason: 'SnapshotComplete', message, isOfStatus: true }],
  };
};

/** Deletes the snapshot at the end of its retention, or requeues it for then. */
const retained = (snapshot: EtcdSnapshot, now: number): Plan<Status> => {
  const { spec, status } = snapshot;
  const ttl = spec?.ttlSecondsAfterFinished;
  const end = Date.parse(status?.completedAt ?? status?.failedAt ?? '');
  if (ttl === undefined || Number.isNaN(end)) return {};
  const left = secondsUntil(end + ttl * 1000, now);
  return left > 0 ? { requeueAfter: Math.min(day, left) } : { actions: [deletionOf(snapshot)] };
};

/** A whole file may be another one than the one that was taken. */
const compared = (check: SnapshotCheck, status: Status | undefined): SnapshotCheck =>
  check.fault !== undefined || check.stored.checksum === status?.checksum
    ? check
    : { ...check, fault: `the file has the checksum ${check.stored.checksum}, not ${status?.checksum}` };

/** What was proven before stays proven. */
const unchecked = ({ status }: EtcdSnapshot, reason: string): Plan<Status> => {
  const { status: proven = 'Unknown' } = conditionOf(status?.conditions, 'Ready') ?? {};
  return {
    status: withReady(status, ready(proven, storageUnreadable, storageFault(reason)), {}),
    requeueAfter: resync,
  };
};

/** A check that a user asked for. A damaged file is no longer Ready, and stays for a person to look at. */
const rechecked = ({ snapshot, check }: Observed, now: number): Plan<Status> => {
  const result = check && found(check);
  const { status } = snapshot;
  if (check?.state === 'unreadable') return unchecked(snapshot, check.reason);
  if (!check || check.state === 'unread') return {};
  const gone: SnapshotCheck = {
    stored: nothingStored,
    fault: 'the file is gone',
  };
  const verification = verificationOf(result ? compared(result, status) : gone, requestedCheck(snapshot), now);
  const draft = verification.valid
    ? ready('True', 'Complete', 'The stored file was read back and is complete')
    : ready('False', 'Damaged', verification.message);
  return {
    status: withReady(status, draft, { verification }),
    ...(!verification.valid && {
      events: [{ type: 'Warning' as const, reason: 'Damaged', message: verification.message }],
    }),
  };
};

const offering = ({ snapshot, offer: observed }: Observed, context: Context): Plan<Status> => {
  const { download, ...plan } = (observed && offer(downloadOf(snapshot), observed, context)) ?? {};
  return { ...plan, ...(download && { status: { ...snapshot.status, download } }) };
};

const soonest = (...seconds: (number | undefined)[]): Pick<Plan, 'requeueAfter'> => {
  const due = seconds.filter((one) => one !== undefined);
  return due.length > 0 ? { requeueAfter: Math.min(...due) } : {};
};

/** A damaged file goes before another attempt writes it. */
const takenAgain = (snapshot: EtcdSnapshot, fault: string, { now, lastFailure }: Context): Plan<Status> => {
  const message = isOfDeletion(lastFailure) ? `${fault}; ${refusedDeletion('it', lastFailure)}` : fault;
  return { ...waiting(snapshot, { reason: 'Damaged', message }, now), actions: dropFile(snapshot) };
};

/** `cluster`: undefined only of a snapshot that brings a deleted one back. */
const progress = (observed: Observed, cluster: KubeObject | undefined, context: Context): Plan<Status> => {
  const { snapshot, check, source } = observed;
  const { now } = context;
  const result = check && found(check);
  if (result && result.fault === undefined) return succeeded(snapshot, result, now);
  if (now >= deadlineOf(snapshot)) {
    const { message = 'it never began' } = snapshot.status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
    return failed(snapshot, 'DeadlineExceeded', `Not complete in time: ${message}`, now);
  }
  if (result?.fault !== undefined && snapshot.spec?.recover) return damaged(observed, result.fault, context);
  if (result?.fault !== undefined) return takenAgain(snapshot, result.fault, context);
  if (check?.state === 'unreadable') return storageWaits(snapshot, check.reason, now);
  if (snapshot.spec?.recover) return recovering(observed, context);
  if (!cluster) return {};
  if (observed.original) return copying(snapshot, cluster, observed.original, context);
  if (!source) return {};
  if (isWaiting(source)) return waiting(snapshot, source, now);
  return snapshot.status?.location === undefined
    ? beginTaking(snapshot, cluster, source, context)
    : take(snapshot, cluster, { ...source, secrets: observed.secrets ?? [] }, context);
};

/** The host of a new cluster that begins with the copy may not have read it yet. */
const isOriginOf = (cluster: KubeObject, location: string | undefined): boolean =>
  location !== undefined && !isInitialized(cluster as Cluster) && originFileOf(cluster)?.location === location;

/** A restore reads the file: until it is over, neither its user nor a retention deletes it. */
const isNeeded = ({ snapshot, cluster: read }: Observed): boolean => {
  const cluster = found(read);
  if (cluster === undefined || isDeleting(cluster)) return false;
  const location = snapshot.status?.location;
  return isRestoredFrom(cluster, location) || isOriginOf(cluster, location);
};

/** The last one of a cluster that is deleted, which it outlives. */
const isFinal = ({ spec }: EtcdSnapshot): boolean => spec?.reason === 'Deletion';

const owned = (snapshot: EtcdSnapshot, cluster: KubeObject): Pick<Plan, 'intent'> =>
  isOwnedBy(snapshot, cluster)
    ? {}
    : { intent: { metadata: { ownerReferences: withOwner(snapshot, ownerReference(cluster)) } } };

/** A cluster that was created again under the name is another one. */
const ownedByItsCluster = (snapshot: EtcdSnapshot, cluster: KubeObject | undefined): Pick<Plan, 'intent'> =>
  cluster && !isDeleting(cluster) && clusterUidIn(snapshot.status?.location) === cluster.metadata.uid
    ? owned(snapshot, cluster)
    : {};

export const reconcile = (observed: Observed, context: Context): Plan<Status> => {
  const { snapshot, cluster } = observed;
  const { now } = context;
  if (isDeleting(snapshot)) return isNeeded(observed) ? inUse(snapshot) : deleting(snapshot, context);
  if (isOver(snapshot)) {
    const plan = retained(snapshot, now);
    if (plan.actions) return plan;
    const checked = rechecked(observed, now);
    if (checked.status) return { ...plan, ...checked, ...soonest(plan.requeueAfter, checked.requeueAfter) };
    const asked = observed.keys ? restoringKeys(snapshot, observed.keys) : offering(observed, context);
    return { ...plan, ...asked, ...soonest(plan.requeueAfter, asked.requeueAfter) };
  }
  if (cluster.state === 'unreadable' || cluster.state === 'unread') return {};
  if (snapshot.spec?.recover)
    return { ...ownedByItsCluster(snapshot, found(cluster)), ...progress(observed, found(cluster), context) };
  const { clusterName = '' } = snapshot.spec ?? {};
  if (cluster.state === 'absent') {
    if (now >= deadlineOf(snapshot))
      return failed(snapshot, 'ClusterNotFound', `There is no Cluster ${clusterName}`, now);
    return waiting(snapshot, { reason: 'ClusterNotFound', message: `There is no Cluster ${clusterName}` }, now);
  }
  if (isFinal(snapshot)) return progress(observed, cluster.value, context);
  if (isDeleting(cluster.value))
    return failed(snapshot, 'ClusterDeleting', `Cluster ${clusterName} is being deleted`, now);
  if (observed.hosted !== undefined)
    return { ...owned(snapshot, cluster.value), ...failed(snapshot, 'EtcdOfService', observed.hosted, now) };
  return { ...owned(snapshot, cluster.value), ...progress(observed, cluster.value, context) };
};
