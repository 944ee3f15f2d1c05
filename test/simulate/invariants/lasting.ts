/** What has been so for a while keeps its beginning: how long a cluster has not answered, and the time that an operation took. */
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import type { WorkloadSnapshotObject } from '../../../kinds/workload-snapshot/index.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'lasts';
/** Seconds. Where nobody looked at a deadline in time the clock goes back to five minutes before it; none is sooner than an hour. */
const leastPutOff = 55 * 60;

export const lasting = (_: Setting): Invariant => {
  const onSnapshot = ({ metadata, spec }: WorkloadSnapshotObject, before: WorkloadSnapshotObject) => {
    const [was, is] = [before.spec?.unreachableSince, spec?.unreachableSince];
    if (was && is && was !== is)
      throw new Violation(rule, `${metadata.name} does not answer since ${was}, and is said not to since ${is}`);
  };
  const onOperation = ({ metadata, status }: ClusterOperation, before: ClusterOperation) => {
    const [was = 0, is] = [before.status?.clock?.seconds, status?.clock?.seconds];
    if (is !== undefined && is < Math.min(was, leastPutOff))
      throw new Violation(rule, `${metadata.name} had taken ${was} s, and has taken ${is}`);
  };
  return {
    onCommit: ({ object, before }) => {
      if (!object || object.metadata.uid !== before?.metadata.uid) return;
      if (object.kind === 'WorkloadSnapshot')
        onSnapshot(object as WorkloadSnapshotObject, before as WorkloadSnapshotObject);
      if (object.kind === 'ClusterOperation') onOperation(object as ClusterOperation, before as ClusterOperation);
    },
  };
};
