/** The pools that Capstan scales, and the changes that it makes to them. */
import { boundsOf } from '../../../../kinds/common/autoscale/annotations.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { Commit, Mirror } from '../../mirror.ts';

export const poolsIn = (mirror: Mirror): MachineDeployment[] =>
  mirror.all<MachineDeployment>('MachineDeployment').filter((one) => boundsOf(one) && !one.metadata.deletionTimestamp);

export const machinesOf = (mirror: Mirror, { metadata }: MachineDeployment): Machine[] =>
  mirror.all<Machine>('Machine').filter(({ metadata: { labels, namespace } }) => {
    return labels?.['cluster.x-k8s.io/deployment-name'] === metadata.name && namespace === metadata.namespace;
  });

export interface Scaling {
  pool: MachineDeployment;
  min: number;
  max: number;
  from: number;
  to: number;
}

/** The replicas that the autoscaler wrote. Its write is conditional, so the sizes are those that it read. */
export const scalingOf = ({ object, before, writer }: Commit): Scaling | undefined => {
  if (writer !== 'autoscaler' || object?.kind !== 'MachineDeployment' || !before) return undefined;
  const [pool, old] = [object as MachineDeployment, before as MachineDeployment];
  const [from, to] = [old.spec?.replicas ?? 1, pool.spec?.replicas ?? 1];
  const bounds = boundsOf(old);
  return bounds && from !== to ? { pool, ...bounds, from, to } : undefined;
};
