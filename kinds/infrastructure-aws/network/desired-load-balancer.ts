/** The load balancers that a spec asks for, with names and ports. */
import type {
  ClassicAttributes,
  ClassicHealthCheck,
  ClassicListener,
  ClassicLoadBalancer,
  TargetGroup,
} from '../../ports/cloud/index.ts';
import { digest, type Owner } from '../engine/tags.ts';
import type { ApiPorts } from './api-ports.ts';
import type { NetworkSpec } from './schema.ts';

export type LoadBalancerSpec = NonNullable<NetworkSpec['controlPlaneLoadBalancer']>;
export type Which = 'apiserver' | 'apiserver-secondary';

export interface DesiredPort {
  /** The listener's port. */
  port: number;
  /** The port that the listener forwards to. */
  targetPort: number;
  targetGroupName: string;
  /** By default ipv4. */
  family?: 'ipv4' | 'ipv6' | undefined;
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
/** A network load balancer. */
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

/** The AWS provider makes a classic load balancer when a spec names no type. */
export const typeOfFirst = ({ controlPlaneLoadBalancer: first }: NetworkSpec) => first?.loadBalancerType ?? 'classic';
export const isClassic = (spec: NetworkSpec): boolean => typeOfFirst(spec) === 'classic';
/** Whether it asks for any network load balancer. */
export const hasNetwork = (spec: NetworkSpec): boolean =>
  typeOfFirst(spec) === 'nlb' || spec.secondaryControlPlaneLoadBalancer !== undefined;

const nameOf = (
  spec: LoadBalancerSpec,
  { clusterName, ...owner }: Omit<Owner, 'additionalTags'>,
  which: Which,
): { name: string; unique: string } => {
  const { installation, clusterUid } = owner.namedAfter ?? owner;
  const unique = digest(8, installation, clusterUid, which);
  return { name: spec.name ?? balancerName(clusterName, which, unique), unique };
};

/** The network load balancers. The API server's port comes first. */
export const desiredLoadBalancers = (
  spec: NetworkSpec,
  owner: Omit<Owner, 'additionalTags'>,
  { listener: port, server }: ApiPorts,
): DesiredLoadBalancer[] => {
  const of = (which: Which, given: LoadBalancerSpec | undefined): DesiredLoadBalancer[] => {
    if (!given || given.loadBalancerType === 'disabled') return [];
    const { clusterName } = owner;
    const { name, unique } = nameOf(given, owner, which);
    return [
      {
        which,
        spec: given,
        name,
        ports: [
          {
            port,
            targetPort: server,
            targetGroupName: uniqueName(clusterName, `${port}`, unique),
            family: given.targetGroupIPType,
            check: apiCheck(given),
          },
          ...(given.additionalListeners ?? []).map((listener) => ({
            port: listener.port,
            targetPort: listener.port,
            targetGroupName: uniqueName(clusterName, `${listener.port}`, unique),
            family: listener.targetGroupIPType ?? given.targetGroupIPType,
            check: listenerCheck(listener.healthCheck ?? {}),
          })),
        ],
      },
    ];
  };
  return [
    ...of('apiserver', isClassic(spec) ? undefined : spec.controlPlaneLoadBalancer),
    ...of('apiserver-secondary', spec.secondaryControlPlaneLoadBalancer),
  ];
};

export interface DesiredClassic {
  which: 'apiserver';
  name: string;
  spec: LoadBalancerSpec;
  listener: ClassicListener;
  check: ClassicHealthCheck;
  attributes: ClassicAttributes;
}

/** Seconds. Watches of the Kubernetes API are idle for longer than AWS's default of a minute. */
const idleTimeout = 600;

/** The classic load balancer. The AWS provider gives it the API server's port only. */
export const desiredClassic = (
  spec: NetworkSpec,
  owner: Omit<Owner, 'additionalTags'>,
  { listener, server }: ApiPorts,
): DesiredClassic | undefined => {
  if (!isClassic(spec)) return undefined;
  const given = spec.controlPlaneLoadBalancer ?? {};
  const protocol = given.healthCheckProtocol ?? 'TCP';
  const { intervalSeconds, timeoutSeconds, thresholdCount, unhealthyThresholdCount } = given.healthCheck ?? {};
  return {
    which: 'apiserver',
    name: nameOf(given, owner, 'apiserver').name,
    spec: given,
    listener: { Protocol: 'TCP', LoadBalancerPort: listener, InstanceProtocol: 'TCP', InstancePort: server },
    check: {
      Target: `${protocol}:${server}${protocol.startsWith('HTTP') ? '/readyz' : ''}`,
      Interval: intervalSeconds ?? 10,
      Timeout: timeoutSeconds ?? 5,
      HealthyThreshold: thresholdCount ?? 5,
      UnhealthyThreshold: unhealthyThresholdCount ?? 3,
    },
    attributes: {
      CrossZoneLoadBalancing: { Enabled: given.crossZoneLoadBalancing ?? false },
      ConnectionSettings: { IdleTimeout: idleTimeout },
    },
  };
};

/**
 * The port of the API servers behind the load balancer that exists: the target group's, or that of
 * the classic load balancer's listener. Undefined without a load balancer.
 */
export const apiTargets = (
  spec: NetworkSpec,
  owner: Owner,
  ports: ApiPorts,
  {
    targetGroups: groups,
    classicLoadBalancers,
  }: { targetGroups: readonly TargetGroup[]; classicLoadBalancers: readonly ClassicLoadBalancer[] },
): Pick<TargetGroup, 'Port'> | undefined => {
  const classic = desiredClassic(spec, owner, ports);
  if (classic) {
    const there = classicLoadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === classic.name);
    const open = there?.ListenerDescriptions.find(({ Listener }) => Listener.LoadBalancerPort === ports.listener);
    return open && { Port: open.Listener.InstancePort };
  }
  const name = desiredLoadBalancers(spec, owner, ports)[0]?.ports[0]?.targetGroupName;
  return groups.find(({ TargetGroupName }) => TargetGroupName === name);
};

type Timing = NonNullable<LoadBalancerSpec['healthCheck']>;
/** The AWS provider's defaults, also of additional ports. */
const timing = ({ intervalSeconds, timeoutSeconds, thresholdCount, unhealthyThresholdCount }: Timing) => ({
  HealthCheckIntervalSeconds: intervalSeconds ?? 10,
  HealthCheckTimeoutSeconds: timeoutSeconds ?? 5,
  HealthyThresholdCount: thresholdCount ?? 5,
  UnhealthyThresholdCount: unhealthyThresholdCount ?? 3,
});

// Target groups know TCP, HTTP and HTTPS checks. The field allows the other protocols for classic
// load balancers.
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

const refusals: Record<string, string> = {
  alb: 'Application load balancers end TLS, and with it the client certificates of Kubernetes',
  elb: 'The AWS provider makes a gateway load balancer of this type, to which no client can connect',
};

/** Why the requested load balancer cannot be built; checked before anything costs money. */
export const refusedType = (spec: NetworkSpec): string | undefined => {
  const why = refusals[typeOfFirst(spec)];
  return (
    why &&
    `${why}: set spec.controlPlaneLoadBalancer.loadBalancerType to classic or nlb, or to disabled and bring an endpoint`
  );
};
