/** The network's part of the status. */

import type { Instance } from '../../ports/cloud/index.ts';
import { tagMap } from '../engine/tags.ts';
import { desiredClassic, desiredLoadBalancers } from '../network/desired-load-balancer.ts';
import { ownClassic } from '../network/resources/classic-load-balancers.ts';
import { ownLoadBalancer } from '../network/resources/load-balancers.ts';
import { gatewayAddresses, isPlaceable } from '../network/resources/nat-gateways.ts';
import { groupIds, groupName, rulesOf, wantedRoles } from '../network/resources/security-groups.ts';
import type { Scope } from '../network/scope.ts';
import type { AWSClusterStatus } from './schema.ts';

type NetworkStatus = NonNullable<AWSClusterStatus['networkStatus']>;
type LoadBalancerStatus = NonNullable<NetworkStatus['apiServerElb']>;

/**
 * One for each zone with a private subnet. Control plane machines use those that the load balancer
 * is in.
 */
export const failureDomains = (scope: Scope): AWSClusterStatus['failureDomains'] => {
  const { network } = scope;
  const placeable = (network.subnets ?? []).filter(isPlaceable);
  const inside = placeable.filter(({ isPublic }) => !isPublic);
  const zones = (inside.length > 0 ? inside : placeable).flatMap(({ availabilityZone }) => availabilityZone ?? []);
  const balanced = balancedZones(scope);
  return Object.fromEntries(
    [...new Set(zones)].sort().map((zone) => [zone, { controlPlane: balanced?.includes(zone) ?? true }]),
  );
};

/** The zones of the first load balancer. */
const balancedZones = (scope: Scope): string[] | undefined => {
  const { spec, owner, apiPorts } = scope;
  const classic = desiredClassic(spec, owner, apiPorts);
  if (classic) return ownClassic(scope, classic)?.AvailabilityZones;
  const first = desiredLoadBalancers(spec, owner, apiPorts)[0];
  return (first && ownLoadBalancer(scope, first))?.AvailabilityZones.map(({ ZoneName }) => ZoneName);
};

export const networkStatus = (scope: Scope): NetworkStatus => {
  const addresses = gatewayAddresses(scope);
  const classic = classicStatus(scope);
  const [first, second] = classic ? [classic, ...loadBalancerStatuses(scope)] : loadBalancerStatuses(scope);
  const groups = securityGroupStatuses(scope);
  return {
    ...(addresses.length > 0 && { natGatewaysIPs: addresses }),
    ...(Object.keys(groups).length > 0 && { securityGroups: groups }),
    ...(first && { apiServerElb: first }),
    ...(second && { secondaryAPIServerELB: second }),
  };
};

const securityGroupStatuses = (scope: Scope): NonNullable<NetworkStatus['securityGroups']> => {
  const ids = groupIds(scope);
  const statuses: NetworkStatus['securityGroups'] = {};
  for (const role of wantedRoles(scope)) {
    const id = ids[role];
    if (!id) continue;
    const group = scope.cloudState.securityGroups.find(({ GroupId }) => GroupId === id);
    statuses[role] = {
      id,
      name: group?.GroupName ?? groupName(scope, role),
      ...(group && { ingressRule: rulesOf(scope, role), tags: tagMap(group.Tags) }),
    };
  }
  return statuses;
};

/** In nanoseconds, as a duration of Go. */
const nanoseconds = (seconds: number): number => seconds * 1e9;

const classicStatus = (scope: Scope): LoadBalancerStatus | undefined => {
  const desired = desiredClassic(scope.spec, scope.owner, scope.apiPorts);
  const there = desired && ownClassic(scope, desired);
  if (!there) return undefined;
  const { attributes, HealthCheck: check } = there;
  return {
    name: there.LoadBalancerName,
    dnsName: there.DNSName,
    scheme: there.Scheme,
    loadBalancerType: 'classic',
    loadBalancerIPAddressType: 'ipv4',
    // Sort: AWS guarantees no order.
    availabilityZones: there.AvailabilityZones.toSorted(),
    subnetIds: there.Subnets.toSorted(),
    securityGroupIds: there.SecurityGroups.toSorted(),
    ...(attributes && {
      attributes: {
        crossZoneLoadBalancing: attributes.CrossZoneLoadBalancing.Enabled,
        idleTimeout: nanoseconds(attributes.ConnectionSettings.IdleTimeout),
      },
    }),
    healthChecks: {
      target: check.Target,
      interval: nanoseconds(check.Interval),
      timeout: nanoseconds(check.Timeout),
      healthyThreshold: check.HealthyThreshold,
      unhealthyThreshold: check.UnhealthyThreshold,
    },
    listeners: there.ListenerDescriptions.map(({ Listener }) => ({
      protocol: Listener.Protocol,
      port: Listener.LoadBalancerPort,
      instanceProtocol: Listener.InstanceProtocol,
      instancePort: Listener.InstancePort,
    })),
    tags: tagMap(there.tags),
  };
};

const loadBalancerStatuses = (scope: Scope): LoadBalancerStatus[] =>
  desiredLoadBalancers(scope.spec, scope.owner, scope.apiPorts).flatMap((desired): LoadBalancerStatus[] => {
    const there = ownLoadBalancer(scope, desired);
    if (!there) return [];
    // Sort: AWS guarantees no order.
    const zones = there.AvailabilityZones.toSorted((a, b) => (a.ZoneName < b.ZoneName ? -1 : 1));
    return [
      {
        arn: there.LoadBalancerArn,
        name: there.LoadBalancerName,
        dnsName: there.DNSName,
        scheme: there.Scheme,
        loadBalancerType: 'nlb',
        ...(there.IpAddressType && { loadBalancerIPAddressType: there.IpAddressType }),
        availabilityZones: zones.map(({ ZoneName }) => ZoneName),
        subnetIds: zones.map(({ SubnetId }) => SubnetId),
        securityGroupIds: there.SecurityGroups.toSorted(),
        elbAttributes: there.attributes,
        elbListeners: desired.ports
          .filter(({ port }) => there.listeners.some(({ Port }) => Port === port))
          .map(({ port, targetPort, targetGroupName, check }) => ({
            port,
            protocol: 'TCP',
            targetGroup: {
              name: targetGroupName,
              port: targetPort,
              protocol: 'TCP',
              vpcId: there.VpcId,
              targetGroupHealthCheck: {
                protocol: check.HealthCheckProtocol,
                ...(check.HealthCheckPath && { path: check.HealthCheckPath }),
                port: check.HealthCheckPort ?? String(targetPort),
                intervalSeconds: check.HealthCheckIntervalSeconds,
                timeoutSeconds: check.HealthCheckTimeoutSeconds,
                thresholdCount: check.HealthyThresholdCount,
                unhealthyThresholdCount: check.UnhealthyThresholdCount,
              },
            },
          })),
        tags: tagMap(there.tags),
      },
    ];
  });

export const bastionStatus = (instance: Instance | undefined): AWSClusterStatus['bastion'] =>
  instance && {
    id: instance.InstanceId,
    instanceState: instance.State.Name,
    type: instance.InstanceType,
    imageId: instance.ImageId,
    availabilityZone: instance.Placement.AvailabilityZone,
    ...(instance.SubnetId && { subnetId: instance.SubnetId }),
    ...(instance.PrivateIpAddress && { privateIp: instance.PrivateIpAddress }),
    ...(instance.Ipv6Address && { ipv6Address: instance.Ipv6Address }),
    ...(instance.PublicIpAddress && { publicIp: instance.PublicIpAddress }),
    ...(instance.KeyName && { sshKeyName: instance.KeyName }),
    securityGroupIds: instance.SecurityGroups.map(({ GroupId }) => GroupId),
    tags: tagMap(instance.Tags),
  };
