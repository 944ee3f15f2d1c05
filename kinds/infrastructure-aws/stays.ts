/**
 * Resources that a deletion leaves in the account, because Capstan did not create them for the
 * cluster. Pure.
 */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Cluster } from '../core/cluster/schema.ts';
import { conditionsOf } from '../core/contract/cluster.ts';
import type { AWSCluster } from './aws-cluster/index.ts';
import { clusterUidTag } from './aws-cluster/tags.ts';
import { staysAsItIs, unmanagedInstance } from './aws-machine/unmanaged.ts';

const instancesAmong = (machines: readonly KubeObject[]): string[] =>
  machines.flatMap((machine) => {
    const id = unmanagedInstance(machine);
    const isLeftAlone = conditionsOf(machine).some(({ message }) => message?.endsWith(staysAsItIs));
    return id !== undefined && isLeftAlone ? [`EC2 instance ${id}`] : [];
  });

const networkOf = (cluster: Cluster, infrastructure: KubeObject | undefined): string[] => {
  if (infrastructure?.kind !== 'AWSCluster') return [];
  const { id, tags } = (infrastructure as AWSCluster).spec?.network?.vpc ?? {};
  return id !== undefined && tags !== undefined && tags[clusterUidTag] !== cluster.metadata.uid ? [`VPC ${id}`] : [];
};

export const staysOf = (
  cluster: Cluster,
  infrastructure: KubeObject | undefined,
  machines: readonly KubeObject[],
): string[] => [...instancesAmong(machines), ...networkOf(cluster, infrastructure)];
