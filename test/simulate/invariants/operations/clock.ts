import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { WorkloadSnapshotObject } from '../../../../kinds/core/workload-snapshot/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { restoreDeadlineOf } from '../../../../kinds/operations/restore/policy.ts';
import { policyOf } from '../../../../kinds/operations/shared/policy.ts';
import { unheard } from '../grace.ts';
import type { Rule } from '../rule.ts';

/**
 * Seconds. When no worker checked a deadline in time, the operation sets its clock back to five
 * minutes before the deadline. No deadline is below an hour.
 */
const leastPutOff = 55 * 60;

interface Pause {
  from: number;
  to?: number;
}
const isPaused = (cluster: Cluster | undefined) => cluster?.spec?.paused === true;
const isOverdue = ({ status }: ClusterOperation) =>
  status?.late === true || (status?.steps?.some(({ verdict }) => verdict === 'DeadlineExceeded') ?? false);

export const clock: Rule = ({ world: { clock, mirror }, has }, broken) => {
  /** By namespace and name. */
  const pauses = new Map<string, Pause[]>();
  const onCluster = (id: string, now: Cluster | undefined, before: Cluster | undefined) => {
    if (isPaused(now) === isPaused(before)) return;
    const known = pauses.get(id) ?? [];
    if (isPaused(now)) pauses.set(id, [...known, { from: clock.now() }]);
    else Object.assign(known.at(-1) ?? {}, { to: clock.now() });
  };
  /**
   * A deadline passes only after that much unpaused time. Controllers may learn of a pause late.
   */
  const expectTime = ({ metadata, spec, status }: ClusterOperation) => {
    const { namespace = '', name } = metadata;
    const cluster = mirror.get<Cluster>('Cluster', namespace, spec?.clusterName ?? '');
    // An upgrade counts the time of a step without progress, under an annotation of its own. So does a
    // restore: no step exceeds its deadline in less than that time.
    if (spec?.type === 'upgrade') return;
    const isRestore = spec?.type === 'restore';
    const step = status?.steps?.find((one) => one.name === status.step);
    const began = Date.parse((isRestore ? step?.started : status?.started) ?? '');
    if (!cluster || Number.isNaN(began)) return;
    const paused = (pauses.get(`${namespace}/${spec?.clusterName}`) ?? []).reduce(
      (sum, { from, to = clock.now() }) => sum + Math.max(0, to - Math.max(from, began)),
      0,
    );
    const taken = clock.now() - began - paused + unheard(has);
    const seconds = isRestore ? restoreDeadlineOf(cluster) : policyOf(cluster).seconds;
    if (paused > 0 && taken < seconds * 1000)
      throw broken(`${name} exceeds its deadline after ${Math.round(taken / 1000)} s of unpaused time`);
  };
  const onSnapshot = ({ metadata, spec }: WorkloadSnapshotObject, before: WorkloadSnapshotObject) => {
    const [was, is] = [before.spec?.unreachableSince, spec?.unreachableSince];
    if (was && is && was !== is) throw broken(`${metadata.name} changed unreachableSince from ${was} to ${is}`);
  };
  /** The clock of an upgrade or restore counts the time without progress, of one step. */
  const mayRestart = ({ spec, status }: ClusterOperation, { status: before }: ClusterOperation) =>
    (spec?.type === 'upgrade' || spec?.type === 'restore') &&
    (status?.step !== before?.step ||
      (status?.remaining ?? 0) < (before?.remaining ?? 0) ||
      status?.phase !== 'Running');
  const onOperation = (operation: ClusterOperation, before: ClusterOperation) => {
    const { metadata, status } = operation;
    if (isOverdue(operation) && !isOverdue(before)) expectTime(operation);
    const [was = 0, is] = [before.status?.clock?.seconds, status?.clock?.seconds];
    if (is !== undefined && is < Math.min(was, leastPutOff) && !mayRestart(operation, before))
      throw broken(`${metadata.name} set its clock back from ${was} s to ${is} s`);
  };
  return {
    onCommit: ({ type, namespace, name, object, before }) => {
      if (type === 'clusters.cluster.x-k8s.io')
        onCluster(`${namespace}/${name}`, object as Cluster | undefined, before as Cluster | undefined);
      if (!object || object.metadata.uid !== before?.metadata.uid) return;
      if (object.kind === 'WorkloadSnapshot')
        onSnapshot(object as WorkloadSnapshotObject, before as WorkloadSnapshotObject);
      if (object.kind === 'ClusterOperation') onOperation(object as ClusterOperation, before as ClusterOperation);
    },
  };
};
