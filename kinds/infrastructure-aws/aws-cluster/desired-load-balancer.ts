/** The load balancers that a spec asks for, with names and ports. */
import type { TargetGroup } from '../../ports/cloud.ts';
import type { ApiPorts } from './api-ports.ts';
import type { AWSClusterSpec } from './schema.ts';
import { digest, type Owner } from './tags.ts';

export type LoadBalancerSpec = NonNullable<AWSClusterSpec['controlPlaneLoadBalancer']>;
export type Which = 'apiserver' | 'apiserver-secondary';

export interface DesiredPort {
  /** The listener's port. */
  port: number;
  /** The port that the listener forwards to. */
  targetPort: number;
  targetGroupName: string;
  /** The health check in CreateTargetGroup's parameters. */
  check: {
    HealthCheckProtocol: string;
    HealthCheckPort?: string;
    HealthCheckPath?: string;
    HealthCheckIntervalSeconds: number;
    HealthCheckTimeoutSeconds: number;
    HealthyThresholdCount: number;
    UnhealthyThresholdCount: number;
  };
}
export interface DesiredLoadBalancer {
  which: Which;
  name: string;
  spec: LoadBalancerSpec;
  ports: DesiredPort[];
}

/**
 * Names are unique in a region, and another namespace or installation may have a cluster of the
 * same name.
 */
const uniqueName = (head: string, tail: string, unique: string): string =>
  `${head
    .replace(/[^A-Za-z0-9-]/g, '-')
    .slice(0, 32 - tail.length - unique.length - 2)
    .replace(/^-+|-+$/g, '')}-${tail}-${unique}`;

/** AWS reserves names that begin with this prefix. */
const balancerName = (clusterName: string, which: Which, unique: string): string =>
  uniqueName(clusterName, which === 'apiserver' ? 'apiserver' : 'second', unique).replace(/^internal-/, 'int-');

/** The API server's port comes first. */
export const desiredLoadBalancers = (
  spec: AWSClusterSpec,
  { clusterName, ...owner }: Omit<Owner, 'additionalTags'>,
  { listener: port, server }: ApiPorts,
): DesiredLoadBalancer[] => {
  const of = (which: Which, given: LoadBalancerSpec | undefined): DesiredLoadBalancer[] => {
    if (!given || given.loadBalancerType === 'disabled') return [];
    const { installation, clusterUid } = owner.namedAfter ?? owner;
    const unique = digest(8, installation, clusterUid, which);
    return [
      {
        which,
        spec: given,
        name: given.name ?? balancerName(clusterName, which, unique),
        ports: [
          {
            port,
            targetPort: server,
            targetGroupName: uniqueName(clusterName, `${port}`, unique),
            check: apiCheck(given),
          },
          ...(given.additionalListeners ?? []).map((listener) => ({
            port: listener.port,
            targetPort: listener.port,
            targetGroupName: uniqueName(clusterName, `${listener.port}`, unique),
            check: listenerCheck(listener.healthCheck ?? {}),
          })),
        ],
      },
    ];
  };
  return [
    ...of('apiserver', spec.controlPlaneLoadBalancer),
    ...of('apiserver-secondary', spec.secondaryControlPlaneLoadBalancer),
  ];
};

/** The target group of the API servers; undefined without a load balancer. */
export const apiTargets = (
  spec: AWSClusterSpec,
  owner: Owner,
  ports: ApiPorts,
  groups: readonly TargetGroup[],
): TargetGroup | undefined => {
  const name = desiredLoadBalancers(spec, owner, ports)[0]?.ports[0]?.targetGroupName;
  return groups.find(({ TargetGroupName }) => TargetGroupName === name);
};

type Timing = NonNullable<LoadBalancerSpec['healthCheck']>;
const timing = ({ intervalSeconds, timeoutSeconds, thresholdCount, unhealthyThresholdCount }: Timing) => ({
  HealthCheckIntervalSeconds: intervalSeconds ?? 5,
  HealthCheckTimeoutSeconds: timeoutSeconds ?? 4,
  HealthyThresholdCount: thresholdCount ?? 2,
  UnhealthyThresholdCount: unhealthyThresholdCount ?? 6,
});

// Target groups know TCP, HTTP and HTTPS checks. The other protocols that the field allows belong
// to classic load balancers.
const apiCheck = ({ healthCheckProtocol, healthCheck = {} }: LoadBalancerSpec): DesiredPort['check'] => {
  const http = healthCheckProtocol === 'HTTP' || healthCheckProtocol === 'HTTPS';
  return {
    HealthCheckProtocol: http ? healthCheckProtocol : 'TCP',
    ...(http && { HealthCheckPath: '/readyz' }),
    ...timing(healthCheck),
  };
};
type ListenerCheck = NonNullable<NonNullable<LoadBalancerSpec['additionalListeners']>[number]['healthCheck']>;
const listenerCheck = (check: ListenerCheck): DesiredPort['check'] => {
  const protocol = check.protocol ?? 'TCP';
  return {
    HealthCheckProtocol: protocol,
    ...(check.port && { HealthCheckPort: check.port }),
    ...(protocol !== 'TCP' && { HealthCheckPath: check.path ?? '/' }),
    ...timing(check),
  };
};

/**
 * Why the requested load balancer cannot be built; checked before anything costs money. Admission
 * accepts "classic", because the schema defaults to it and stored objects must stay readable; the
 * condition says what to change.
 */
export const refusedType = ({ controlPlaneLoadBalancer: first }: AWSClusterSpec): string | undefined => {
  const type = first?.loadBalancerType ?? 'classic';
  if (type === 'nlb' || type === 'disabled') return undefined;
  const why =
    type === 'alb'
      ? 'Application load balancers end TLS, and with it the client certificates of Kubernetes'
      : 'Classic load balancers are not supported';
  return `${why}: set spec.controlPlaneLoadBalancer.loadBalancerType to nlb, or to disabled and bring an endpoint`;
};
