/** What a host's bootstrap data takes from its Cluster. */
import type { Cluster } from '../../core/cluster/schema.ts';
import { serverOf } from '../../core/contract/cluster-status.ts';
import type { ClusterFacts } from './kubeadm-documents.ts';

export const clusterFacts = (cluster: Cluster, kubernetesVersion: string): ClusterFacts => {
  const { services, pods, serviceDomain } = cluster.spec?.clusterNetwork ?? {};
  return {
    clusterName: cluster.metadata.name,
    kubernetesVersion,
    controlPlaneEndpoint: serverOf(cluster),
    ...(services?.cidrBlocks.length && { serviceSubnet: services.cidrBlocks.join(',') }),
    ...(pods?.cidrBlocks.length && { podSubnet: pods.cidrBlocks.join(',') }),
    ...(serviceDomain && { dnsDomain: serviceDomain }),
  };
};
