/** Network load balancers in front of the API servers. */

import { legacyFalse } from '../../../../machinery/api/conditions.ts';
import type { Endpoint } from '../../../ports/cloud/index.ts';
import { call, create, type Desired, type Want } from '../../engine/resource.ts';
import type { Part } from '../../engine/scope.ts';
import { loadBalancerReady } from '../conditions.ts';
import {
  type DesiredLoadBalancer,
  desiredClassic,
  desiredLoadBalancers,
  hasNetwork,
  isClassic,
} from '../desired-load-balancer.ts';
import type { ObservedLoadBalancer } from '../observe-balancing.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { balancing, isOwn, isPossible, isSameSet, type Placement, placementOf, tagsFor } from './balancing.ts';
import { listensOn, ownClassic } from './classic-load-balancers.ts';

/** A load balancer with the right name but without the tags belongs to another owner. */
export const ownLoadBalancer = (
  { cloudState, owner }: Scope,
  { name }: Pick<DesiredLoadBalancer, 'name'>,
): ObservedLoadBalancer | undefined =>
  cloudState.loadBalancers.find((one) => one.LoadBalancerName === name && isOwn(owner, one));

export const balancersOf = ({ spec, owner, apiPorts }: Scope): DesiredLoadBalancer[] =>
  desiredLoadBalancers(spec, owner, apiPorts);

export const changedAttributes = (wanted: Record<string, string>, have: Record<string, string>) =>
  Object.entries(wanted)
    .filter(([key, value]) => have[key] !== value)
    .map(([Key, Value]) => ({ Key, Value }));

const repairs = (
  { spec }: DesiredLoadBalancer,
  { LoadBalancerArn, ...there }: ObservedLoadBalancer,
  { subnets, groups }: Placement,
): Want<ObservedLoadBalancer>['repairs'] => {
  const crossZone = { 'load_balancing.cross_zone.enabled': String(spec.crossZoneLoadBalancing ?? false) };
  const Attributes = changedAttributes(crossZone, there.attributes);
  const placed = there.AvailabilityZones.map(({ SubnetId }) => SubnetId);
  const Subnets = [...new Set([...placed, ...subnets])];
  return {
    attributes:
      Attributes.length > 0 ? call('ModifyLoadBalancerAttributes', { LoadBalancerArn, Attributes }) : undefined,
    'security-groups': isSameSet(groups, there.SecurityGroups)
      ? undefined
      : call('SetSecurityGroups', { LoadBalancerArn, SecurityGroups: groups }),
    subnets: Subnets.length > placed.length ? call('SetSubnets', { LoadBalancerArn, Subnets }) : undefined,
  };
};

const wantOf = (scope: Scope, one: DesiredLoadBalancer): Want<ObservedLoadBalancer> | 'later' | { failed: string } => {
  const namesake = scope.cloudState.loadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === one.name);
  const placement = placementOf(
    scope,
    one,
    namesake && { tags: namesake.tags, placed: namesake.AvailabilityZones.map(({ SubnetId }) => SubnetId) },
    `load-balancer/${one.which}`,
  );
  if (placement === 'later' || 'failed' in placement) return placement;
  const there = ownLoadBalancer(scope, one);
  return {
    which: one.which,
    there,
    ...(placement.awaited.length > 0 && { awaited: placement.awaited }),
    create: create('CreateLoadBalancer', {
      Name: one.name,
      Type: 'network',
      Scheme: placement.scheme,
      Subnets: placement.subnets,
      SecurityGroups: placement.groups,
      ...(placement.addressType === 'dualstack' && { IpAddressType: placement.addressType }),
    }),
    tags: tagsFor(scope, one),
    ...(there && { repairs: repairs(one, there, placement) }),
  };
};

const desired = (scope: Scope): Desired<ObservedLoadBalancer> => {
  const wants: Want<ObservedLoadBalancer>[] = [];
  for (const one of balancersOf(scope)) {
    if (!isPossible(scope)) return 'later';
    const want = wantOf(scope, one);
    if (want === 'later' || 'failed' in want) return want;
    wants.push(want);
  }
  return wants;
};

export const loadBalancers: NetworkResource<ObservedLoadBalancer> = {
  sort: 'load-balancer',
  title: 'load balancer',
  events: ['CreateLoadBalancer', 'DeleteLoadBalancer'],
  condition: balancing,
  isOptional: true,
  list: 'loadBalancers',
  tags: ({ tags }) => tags,
  state: ({ State: { Code } }) => {
    if (Code === 'provisioning') return 'pending';
    return Code === 'failed' ? 'failed' : 'ready';
  },
  isPossible: ({ spec }) => hasNetwork(spec),
  depth: 1,
  desired,
  failure: ({ LoadBalancerName, State }) =>
    `Load balancer ${LoadBalancerName} failed: ${State.Reason ?? 'no reason given'}`,
  completed: planResolution,
  expected: {
    '': {
      checks: [108],
      every: 3,
      isUnderway: (cloud, key, { spec, owner, apiPorts }) => {
        const name = desiredLoadBalancers(spec, owner, apiPorts).find(({ which }) => key.endsWith(`/${which}`))?.name;
        const there = cloud.ask('DescribeLoadBalancers', { Names: [name ?? ''] })?.LoadBalancers;
        return there?.some(({ State }) => State.Code === 'provisioning') ?? false;
      },
    },
    name: {
      checks: [8],
      every: 2,
      isUnderway: (cloud, _, { loadBalancerArn: LoadBalancerArn, apiPorts }) => {
        const listeners = cloud.all('DescribeListeners', { LoadBalancerArn }, (page) => page.Listeners, 'Marker');
        return listeners?.some(({ Port, Endpoint }) => Port === apiPorts.listener && !Endpoint?.Resolves) ?? false;
      },
    },
  },
  uses: ['targetGroups', 'securityGroups', 'subnets', 'internetGateways', 'vpcs'],
  turn: () => 'slow',
  remove: ({ LoadBalancerArn }) => [call('DeleteLoadBalancer', { LoadBalancerArn })],
};

/** What is awaited of the first load balancer when its name does not resolve. */
const nameOfFirst = ({ spec }: Scope): string =>
  `${isClassic(spec) ? 'classic-load-balancer' : 'load-balancer'}/apiserver/name`;

/**
 * A client that resolves a name too early caches the negative answer, so wait for the name to
 * resolve before publishing it.
 */
function planResolution(scope: Scope, part: Part): Part {
  const { controlPlaneEndpoint, controlPlaneLoadBalancer } = scope.spec;
  const endpoint = apiEndpoint(scope);
  if (controlPlaneEndpoint?.host || controlPlaneLoadBalancer?.dnsResolutionCheck === 'None') return part;
  // The controller requests nothing under this key, so no effect can follow.
  if (!endpoint || endpoint.Resolves) return { ...part, forget: [nameOfFirst(scope)] };
  const message = `Waiting for ${endpoint.Host} to resolve`;
  return {
    ...part,
    underway: [nameOfFirst(scope)],
    settled: false,
    conditions: [legacyFalse(loadBalancerReady, 'WaitForDNSNameResolve', 'Info', message)],
  };
}

/** The endpoint of the API server: the listener of the first load balancer. */
export const apiEndpoint = (scope: Scope): Endpoint | undefined => {
  const classic = desiredClassic(scope.spec, scope.owner, scope.apiPorts);
  const classicThere = classic && ownClassic(scope, classic);
  if (classic) return classicThere && listensOn(classicThere, classic.listener)?.Endpoint;
  const first = desiredLoadBalancers(scope.spec, scope.owner, scope.apiPorts)[0];
  const there = first && ownLoadBalancer(scope, first);
  return there?.listeners.find(({ Port }) => Port === scope.apiPorts.listener)?.Endpoint;
};
