/**
 * Resources that a deletion leaves in the account, because Capstan did not create them for the
 * cluster. Pure.
 */
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Cluster } from '../core/cluster/schema.ts';
import { conditionsOf } from '../core/contract/cluster.ts';
import type { AWSCluster } from './aws-cluster/index.ts';
import { isBegun } from './aws-cluster/owner.ts';
import { staysAsItIs, unmanagedInstance } from './aws-machine/unmanaged.ts';
import { cloudProviderTag, clusterUidTag } from './engine/tags.ts';

const instancesAmong = (machines: readonly KubeObject[]): string[] =>
  machines.flatMap((machine) => {
    const id = unmanagedInstance(machine);
    const isReported = conditionsOf(machine).some(({ message }) => message?.endsWith(staysAsItIs));
    return id !== undefined && isReported ? [`EC2 instance ${id}`] : [];
  });

const networkOf = (cluster: Cluster, infrastructure: KubeObject | undefined): string[] => {
  if (infrastructure?.kind !== 'AWSCluster') return [];
  const { id, tags } = (infrastructure as AWSCluster).spec?.network?.vpc ?? {};
  const isUnmanaged = tags !== undefined && tags[clusterUidTag] !== cluster.metadata.uid;
  if (id === undefined || !isUnmanaged) return [];
  return [`VPC ${id}, whose subnets keep the tag ${cloudProviderTag(cluster.metadata.name)}`];
};

/** What the specs name in the account. */
const namedIn = ({ spec }: AWSCluster, machines: readonly KubeObject[]): string[] => {
  const { vpc, subnets = [] } = spec?.network ?? {};
  const { host } = spec?.controlPlaneEndpoint ?? {};
  return [
    ...(vpc?.id ? [`VPC ${vpc.id}`] : []),
    ...(host ? [`load balancer ${host}`] : []),
    ...machines.flatMap((machine) => unmanagedInstance(machine) ?? []).map((id) => `EC2 instance ${id}`),
    ...subnets
      .flatMap(({ resourceID, id }) => resourceID ?? (id.startsWith('subnet-') ? id : []))
      .map((id) => `subnet ${id}`),
  ];
};

/**
 * A cluster that was moved here and not taken over: nothing was created for this AWSCluster, but its
 * machines have instances, or its VPC the tag of another Cluster.
 */
export const madeElsewhere = (
  cluster: Cluster,
  infrastructure: KubeObject | undefined,
  machines: readonly KubeObject[],
): string[] => {
  if (infrastructure?.kind !== 'AWSCluster') return [];
  const awsCluster = infrastructure as AWSCluster;
  if (isBegun(awsCluster)) return [];
  const madeFor = awsCluster.spec?.network?.vpc?.tags?.[clusterUidTag];
  const isFromElsewhere = madeFor !== undefined && madeFor !== cluster.metadata.uid;
  const hasInstances = machines.some((machine) => unmanagedInstance(machine) !== undefined);
  return isFromElsewhere || hasInstances ? namedIn(awsCluster, machines) : [];
};

export const staysOf = (
  cluster: Cluster,
  infrastructure: KubeObject | undefined,
  machines: readonly KubeObject[],
): string[] => [...instancesAmong(machines), ...networkOf(cluster, infrastructure)];
