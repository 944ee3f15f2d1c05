/** What a machine's bootstrap takes from its Cluster. */
import type { Cluster } from '../../core/cluster/schema.ts';
import type { ClusterFacts } from './kubeadm-documents.ts';

export const isProvisioned = ({ status }: Cluster): boolean =>
  status?.initialization?.infrastructureProvisioned === true;
export const isInitialized = ({ status }: Cluster): boolean => status?.initialization?.controlPlaneInitialized === true;

/** host:port; undefined until the infrastructure has named it. */
export const endpointOf = ({ spec }: Cluster): string | undefined => {
  const { host, port } = spec?.controlPlaneEndpoint ?? {};
  if (!host || !port) return undefined;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
};

export const clusterFacts = (cluster: Cluster, kubernetesVersion: string): ClusterFacts => {
  const { services, pods, serviceDomain } = cluster.spec?.clusterNetwork ?? {};
  return {
    clusterName: cluster.metadata.name,
    kubernetesVersion,
    controlPlaneEndpoint: endpointOf(cluster),
    ...(services?.cidrBlocks.length && { serviceSubnet: services.cidrBlocks.join(',') }),
    ...(pods?.cidrBlocks.length && { podSubnet: pods.cidrBlocks.join(',') }),
    ...(serviceDomain && { dnsDomain: serviceDomain }),
  };
};
