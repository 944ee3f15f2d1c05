/** A cluster that does not answer is soon said not to, and of what is in it nothing is known any more; nor is it said of one that does. */
import type { Cluster } from '../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { WorkloadSnapshotObject } from '../../../kinds/core/workload-snapshot/index.ts';
import type { Invariant, Setting } from './invariant.ts';
import { type Claim, soon } from './soon.ts';
import { clusterName, isGoing, isWorkedOn, verdictOf } from './whose.ts';

const minute = 60_000;
/** For so long what was seen last may still be so. */
const grace = { connection: minute, nodes: 5 * minute };

export const silent = (setting: Setting): Invariant => {
  const { clock, mirror } = setting.world;

  function* ofMachines({ metadata }: Cluster): Generator<Claim> {
    for (const machine of mirror.all<Machine>('Machine')) {
      const { namespace, name, labels = {} } = machine.metadata;
      const isOf = namespace === metadata.namespace && labels[clusterName] === metadata.name;
      if (!isOf || !machine.status?.nodeRef || isGoing(machine) || !isWorkedOn(mirror, machine)) continue;
      for (const type of ['NodeReady', 'NodeHealthy'])
        yield { what: `${type} of ${name}, whose cluster is silent,`, is: verdictOf(machine, type), should: 'Unknown' };
    }
  }

  return soon('silent', setting, function* () {
    for (const cluster of mirror.all<Cluster>('Cluster')) {
      const { namespace = '', name } = cluster.metadata;
      const seen = mirror.get<WorkloadSnapshotObject>('WorkloadSnapshot', namespace, name);
      const isOwn = seen?.metadata.ownerReferences?.some(({ uid }) => uid === cluster.metadata.uid);
      const isBegun = cluster.status?.initialization?.controlPlaneInitialized === true;
      if (!isOwn || !isBegun || isGoing(cluster) || !isWorkedOn(mirror, cluster)) continue;
      const reference = cluster.spec?.controlPlaneRef?.name ?? '';
      const hasControlPlane = mirror.get('KubeadmControlPlane', namespace, reference) !== undefined;
      const hasKubeconfig = mirror.get('Secret', namespace, `${name}-kubeconfig`) !== undefined;
      const { unreachableSince, reachable } = seen?.spec ?? {};
      const lasts = unreachableSince ? clock.now() - Date.parse(unreachableSince) : undefined;
      const is = verdictOf(cluster, 'RemoteConnectionProbe');
      const what = `whether ${name} answers`;
      const isLost = !hasControlPlane && !hasKubeconfig;
      if (isLost)
        yield {
          what: `whether ${name}, which nobody can reach, is known not to answer`,
          is: lasts !== undefined,
          should: true,
        };
      if (!isLost && lasts === undefined && reachable) yield { what, is, should: 'True' };
      if (lasts !== undefined && lasts > grace.connection) yield { what, is, should: 'False' };
      if (lasts !== undefined && lasts > grace.nodes) yield* ofMachines(cluster);
    }
  });
};
