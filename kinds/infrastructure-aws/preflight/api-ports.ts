/** Checks that clients, load balancers and API servers can use their ports. */
import { found } from '../../../machinery/api/reconcile.ts';
import { isPort, portRule } from '../../common/port.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { bindPortsOf, listenerPortOf } from '../aws-cluster/api-ports.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import type { PreflightFacts } from './facts.ts';
import { type Finding, nameOf, refused } from './finding.ts';

export const judgeApiPorts = ({ cluster, awsCluster, controlPlane }: PreflightFacts): Finding[] => {
  const plane = controlPlane && found(controlPlane);
  const [first, joining] = bindPortsOf(plane?.spec?.kubeadmConfigSpec ?? {});
  const infrastructure = found(awsCluster);
  const port = listenerPortOf(cluster);
  return [
    ...judgeRanges(cluster, infrastructure),
    ...judgeHalf(cluster, infrastructure),
    ...(plane && first !== joining
      ? [
          refused(
            `${nameOf(plane)} spec.kubeadmConfigSpec: the first API server listens at ${first} and those that join at ${joining}: set the same localAPIEndpoint.bindPort in initConfiguration and in joinConfiguration.controlPlane`,
          ),
        ]
      : []),
    ...(['controlPlaneLoadBalancer', 'secondaryControlPlaneLoadBalancer'] as const).flatMap((which) =>
      (infrastructure?.spec?.[which]?.additionalListeners ?? []).flatMap((listener, i) =>
        listener.port === port
          ? [
              refused(
                `${nameOf(infrastructure!)} spec.${which}.additionalListeners[${i}].port: ${port} is the port of the Kubernetes API: choose another, or change spec.clusterNetwork.apiServerPort of ${nameOf(cluster)}`,
              ),
            ]
          : [],
      ),
    ),
  ];
};

/**
 * An older version of a kind admits any number, and so did an older Capstan: ports are checked once
 * more, because the objects that take them over admit no other.
 */
const judgeRanges = (cluster: Cluster, infrastructure: AWSCluster | undefined): Finding[] => {
  const ports = [
    { object: cluster, field: 'spec.clusterNetwork.apiServerPort', port: cluster.spec?.clusterNetwork?.apiServerPort },
    ...[cluster, infrastructure].flatMap((object) =>
      object ? [{ object, field: endpointField, port: object.spec?.controlPlaneEndpoint?.port }] : [],
    ),
  ];
  return ports.flatMap(({ object, field, port }) =>
    !port || isPort(port) ? [] : [refused(`${nameOf(object)} ${field}: ${port} is no port: it ${portRule}`)],
  );
};
const endpointField = 'spec.controlPlaneEndpoint.port';

/**
 * The load balancer adds the other half of an endpoint, unless the user gave a port at which it does
 * not listen. Without one, what brings the endpoint sets both halves, so half of it is a mistake.
 */
const judgeHalf = (cluster: Cluster, infrastructure: AWSCluster | undefined): Finding[] => {
  const { controlPlaneEndpoint: { host, port } = {}, controlPlaneLoadBalancer } = infrastructure?.spec ?? {};
  if (!infrastructure || !host === !port) return [];
  if (controlPlaneLoadBalancer?.loadBalancerType === 'disabled') {
    const field = host ? endpointField : 'spec.controlPlaneEndpoint.host';
    return [
      refused(`${nameOf(infrastructure)} ${field}: it is not set, and no load balancer has one to add: set it, too`),
    ];
  }
  const listener = listenerPortOf(cluster);
  if (!port || port === listener) return [];
  return [
    refused(
      `${nameOf(infrastructure)} ${endpointField}: the load balancer listens at ${listener}, not at ${port}: set spec.clusterNetwork.apiServerPort of ${nameOf(cluster)} to ${port}, or leave the port out`,
    ),
  ];
};
