/** The network's part of the status. */
import type { Scope } from './context.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import { ownLoadBalancer } from './resources/load-balancers.ts';
import { gatewayAddresses, isPlaceable } from './resources/nat-gateways.ts';
import { groupIds, groupName, rulesOf, wantedRoles } from './resources/security-groups.ts';
import type { AWSClusterStatus } from './schema.ts';
import { tagMap } from './tags.ts';

type NetworkStatus = NonNullable<AWSClusterStatus['networkStatus']>;
type LoadBalancerStatus = NonNullable<NetworkStatus['apiServerElb']>;

/**
 * One for each zone with a private subnet. Control plane machines use those that the load balancer
 * is in.
 */
export const failureDomains = (scope: Scope): AWSClusterStatus['failureDomains'] => {
  const { spec, owner, network, apiPorts } = scope;
  const placeable = (network.subnets ?? []).filter(isPlaceable);
  const inside = placeable.filter(({ isPublic }) => !isPublic);
  const zones = (inside.length > 0 ? inside : placeable).flatMap(({ availabilityZone }) => availabilityZone ?? []);
  const first = desiredLoadBalancers(spec, owner, apiPorts)[0];
  const there = first && ownLoadBalancer(scope, first);
  const balanced = there?.AvailabilityZones.map(({ ZoneName }) => ZoneName);
  return Object.fromEntries(
    [...new Set(zones)].sort().map((zone) => [zone, { controlPlane: balanced?.includes(zone) ?? true }]),
  );
};

export const networkStatus = (scope: Scope): NetworkStatus => {
  const addresses = gatewayAddresses(scope);
  const [first, second] = loadBalancerStatuses(scope);
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
    const group = scope.observed.securityGroups.find(({ GroupId }) => GroupId === id);
    statuses[role] = {
      id,
      name: group?.GroupName ?? groupName(scope, role),
      ...(group && { ingressRule: rulesOf(scope, role), tags: tagMap(group.Tags) }),
    };
  }
  return statuses;
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
