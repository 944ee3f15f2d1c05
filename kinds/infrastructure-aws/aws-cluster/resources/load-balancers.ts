/** Network load balancers in front of the API servers. */
import { legacyFalse } from '../../../../machinery/api/conditions.ts';
import type { Listener } from '../../../ports/cloud.ts';
import { loadBalancerReady } from '../conditions.ts';
import type { Part, Scope } from '../context.ts';
import { type DesiredLoadBalancer, desiredLoadBalancers } from '../desired-load-balancer.ts';
import type { ObservedLoadBalancer } from '../observe-balancing.ts';
import { carries, type Description, evidence } from '../tags.ts';
import { attachedGateway } from './internet-gateways.ts';
import { isPlaceable } from './nat-gateways.ts';
import { groupIds } from './security-groups.ts';
import { isSubnetId, observedSubnet } from './subnets.ts';
import { call, create, type Desired, type ResourceType, type Want } from './type.ts';

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

/** The condition of load balancers and their parts. */
export const balancing = { type: loadBalancerReady, started: 'WaitForDNSName', failed: 'LoadBalancerFailed' };

/** The tags of a load balancer and of its parts. */
export const tagsFor = ({ owner }: Scope, { which }: DesiredLoadBalancer): Description => ({
  name: `${owner.clusterName}-${which}`,
  role: 'apiserver',
  purpose: `load-balancer/${which}`,
});

/** What load balancers wait for. */
export const isPossible = (scope: Scope): boolean =>
  scope.observed.vpc !== undefined && groupIds(scope)['apiserver-lb'] !== undefined;

export const balancersOf = ({ spec, owner, apiPorts }: Scope): DesiredLoadBalancer[] =>
  desiredLoadBalancers(spec, owner, apiPorts);

export const changedAttributes = (wanted: Record<string, string>, have: Record<string, string>) =>
  Object.entries(wanted)
    .filter(([key, value]) => have[key] !== value)
    .map(([Key, Value]) => ({ Key, Value }));

const repairs = (
  { spec }: DesiredLoadBalancer,
  { LoadBalancerArn, ...there }: ObservedLoadBalancer,
  subnets: string[],
  groups: string[],
): Want<ObservedLoadBalancer>['repairs'] => {
  const crossZone = { 'load_balancing.cross_zone.enabled': String(spec.crossZoneLoadBalancing ?? false) };
  const Attributes = changedAttributes(crossZone, there.attributes);
  const isSame = [...groups].sort().join() === [...there.SecurityGroups].sort().join();
  const placed = there.AvailabilityZones.map(({ SubnetId }) => SubnetId);
  const Subnets = [...new Set([...placed, ...subnets])];
  return {
    attributes:
      Attributes.length > 0 ? call('ModifyLoadBalancerAttributes', { LoadBalancerArn, Attributes }) : undefined,
    'security-groups': isSame ? undefined : call('SetSecurityGroups', { LoadBalancerArn, SecurityGroups: groups }),
    subnets: Subnets.length > placed.length ? call('SetSubnets', { LoadBalancerArn, Subnets }) : undefined,
  };
};

const wantOf = (scope: Scope, one: DesiredLoadBalancer): Want<ObservedLoadBalancer> | 'later' | { failed: string } => {
  const { observed } = scope;
  const there = ownLoadBalancer(scope, one);
  const subnets = subnetsOf(scope, one, there);
  if (typeof subnets === 'string') return { failed: subnets };
  if (subnets.length === 0) return 'later';
  const namesake = observed.loadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === one.name);
  if (namesake && !there && !mayLackTags(scope, one, namesake))
    return {
      failed: `a load balancer named ${one.name} exists and is not this cluster's: give another spec.${fieldOf(one)}.name`,
    };
  const groups = [groupIds(scope)['apiserver-lb'] ?? '', ...(one.spec.additionalSecurityGroups ?? [])];
  const Scheme = one.spec.scheme ?? 'internet-facing';
  // EC2 allows no public load balancer in a VPC without an internet gateway.
  const isOnline = Scheme === 'internal' || observed.vpc?.unmanaged || attachedGateway(observed);
  const waits = namesake ? 'tags' : isOnline ? undefined : 'gateway';
  return {
    which: one.which,
    there,
    ...(!there && waits && { awaited: [waits] }),
    create: create('CreateLoadBalancer', {
      Name: one.name,
      Type: 'network',
      Scheme,
      Subnets: subnets,
      SecurityGroups: groups,
    }),
    tags: tagsFor(scope, one),
    ...(there && { repairs: repairs(one, there, subnets, groups) }),
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

export const loadBalancers: ResourceType<ObservedLoadBalancer> = {
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

const nameOfFirst = 'load-balancer/apiserver/name';

/**
 * A client that resolves a name too early caches the negative answer, so wait for the name to
 * resolve before publishing it.
 */
function planResolution(scope: Scope, part: Part): Part {
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
}

/** The endpoint of the API server: the listener of the first load balancer. */
export const apiEndpoint = (scope: Scope): Listener['Endpoint'] | undefined => {
  const first = desiredLoadBalancers(scope.spec, scope.owner, scope.apiPorts)[0];
  const there = first && ownLoadBalancer(scope, first);
  return there?.listeners.find(({ Port }) => Port === scope.apiPorts.listener)?.Endpoint;
};
