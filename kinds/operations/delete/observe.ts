import { snapshotOf } from '../../core/contract/workload-snapshot.ts';
import { observeRemains } from '../shared/leftovers.ts';
import { isAt, membersOf, type Observations, type Observing } from '../shared/observing.ts';
import { isPaused } from '../shared/scope.ts';

export const observeDelete = (observing: Observing): Partial<Observations> => {
  const { operation, cluster, read } = observing;
  const { namespace = '', name } = cluster.metadata;
  const isProving = isAt(observing, 'Prove') || (operation.status?.phase === 'Held' && !isPaused(cluster));
  return {
    snapshots: membersOf(observing, 'EtcdSnapshot'),
    workload: snapshotOf(read, { namespace, name }, cluster),
    ...(isProving && {
      ...observeRemains(observing.former, observing.infrastructures, observing.read),
      stayingCopies: observing.provider.stayingCopies?.(observing.former, observing.read),
    }),
  };
};
