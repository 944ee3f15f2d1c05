import type { KubeObject } from '../../../machinery/api/object.ts';
import { snapshotOf } from '../../core/contract/workload-snapshot.ts';
import { isAt, membersOf, type Observations, type Observing, observeRollouts } from '../shared/observing.ts';
import { keptFor } from './disks.ts';
import { orphanedNodes } from './nodes.ts';
import { unsavedBecause } from './present.ts';

/** Its first step, while etcd cannot be saved in another way. */
const keepsDisks = (
  observing: Observing,
  workload: Observations['workload'],
  snapshots: readonly KubeObject[],
): boolean =>
  isAt(observing, 'Preflight') &&
  unsavedBecause({ operation: observing.operation, clusterState: { workload, snapshots } }) !== undefined;

export const observeRestore = (observing: Observing): Partial<Observations> => {
  const { operation, cluster, machines, former, provider, read, context } = observing;
  const { namespace = '', name } = cluster.metadata;
  const workload = snapshotOf(read, { namespace, name }, cluster);
  // The snapshot may have Nodes of hosts that ended since.
  const orphaned = orphanedNodes(workload?.nodes ?? [], machines).flatMap(({ providerID }) => providerID ?? []);
  const snapshots = membersOf(observing, 'EtcdSnapshot');
  const { hosts = [] } = operation.status ?? {};
  return {
    rollouts: observeRollouts(observing),
    snapshots,
    workload,
    ...(isAt(observing, 'StopMembers') && { hostsLeft: provider.controlPlaneHosts(former, hosts, read) }),
    ...(keepsDisks(observing, workload, snapshots) && {
      keptDisks: provider.keptDisks?.(former, keptFor(operation), read, context.lastFailure),
    }),
    ...(orphaned.length > 0 &&
      isAt(observing, 'Verify') && { endedHosts: provider.endedHosts(former, orphaned, read) }),
  };
};
