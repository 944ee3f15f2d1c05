/**
 * Ports of a cluster's API server: clients connect to the load balancer's listener, which forwards
 * to the API servers.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { TargetGroup } from '../../ports/cloud/index.ts';

export interface ApiPorts {
  /** The load balancer's port: `clusterNetwork.apiServerPort`. */
  listener: number;
  /** The port of the API servers on their machines: kubeadm's `localAPIEndpoint.bindPort`. */
  server: number;
}

/** kubeadm's default port, and the listener's. */
export const defaultApiPort = 6443;
export const defaultApiPorts: ApiPorts = { listener: defaultApiPort, server: defaultApiPort };

export const listenerPortOf = (cluster: Pick<Cluster, 'spec'> | undefined): number =>
  cluster?.spec?.clusterNetwork?.apiServerPort ?? defaultApiPort;

interface ApiEndpoint {
  localAPIEndpoint?: { bindPort?: number };
}
/** The fields of a KubeadmConfigSpec that set the API server's port. */
interface KubeadmConfigSpec {
  initConfiguration?: ApiEndpoint;
  joinConfiguration?: { controlPlane?: ApiEndpoint };
}

/**
 * Ports of the API servers that `kubeadm init` and `kubeadm join` start. kubeadm reads 0 as unset.
 */
export const bindPortsOf = ({ initConfiguration, joinConfiguration }: KubeadmConfigSpec): [number, number] => [
  initConfiguration?.localAPIEndpoint?.bindPort || defaultApiPort,
  joinConfiguration?.controlPlane?.localAPIEndpoint?.bindPort || defaultApiPort,
];

type Configured = KubeObject & { spec?: KubeadmConfigSpec };
type Plane = KubeObject & { spec?: { kubeadmConfigSpec?: KubeadmConfigSpec } };

export const observeApiPorts = (cluster: Cluster | undefined, read: Reader): ApiPorts => {
  const config = cluster && initialConfig(cluster, read);
  return { listener: listenerPortOf(cluster), server: config ? bindPortsOf(config)[0] : defaultApiPort };
};

/** The KubeadmConfigSpec of the first control plane machine. */
const initialConfig = ({ metadata, spec }: Cluster, read: Reader): KubeadmConfigSpec | undefined => {
  const { name: clusterName, namespace = '' } = metadata;
  const { kind, name = '' } = spec?.controlPlaneRef ?? {};
  if (kind === 'KubeadmControlPlane')
    return found(read.get<Plane>('KubeadmControlPlane', { namespace, name }))?.spec?.kubeadmConfigSpec;
  if (kind) return undefined;
  return found(read.list<Configured>('KubeadmConfig', { namespace, cluster: clusterName }))?.find(
    ({ spec }) => spec?.initConfiguration,
  )?.spec;
};

/**
 * The port of a target group is immutable, so an existing target group determines the API servers'
 * port since the cluster was created.
 */
export const standingPorts = (ports: ApiPorts, group: Pick<TargetGroup, 'Port'> | undefined): ApiPorts =>
  group ? { ...ports, server: group.Port } : ports;
