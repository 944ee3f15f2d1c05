/** The Cluster of the example ClusterClass. */
import type { ClusterOperation } from '../../kinds/operations/cluster-operation/index.ts';
import type { Condition } from '../../machinery/api/object.ts';
import { isSettled, isTrue } from './checks.ts';
import type { World } from './world.ts';

export const cluster = 'cluster-class';
export const file = 'cluster-class.yaml';

export interface Topology {
  /** TopologyReconciled. */
  condition(): Condition | undefined;
  upgrades(): ClusterOperation[];
  /** Runs until nothing is left to do, and the topology is reconciled. */
  settle(): Promise<void>;
}

/** `world`: the one that a test has opened by then. */
export const topologyIn = (world: () => World): Topology => {
  const upgrades = () =>
    world()
      .all('ClusterOperation')
      .filter(({ spec }) => spec?.type === 'upgrade');
  const ended = () =>
    upgrades().every(({ status }) => !['Running', 'Pending', 'Paused', undefined].includes(status?.phase));
  return {
    condition: () =>
      world()
        .find('Cluster', cluster)
        ?.status?.conditions?.find(({ type }) => type === 'TopologyReconciled'),
    upgrades,
    settle: async () => {
      await world().pass(1);
      await world().until(
        'settled',
        () => isSettled(world()) && ended() && isTrue(world(), 'Cluster', cluster, 'TopologyReconciled'),
        90,
      );
    },
  };
};
