/** What there is instead of a deleted snapshot that cannot be brought back. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { askSnapshots } from '../../ports/index.ts';
import type { SnapshotReads } from '../../ports/snapshots.ts';
import type { EtcdSnapshot } from './schema.ts';

/** Of the same Cluster. */
export interface Alternatives {
  present: Read<EtcdSnapshot[]>;
  deleted: Read<SnapshotReads['ListDeleted'][1]>;
}

/** How many deleted ones are read. */
const most = 100;

export const observeAlternatives = (
  { metadata: { namespace = '' }, spec }: EtcdSnapshot,
  read: Reader,
  installation: string,
): Alternatives => {
  const cluster = spec?.clusterName ?? '';
  return {
    present: read.list('EtcdSnapshot', { namespace, cluster }),
    deleted: askSnapshots(read, 'ListDeleted', { installation, namespace, cluster, most }),
  };
};

interface Alternative {
  name: string;
  startedAt: string;
  /** The key of a deleted one. */
  deleted?: string;
}

const isReady = (snapshot: EtcdSnapshot): boolean =>
  !isDeleting(snapshot) &&
  snapshot.status?.phase === 'Succeeded' &&
  conditionOf(snapshot.status.conditions, 'Ready')?.status === 'True';

const alternativesTo = ({ spec, status }: EtcdSnapshot, { present, deleted }: Alternatives): Alternative[] => [
  ...(found(present) ?? [])
    .filter(isReady)
    .map((one) => ({ name: one.metadata.name, startedAt: one.status?.startedAt ?? '' })),
  ...(found(deleted)?.snapshots ?? [])
    .filter(({ location }) => location !== spec?.recover?.location && location !== status?.location)
    .map(({ location, manifest: { snapshot, startedAt } }) => ({ name: snapshot.name, startedAt, deleted: location })),
];

/** The nearest in time, or the newest if the time of the damaged one is unknown. One that is there comes first. */
const nearest = (all: Alternative[], startedAt: string | undefined): Alternative | undefined => {
  const time = startedAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(startedAt);
  const distance = (one: Alternative) =>
    Number.isFinite(time) ? Math.abs(Date.parse(one.startedAt) - time) : -Date.parse(one.startedAt);
  return all.toSorted((a, b) => distance(a) - distance(b))[0];
};

/** Names the next best snapshot and the command for it; empty if there is none. */
export const adviceFor = (snapshot: EtcdSnapshot, alternatives: Alternatives, cluster: Read<KubeObject>): string => {
  const one = nearest(alternativesTo(snapshot, alternatives), snapshot.status?.startedAt);
  if (!one) return '';
  const { namespace = '' } = snapshot.metadata;
  const into = cluster.state === 'absent' ? ' --into NEW -f FILE' : '';
  const command =
    one.deleted === undefined
      ? `capstan snapshot restore ${one.name}${into} -n ${namespace}`
      : `capstan snapshot recover ${one.name} --location ${one.deleted} -n ${namespace}`;
  const what = one.deleted === undefined ? 'EtcdSnapshot' : 'deleted snapshot';
  return `; the next best of Cluster ${snapshot.spec?.clusterName} is ${what} ${one.name} of ${one.startedAt}, run: ${command}`;
};
