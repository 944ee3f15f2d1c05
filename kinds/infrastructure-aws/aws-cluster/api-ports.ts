/** Which ports a cluster's objects give its API server. */

import type { GroupKind } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { controlPlaneGroup } from '../../core/contract/control-plane.ts';
import { namesKind } from '../../core/contract/named.ts';
import { type ApiPorts, defaultApiPort } from '../network/api-ports.ts';

/** The control planes whose objects tell the port. */
export const kubeadmControlPlanes: GroupKind = { group: controlPlaneGroup, kind: 'KubeadmControlPlane' };

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
  const { controlPlaneRef } = spec ?? {};
  if (namesKind(controlPlaneRef, kubeadmControlPlanes))
    return found(read.get<Plane>('KubeadmControlPlane', { namespace, name: controlPlaneRef!.name }))?.spec
      ?.kubeadmConfigSpec;
  if (controlPlaneRef) return undefined;
  return found(read.list<Configured>('KubeadmConfig', { namespace, cluster: clusterName }))?.find(
    ({ spec }) => spec?.initConfiguration,
  )?.spec;
};
