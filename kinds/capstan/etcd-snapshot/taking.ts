/** One attempt at the file of a snapshot: where it is stored, how often it is tried, and how it fails. Pure. */
import { withConditions } from '../../../machinery/api/conditions.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import type { Action, ConditionDraft, Context, Failure, Plan } from '../../../machinery/api/reconcile.ts';
import { callSnapshots } from '../../ports/index.ts';
import type { SnapshotManifest } from '../../ports/snapshots.ts';
import { storageUnreadable } from './over.ts';
import type { EtcdSnapshot, EtcdSnapshotStatus } from './schema.ts';
import { defaultDeadline } from './validate.ts';

type Status = EtcdSnapshotStatus;

/** Seconds. */
const retry = { first: 15, longest: 300 };

export const ready = (status: ConditionDraft['status'], reason: string, message: string): ConditionDraft => ({
  type: 'Ready',
  status,
  reason,
  message,
});
export const withReady = (status: Status | undefined, draft: ConditionDraft, more: Partial<Status>): Status => ({
  ...status,
  ...more,
  conditions: withConditions((status?.conditions ?? []) as Condition[], draft as Condition),
});

export const secondsUntil = (time: number, now: number): number => Math.max(0, Math.ceil((time - now) / 1000));

/** Milliseconds since the epoch. */
export const deadlineOf = ({ metadata, spec }: EtcdSnapshot): number =>
  Date.parse(metadata.creationTimestamp ?? '') + (spec?.activeDeadlineSeconds ?? defaultDeadline) * 1000;

export const dropFile = ({ status }: EtcdSnapshot) =>
  status?.location === undefined ? [] : [callSnapshots('Delete', { location: status.location })];

export const failed = (snapshot: EtcdSnapshot, reason: string, message: string, now: number): Plan<Status> => ({
  actions: dropFile(snapshot),
  status: withReady(snapshot.status, ready('False', reason, message), { phase: 'Failed', failedAt: timestamp(now) }),
  events: [{ type: 'Warning', reason, message }],
});

/** What is stored is another one than was written, which no attempt changes. */
export const isDamage = (failure: Failure | undefined): boolean => failure?.code === 'Damaged';

/** How long a waiting snapshot relies on events, in seconds. */
export const resync = 60;

/** A snapshot that cannot be taken now: it waits, and fails when its time is over. */
export const waiting = (
  snapshot: EtcdSnapshot,
  { reason, message }: { reason: string; message: string },
  now: number,
): Plan<Status> => ({
  status: withReady(snapshot.status, ready('False', reason, message), { phase: snapshot.status?.phase ?? 'Pending' }),
  requeueAfter: Math.min(resync, secondsUntil(deadlineOf(snapshot), now)),
});

export const storageFault = (reason: string): string => `The storage of snapshots cannot be read: ${reason}`;

export const storageWaits = (snapshot: EtcdSnapshot, reason: string, now: number): Plan<Status> =>
  waiting(snapshot, { reason: storageUnreadable, message: storageFault(reason) }, now);

/** Two snapshots may begin in the same second at the same revision. */
const locationOf = (
  { metadata }: EtcdSnapshot,
  clusterUid: string,
  { installation, startedAt, revision }: { installation: string; startedAt: string; revision: number },
): string => {
  const [id, began] = [(metadata.uid ?? '').slice(0, 8), startedAt.replaceAll(/[-:]/g, '')];
  return `${installation}/${clusterUid}/${began}-${revision}-${id}.db`;
};

/** What is read, and its versions. */
interface Source {
  message: string;
  member: string;
  revision: number;
  etcdVersion: string;
  kubernetesVersion: string;
}

/** The file's key is stored before the file: a pass that dies leaves nothing that no object names. */
export const begin = (
  snapshot: EtcdSnapshot,
  clusterUid: string,
  { now, installation }: Context,
  { message, revision, ...source }: Source,
): Plan<Status> => {
  const startedAt = timestamp(now);
  const location = locationOf(snapshot, clusterUid, { installation, startedAt, revision });
  const status = { phase: 'Running' as const, startedAt, location, revision, ...source };
  return { status: withReady(snapshot.status, ready('False', 'Taking', message), status), again: true };
};

export const manifestOf = (
  { metadata, status }: EtcdSnapshot,
  cluster: KubeObject,
  source: Pick<Source, 'member' | 'etcdVersion' | 'kubernetesVersion'>,
): SnapshotManifest => {
  const { namespace = '', name, uid = '' } = cluster.metadata;
  const { startedAt = '', revision = 0 } = status ?? {};
  return {
    cluster: { namespace, name, uid },
    snapshot: { name: metadata.name, uid: metadata.uid ?? '' },
    startedAt,
    revision,
    ...source,
  };
};

/** Writes the file; after a failure at growing intervals. */
export const attempt = (
  snapshot: EtcdSnapshot,
  action: Action,
  { now, lastFailure, attempts }: Context,
  { message, ...more }: Pick<Source, 'message'> & Partial<Status>,
): Plan<Status> => {
  const delay = Math.min(retry.longest, retry.first * 2 ** Math.max(0, attempts - 1));
  const draft = lastFailure
    ? ready('False', 'TakeFailed', `${lastFailure.message}; attempt ${attempts + 1} follows`)
    : ready('False', 'Taking', message);
  return {
    actions: [action],
    status: withReady(snapshot.status, draft, { phase: 'Running', ...more }),
    ...(lastFailure && {
      events: [{ type: 'Warning', reason: 'TakeFailed', message: lastFailure.message }],
      requeueAfter: Math.min(delay, secondsUntil(deadlineOf(snapshot), now)),
    }),
    again: true,
  };
};
