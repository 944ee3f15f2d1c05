/** Network load balancers in front of the API servers, with a target group for each port. */
import { legacyFalse } from '../../../machinery/api/conditions.ts';
import type { HealthCheck, Listener, TargetGroup } from '../../ports/cloud.ts';
import { callCloud } from '../../ports/index.ts';
import { nameOfFirst } from './awaiting.ts';
import { failedPart, loadBalancerReady, partOf } from './conditions.ts';
import { notYet, type Part, type Scope, settled } from './context.ts';
import { type DesiredLoadBalancer, type DesiredPort, desiredLoadBalancers } from './desired-load-balancer.ts';
import { isAttachedTo } from './network/internet-gateway.ts';
import { isPlaceable } from './network/nat-gateways.ts';
import { isSubnetId, observedSubnet } from './network/subnets.ts';
import type { ObservedLoadBalancer } from './observe-cloud.ts';
import { groupIds } from './security-groups.ts';
import type { Step } from './step.ts';
import { carries, evidence, tagList, tagsOf } from './tags.ts';

/** Subnets of a load balancer, one a zone; a subnet that the load balancer already uses wins. */
const subnetsOf = (
  { network, observed }: Scope,
  { spec }: DesiredLoadBalancer,
  balancer: ObservedLoadBalancer | undefined,
): string[] | string => {
  const all = network.subnets ?? [];
  if (spec.subnets?.length) {
    const ids = spec.subnets.map((name) => {
      const known = all.find(({ id, resourceID }) => id === name || resourceID === name);
      return known ? observedSubnet(known, observed.subnets)?.SubnetId : isSubnetId(name) ? name : undefined;
    });
    const lost = ids.indexOf(undefined);
    return lost < 0 ? (ids as string[]) : `subnet ${spec.subnets[lost]} of the load balancer is not known`;
  }
  const placeable = all.filter(isPlaceable);
  const isPublic = spec.scheme !== 'internal' || !placeable.some((subnet) => !subnet.isPublic);
  const zones = new Map<string, string>();
  for (const subnet of placeable) {
    if (Boolean(subnet.isPublic) !== isPublic) continue;
    const there = observedSubnet(subnet, observed.subnets);
    if (!there) return [];
    const isPlaced = balancer?.AvailabilityZones.some(({ SubnetId }) => SubnetId === there.SubnetId);
    if (isPlaced || !zones.has(there.AvailabilityZone)) zones.set(there.AvailabilityZone, there.SubnetId);
  }
  return zones.size > 0 ? [...zones.values()] : `no ${isPublic ? 'public' : 'private'} subnet for the load balancer`;
};

export const planLoadBalancers = (scope: Scope): Part => {
  const { spec, owner, apiPorts, observed } = scope;
  const desired = desiredLoadBalancers(spec, owner, apiPorts);
  if (desired.length === 0) return settled();
  const group = groupIds(scope)['apiserver-lb'];
  if (!observed.vpc || !group) return notYet;
  const steps: Step[] = [];
  const underway: string[] = [];
  for (const one of desired) {
    const there = ownLoadBalancer(scope, one);
    const subnets = subnetsOf(scope, one, there);
    if (typeof subnets === 'string') return failedPart(loadBalancerReady, subnets);
    if (subnets.length === 0) return notYet;
    const namesake = observed.loadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === one.name);
    if (namesake && !there && !mayLackTags(scope, one, namesake))
      return failedPart(
        loadBalancerReady,
        `a load balancer named ${one.name} exists and is not this cluster's: give another spec.${fieldOf(one)}.name`,
      );
    const groups = [group, ...(one.spec.additionalSecurityGroups ?? [])];
    steps.push(...planTargetGroups(scope, one, observed.vpc.VpcId));
    if (namesake && !there) underway.push(`load-balancer/${one.which}/tags`);
    else if (!there) {
      // EC2 allows no public load balancer in a VPC without an internet gateway.
      if (one.spec.scheme !== 'internal' && !isOnline(scope)) underway.push(`load-balancer/${one.which}/gateway`);
      else steps.push(createLoadBalancer(scope, one, subnets, groups));
    } else {
      steps.push(...planAttributes(scope, one, there, subnets, groups), ...planListeners(scope, one, there));
      if (there.State.Code === 'failed')
        return failedPart(
          loadBalancerReady,
          `Load balancer ${one.name} failed: ${there.State.Reason ?? 'no reason given'}`,
        );
      if (there.State.Code === 'provisioning') underway.push(`load-balancer/${one.which}`);
    }
  }
  const part = partOf(loadBalancerReady, steps, underway, 'Waiting for the load balancer');
  return part.settled ? planResolution(scope, part) : part;
};

/** A load balancer with the right name but without the tags belongs to another owner. */
export const ownLoadBalancer = (
  { observed, owner }: Scope,
  { name }: Pick<DesiredLoadBalancer, 'name'>,
): ObservedLoadBalancer | undefined =>
  observed.loadBalancers.find((one) => one.LoadBalancerName === name && carries(one.tags, evidence(owner)));

/**
 * Describe calls may show a new load balancer before its tags. Until they do, it may belong to
 * another owner, so wait.
 */
const mayLackTags = ({ isRecent }: Scope, { which }: DesiredLoadBalancer, { tags }: ObservedLoadBalancer): boolean =>
  tags.length === 0 && isRecent(`load-balancer/${which}`);

const fieldOf = ({ which }: DesiredLoadBalancer): string =>
  which === 'apiserver' ? 'controlPlaneLoadBalancer' : 'secondaryControlPlaneLoadBalancer';

/**
 * A client that resolves a name too early caches the negative answer, so wait for the name to
 * resolve before publishing it.
 */
const planResolution = (scope: Scope, part: Part): Part => {
  const { controlPlaneEndpoint, controlPlaneLoadBalancer } = scope.spec;
  const endpoint = apiEndpoint(scope);
  if (controlPlaneEndpoint?.host || controlPlaneLoadBalancer?.dnsResolutionCheck === 'None') return part;
  // The controller requests nothing under this key, so no effect can follow.
  if (!endpoint || endpoint.Resolves) return { ...part, forget: [nameOfFirst] };
  const message = `Waiting for ${endpoint.Host} to resolve`;
  return {
    ...part,
    underway: [nameOfFirst],
    settled: false,
    conditions: [legacyFalse(loadBalancerReady, 'WaitForDNSNameResolve', 'Info', message)],
  };
};

const isOnline = ({ observed: { vpc, internetGateway } }: Scope): boolean =>
  vpc?.unmanaged || (internetGateway !== undefined && isAttachedTo(vpc?.VpcId)(internetGateway));

const createLoadBalancer = (scope: Scope, one: DesiredLoadBalancer, subnets: string[], groups: string[]): Step => ({
  key: `load-balancer/${one.which}`,
  actions: () => [
    callCloud(scope.region, 'CreateLoadBalancer', {
      Name: one.name,
      Type: 'network',
      Scheme: one.spec.scheme ?? 'internet-facing',
      Subnets: subnets,
      SecurityGroups: groups,
      Tags: tagsFor(scope, one),
    }),
  ],
});

const tagsFor = ({ owner }: Scope, one: DesiredLoadBalancer) =>
  tagList(
    tagsOf(owner, {
      name: `${owner.clusterName}-${one.which}`,
      role: 'apiserver',
      purpose: `load-balancer/${one.which}`,
    }),
  );

const planTargetGroups = (scope: Scope, one: DesiredLoadBalancer, vpcId: string): Step[] =>
  one.ports.flatMap(({ port, targetPort, targetGroupName, check }): Step[] => {
    const there = scope.observed.targetGroups.find(({ TargetGroupName }) => TargetGroupName === targetGroupName);
    const key = `target-group/${one.which}/${port}`;
    if (!there)
      return [
        {
          key,
          actions: () => [
            callCloud(scope.region, 'CreateTargetGroup', {
              Name: targetGroupName,
              Protocol: 'TCP',
              Port: targetPort,
              VpcId: vpcId,
              TargetType: 'instance',
              ...check,
              Tags: tagsFor(scope, one),
            }),
          ],
        },
      ];
    const wanted = {
      // With preservation on, a control plane machine could not reach itself through the load
      // balancer.
      'preserve_client_ip.enabled': String(one.spec.preserveClientIP ?? false),
      'target_health_state.unhealthy.connection_termination.enabled': 'false',
      'target_health_state.unhealthy.draining_interval_seconds': '300',
    };
    const { TargetGroupArn } = there;
    const changed = changedAttributes(wanted, there.attributes);
    const otherwise = changedCheck(check, there);
    return [
      ...(changed.length > 0
        ? [
            {
              key: `${key}/attributes`,
              actions: () => [
                callCloud(scope.region, 'ModifyTargetGroupAttributes', { TargetGroupArn, Attributes: changed }),
              ],
            },
          ]
        : []),
      ...(otherwise
        ? [
            {
              key: `${key}/check`,
              actions: () => [callCloud(scope.region, 'ModifyTargetGroup', { TargetGroupArn, ...otherwise })],
            },
          ]
        : []),
    ];
  });

/** The whole health check when any field differs. */
export const changedCheck = (check: DesiredPort['check'], there: TargetGroup): HealthCheck | undefined => {
  const wanted: HealthCheck = { HealthCheckPort: 'traffic-port', ...check };
  const right = Object.entries(wanted).every(([key, value]) => there[key as keyof HealthCheck] === value);
  return right ? undefined : wanted;
};

const changedAttributes = (wanted: Record<string, string>, have: Record<string, string>) =>
  Object.entries(wanted)
    .filter(([key, value]) => have[key] !== value)
    .map(([Key, Value]) => ({ Key, Value }));

const planAttributes = (
  { region }: Scope,
  { which, spec }: DesiredLoadBalancer,
  there: ObservedLoadBalancer,
  subnets: string[],
  groups: string[],
): Step[] => {
  const key = `load-balancer/${which}`;
  const { LoadBalancerArn } = there;
  const steps: Step[] = [];
  const crossZone = { 'load_balancing.cross_zone.enabled': String(spec.crossZoneLoadBalancing ?? false) };
  const changed = changedAttributes(crossZone, there.attributes);
  if (changed.length)
    steps.push({
      key: `${key}/attributes`,
      actions: () => [callCloud(region, 'ModifyLoadBalancerAttributes', { LoadBalancerArn, Attributes: changed })],
    });
  if ([...groups].sort().join() !== [...there.SecurityGroups].sort().join())
    steps.push({
      key: `${key}/security-groups`,
      actions: () => [callCloud(region, 'SetSecurityGroups', { LoadBalancerArn, SecurityGroups: groups })],
    });
  const placed = there.AvailabilityZones.map(({ SubnetId }) => SubnetId);
  if (subnets.some((id) => !placed.includes(id)))
    steps.push({
      key: `${key}/subnets`,
      actions: () => [
        callCloud(region, 'SetSubnets', { LoadBalancerArn, Subnets: [...new Set([...placed, ...subnets])] }),
      ],
    });
  return steps;
};

const planListeners = (scope: Scope, one: DesiredLoadBalancer, there: ObservedLoadBalancer): Step[] =>
  one.ports.flatMap(({ port, targetGroupName }): Step[] => {
    const group = scope.observed.targetGroups.find(({ TargetGroupName }) => TargetGroupName === targetGroupName);
    if (!group || there.listeners.some(({ Port }) => Port === port)) return [];
    return [
      {
        key: `listener/${one.which}/${port}`,
        actions: () => [
          callCloud(scope.region, 'CreateListener', {
            LoadBalancerArn: there.LoadBalancerArn,
            Protocol: 'TCP',
            Port: port,
            DefaultActions: [{ Type: 'forward', TargetGroupArn: group.TargetGroupArn }],
            Tags: tagsFor(scope, one),
          }),
        ],
      },
    ];
  });

/** The endpoint of the API server: the listener of the first load balancer. */
export const apiEndpoint = (scope: Scope): Listener['Endpoint'] | undefined => {
  const first = desiredLoadBalancers(scope.spec, scope.owner, scope.apiPorts)[0];
  const there = first && ownLoadBalancer(scope, first);
  return there?.listeners.find(({ Port }) => Port === scope.apiPorts.listener)?.Endpoint;
};
