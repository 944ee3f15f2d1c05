/** Plans one pass of an EtcdSnapshot. Pure. */

import { conditionOf, withConditions } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, type Context, found, type Plan } from '../../../machinery/api/reconcile.ts';
import { deletionOf, isOwnedBy, ownerReference, withOwner } from '../../common/owners.ts';
import { offer } from '../../core/contract/download.ts';
import { verifyAnnotation } from '../../core/contract/file-requests.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { isRestoredFrom } from '../../core/contract/restore.ts';
import { callSnapshots } from '../../ports/index.ts';
import type { SnapshotCheck } from '../../ports/snapshots.ts';
import { downloadOf } from './download.ts';
import { type Observed, requestedCheck } from './observe.ts';
import { isOver, storageUnreadable } from './over.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { isWaiting, type Source, type Waiting } from './source.ts';
import { defaultDeadline } from './validate.ts';

type Status = EtcdSnapshotStatus;

/** Seconds. */
const day = 24 * 3600;
const retry = { first: 15, longest: 300 };
/** How long a waiting snapshot relies on events. */
const resync = 60;

const ready = (status: ConditionDraft['status'], reason: string, message: string): ConditionDraft => ({
  type: 'Ready',
  status,
  reason,
  message,
});
const withReady = (status: Status | undefined, draft: ConditionDraft, more: Partial<Status>): Status => ({
  ...status,
  ...more,
  conditions: withConditions((status?.conditions ?? []) as Condition[], draft as Condition),
});

const secondsUntil = (time: number, now: number): number => Math.max(0, Math.ceil((time - now) / 1000));

/** Milliseconds since the epoch. */
const deadlineOf = ({ metadata, spec }: EtcdSnapshot): number =>
  Date.parse(metadata.creationTimestamp ?? '') + (spec?.activeDeadlineSeconds ?? defaultDeadline) * 1000;

const dropFile = ({ status }: EtcdSnapshot) =>
  status?.location === undefined ? [] : [callSnapshots('Delete', { location: status.location })];

const failed = (snapshot: EtcdSnapshot, reason: string, message: string, now: number): Plan<Status> => ({
  actions: dropFile(snapshot),
  status: withReady(snapshot.status, ready('False', reason, message), { phase: 'Failed', failedAt: timestamp(now) }),
  events: [{ type: 'Warning', reason, message }],
});

/** A snapshot that cannot be taken now: it waits, and fails when its time is over. */
const waiting = (snapshot: EtcdSnapshot, { reason, message }: Waiting, now: number): Plan<Status> => ({
  status: withReady(snapshot.status, ready('False', reason, message), { phase: snapshot.status?.phase ?? 'Pending' }),
  requeueAfter: Math.min(resync, secondsUntil(deadlineOf(snapshot), now)),
});

/** The file's key is stored before the file: a pass that dies leaves nothing that no object names. */
const begin = (
  snapshot: EtcdSnapshot,
  cluster: KubeObject,
  { node, member, alarms, kubernetesVersion }: Source,
  { now, installation }: Context,
): Plan<Status> => {
  const startedAt = timestamp(now);
  // Two snapshots may begin in the same second at the same revision.
  const id = (snapshot.metadata.uid ?? '').slice(0, 8);
  const began = startedAt.replaceAll(/[-:]/g, '');
  const location = `${installation}/${cluster.metadata.uid}/${began}-${member.revision}-${id}.db`;
  return {
    status: withReady(snapshot.status, ready('False', 'Taking', `Reading etcd on ${node}`), {
      phase: 'Running',
      startedAt,
      member: node,
      location,
      revision: member.revision,
      etcdVersion: member.version,
      kubernetesVersion,
    }),
    ...(alarms.length > 0 && {
      events: [
        { type: 'Warning', reason: 'EtcdAlarm', message: `Taken although etcd has the alarm ${alarms.join(', ')}` },
      ],
    }),
    again: true,
  };
};

const take = (
  snapshot: EtcdSnapshot,
  cluster: KubeObject,
  { access, node, member, kubernetesVersion }: Source,
  { now, lastFailure, attempts }: Context,
): Plan<Status> => {
  const { metadata, status } = snapshot;
  const { namespace = '', name, uid = '' } = cluster.metadata;
  const { location = '', startedAt = '', revision = 0 } = status ?? {};
  const manifest = {
    cluster: { namespace, name, uid },
    snapshot: { name: metadata.name, uid: metadata.uid ?? '' },
    startedAt,
    member: node,
    etcdVersion: member.version,
    kubernetesVersion,
    revision,
  };
  const delay = Math.min(retry.longest, retry.first * 2 ** Math.max(0, attempts - 1));
  const draft = lastFailure
    ? ready('False', 'TakeFailed', `${lastFailure.message}; attempt ${attempts + 1} follows`)
    : ready('False', 'Taking', `Reading etcd on ${node}`);
  return {
    actions: [callSnapshots('Take', { ...access, location, manifest })],
    status: withReady(status, draft, { phase: 'Running', member: node, etcdVersion: member.version }),
    ...(lastFailure && {
      events: [{ type: 'Warning', reason: 'TakeFailed', message: lastFailure.message }],
      requeueAfter: Math.min(delay, secondsUntil(deadlineOf(snapshot), now)),
    }),
    again: true,
  };
};

const verificationOf = ({ fault, revision, keys }: SnapshotCheck, request: string | undefined, now: number) => ({
  ...(request !== undefined && { request }),
  time: timestamp(now),
  valid: fault === undefined,
  message: fault ?? 'The hash matches, and every page and entry of the database could be read',
  ...(revision !== undefined && { revision }),
  ...(keys !== undefined && { keys }),
});

const succeeded = ({ metadata, status }: EtcdSnapshot, check: SnapshotCheck, now: number): Plan<Status> => {
  const { stored, revision } = check;
  const message = `Snapshot of ${stored.size} bytes from ${stored.member} at revision ${revision}`;
  return {
    status: withReady(status, ready('True', 'Complete', 'The stored file was read back and is complete'), {
      ...stored,
      phase: 'Succeeded',
      completedAt: timestamp(now),
      ...(revision !== undefined && { revision }),
      verification: verificationOf(check, metadata.annotations?.[verifyAnnotation], now),
    }),
    events: [{ type: 'Normal', reason: 'SnapshotComplete', message }],
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

const storageFault = (reason: string): string => `The storage of snapshots cannot be read: ${reason}`;

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
    stored: { size: 0, checksum: '', member: '', etcdVersion: '' },
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

const progress = (observed: Observed, cluster: KubeObject, context: Context): Plan<Status> => {
  const { snapshot, check, source } = observed;
  const { now } = context;
  const result = check && found(check);
  if (result && result.fault === undefined) return succeeded(snapshot, result, now);
  if (now >= deadlineOf(snapshot)) {
    const { message = 'it never began' } = snapshot.status?.conditions?.find(({ type }) => type === 'Ready') ?? {};
    return failed(snapshot, 'DeadlineExceeded', `Not complete in time: ${message}`, now);
  }
  if (result?.fault !== undefined)
    return { ...waiting(snapshot, { reason: 'Damaged', message: result.fault }, now), actions: dropFile(snapshot) };
  if (check?.state === 'unreadable')
    return waiting(snapshot, { reason: storageUnreadable, message: storageFault(check.reason) }, now);
  if (!source) return {};
  if (isWaiting(source)) return waiting(snapshot, source, now);
  return snapshot.status?.location === undefined
    ? begin(snapshot, cluster, source, context)
    : take(snapshot, cluster, source, context);
};

/** A restore reads the file: until it is over, neither its user nor a retention deletes it. */
const isNeeded = ({ snapshot, cluster: read }: Observed): boolean => {
  const cluster = found(read);
  return cluster !== undefined && !isDeleting(cluster) && isRestoredFrom(cluster, snapshot.status?.location);
};

const owned = (snapshot: EtcdSnapshot, cluster: KubeObject): Pick<Plan, 'intent'> =>
  isOwnedBy(snapshot, cluster)
    ? {}
    : { intent: { metadata: { ownerReferences: withOwner(snapshot, ownerReference(cluster)) } } };

export const reconcile = (observed: Observed, context: Context): Plan<Status> => {
  const { snapshot, cluster } = observed;
  const { now } = context;
  if (isDeleting(snapshot))
    return isNeeded(observed) ? { requeueAfter: resync } : { actions: dropFile(snapshot), finished: true };
  if (isOver(snapshot)) {
    const plan = retained(snapshot, now);
    if (plan.actions) return plan;
    const checked = rechecked(observed, now);
    const offered = checked.status ? {} : offering(observed, context);
    return { ...plan, ...checked, ...offered, ...soonest(plan.requeueAfter, offered.requeueAfter) };
  }
  if (cluster.state === 'unreadable' || cluster.state === 'unread') return {};
  const { clusterName = '' } = snapshot.spec ?? {};
  if (cluster.state === 'absent') {
    if (now >= deadlineOf(snapshot))
      return failed(snapshot, 'ClusterNotFound', `There is no Cluster ${clusterName}`, now);
    return waiting(snapshot, { reason: 'ClusterNotFound', message: `There is no Cluster ${clusterName}` }, now);
  }
  if (isDeleting(cluster.value))
    return failed(snapshot, 'ClusterDeleting', `Cluster ${clusterName} is being deleted`, now);
  return { ...owned(snapshot, cluster.value), ...progress(observed, cluster.value, context) };
};
