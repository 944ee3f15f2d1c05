/**
 * Ports of a cluster's API server: clients connect to the load balancer's listener, which forwards
 * to the API servers.
 */
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

/**
 * The port of a target group is immutable, so an existing target group determines the API servers'
 * port since the cluster was created.
 */
export const standingPorts = (ports: ApiPorts, group: Pick<TargetGroup, 'Port'> | undefined): ApiPorts =>
  group ? { ...ports, server: group.Port } : ports;
