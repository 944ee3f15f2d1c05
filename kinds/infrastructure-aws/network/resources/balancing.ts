/** What network and classic load balancers share. */

import type { Tag } from '../../../ports/cloud/index.ts';
import { carries, type Description, evidence, type Owner } from '../../engine/tags.ts';
import { loadBalancerReady } from '../conditions.ts';
import type { DesiredLoadBalancer, LoadBalancerSpec, Which } from '../desired-load-balancer.ts';
import { hasIpv6, isIpv6, wantsIpv6 } from '../ipv6.ts';
import type { Scope } from '../scope.ts';
import { attachedGateway } from './internet-gateways.ts';
import { isPlaceable } from './nat-gateways.ts';
import { groupIds } from './security-groups.ts';
import { isSubnetId, observedSubnet, resourceIdOf } from './subnets.ts';

/** The condition of load balancers and their parts. */
export const balancing = { type: loadBalancerReady, started: 'WaitForDNSName', failed: 'LoadBalancerFailed' };

/** Subnets of a load balancer, one a zone. A subnet that it already uses (`placed`) wins. */
const subnetsOf = (
  { network, cloudState }: Scope,
  spec: LoadBalancerSpec,
  placed: readonly string[],
): string[] | string => {
  const all = network.subnets ?? [];
  if (spec.subnets?.length) {
    const ids = spec.subnets.map((name) => {
      const known = all.find(({ id, resourceID }) => id === name || resourceID === name);
      return known ? observedSubnet(known, cloudState.subnets)?.SubnetId : isSubnetId(name) ? name : undefined;
    });
    const lost = ids.indexOf(undefined);
    return lost < 0 ? (ids as string[]) : `subnet ${spec.subnets[lost]} of the load balancer is not known`;
  }
  const placeable = all.filter(isPlaceable);
  const isPublic = spec.scheme !== 'internal' || !placeable.some((subnet) => !subnet.isPublic);
  const zones = new Map<string, string>();
  let isComing = false;
  for (const subnet of placeable) {
    if (Boolean(subnet.isPublic) !== isPublic) continue;
    const there = observedSubnet(subnet, cloudState.subnets);
    if (!there) {
      isComing = true;
      continue;
    }
    if (placed.includes(there.SubnetId) || !zones.has(there.AvailabilityZone))
      zones.set(there.AvailabilityZone, there.SubnetId);
  }
  // A load balancer that exists goes on with the subnets that there are.
  if (isComing && (placed.length === 0 || zones.size === 0)) return [];
  return zones.size > 0 ? [...zones.values()] : `no ${isPublic ? 'public' : 'private'} subnet for the load balancer`;
};

/** What load balancers wait for. */
export const isPossible = (scope: Scope): boolean =>
  scope.cloudState.vpc !== undefined && groupIds(scope)['apiserver-lb'] !== undefined;

const fieldOf = (which: Which): string =>
  which === 'apiserver' ? 'controlPlaneLoadBalancer' : 'secondaryControlPlaneLoadBalancer';

/** A load balancer with the right name but without the tags belongs to another owner. */
export const isOwn = (owner: Owner, { tags }: { tags: readonly Tag[] }): boolean => carries(tags, evidence(owner));

/** The tags of a load balancer and of its parts. */
export const tagsFor = (
  { owner }: Scope,
  { which }: Pick<DesiredLoadBalancer, 'which'>,
  sort = 'load-balancer',
): Description => ({
  name: `${owner.clusterName}-${which}`,
  role: 'apiserver',
  purpose: `${sort}/${which}`,
});

export interface Placement {
  subnets: string[];
  groups: string[];
  scheme: 'internet-facing' | 'internal';
  addressType: 'ipv4' | 'dualstack' | 'later';
  /** What the creation waits for, as words after its key. */
  awaited: string[];
}

/**
 * Where a load balancer stands, or why it cannot. `namesake`: the one of the wanted name, of any
 * owner. `key`: that of the step that creates the load balancer.
 */
export const placementOf = (
  scope: Scope,
  { which, name, spec }: Pick<DesiredLoadBalancer, 'which' | 'name' | 'spec'>,
  namesake: { tags: readonly Tag[]; placed: readonly string[] } | undefined,
  key: string,
): Placement | 'later' | { failed: string } => {
  const { cloudState, owner, isRecent } = scope;
  const there = namesake && isOwn(owner, namesake) ? namesake : undefined;
  const subnets = subnetsOf(scope, spec, there?.placed ?? []);
  if (typeof subnets === 'string') return { failed: subnets };
  if (subnets.length === 0) return 'later';
  // Describe calls may show a new load balancer before its tags. Until they do, it may belong to
  // another owner, so wait.
  const mayLackTags = namesake?.tags.length === 0 && isRecent(key);
  if (namesake && !there && !mayLackTags)
    return {
      failed: `a load balancer named ${name} exists and is not this cluster's: give another spec.${fieldOf(which)}.name`,
    };
  const scheme = spec.scheme ?? 'internet-facing';
  // EC2 allows no public load balancer in a VPC without an internet gateway.
  const isOnline = scheme === 'internal' || cloudState.vpc?.unmanaged || attachedGateway(cloudState);
  const addressType = addressTypeOf(scope, subnets);
  const lacks = isOnline ? addressType === 'later' && 'ipv6' : 'gateway';
  const waits = namesake ? 'tags' : lacks;
  return {
    subnets,
    groups: [groupIds(scope)['apiserver-lb'] ?? '', ...(spec.additionalSecurityGroups ?? [])],
    scheme,
    addressType,
    awaited: !there && waits ? [waits] : [],
  };
};

/** Dual stack where all of its subnets are, once their blocks can be used. */
const addressTypeOf = ({ network, cloudState }: Scope, ids: readonly string[]): 'ipv4' | 'dualstack' | 'later' => {
  const isAsked = (id: string) => network.subnets?.some((one) => resourceIdOf(one) === id && isIpv6(one));
  if (!wantsIpv6({ network }) || !ids.every(isAsked)) return 'ipv4';
  const isUsable = (id: string) => cloudState.subnets.some((one) => one.SubnetId === id && hasIpv6(one));
  return ids.every(isUsable) ? 'dualstack' : 'later';
};

export const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.toSorted().join() === others.toSorted().join();
