/** The classic load balancer in front of the API servers, which the AWS provider makes by default. */
import type { ClassicAttributes, ClassicHealthCheck, ClassicListener } from '../../../ports/cloud/index.ts';
import { call, create, type Desired, type Want } from '../../engine/resource.ts';
import { type DesiredClassic, desiredClassic, isClassic } from '../desired-load-balancer.ts';
import type { ObservedClassic } from '../observe-balancing.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { balancing, isOwn, isPossible, isSameSet, type Placement, placementOf, tagsFor } from './balancing.ts';

const sort = 'classic-load-balancer';

const classicOf = ({ spec, owner, apiPorts }: Scope): DesiredClassic | undefined =>
  desiredClassic(spec, owner, apiPorts);

export const ownClassic = ({ cloudState, owner }: Scope, { name }: DesiredClassic): ObservedClassic | undefined =>
  cloudState.classicLoadBalancers.find((one) => one.LoadBalancerName === name && isOwn(owner, one));

export const isSameCheck = (a: ClassicHealthCheck, b: ClassicHealthCheck): boolean =>
  a.Target === b.Target &&
  a.Interval === b.Interval &&
  a.Timeout === b.Timeout &&
  a.HealthyThreshold === b.HealthyThreshold &&
  a.UnhealthyThreshold === b.UnhealthyThreshold;

export const listensOn = ({ ListenerDescriptions }: ObservedClassic, { LoadBalancerPort }: ClassicListener) =>
  ListenerDescriptions.find(({ Listener }) => Listener.LoadBalancerPort === LoadBalancerPort);

const isSameAttributes = (a: ClassicAttributes, b: ClassicAttributes | undefined): boolean =>
  a.CrossZoneLoadBalancing.Enabled === b?.CrossZoneLoadBalancing.Enabled &&
  a.ConnectionSettings.IdleTimeout === b.ConnectionSettings.IdleTimeout;

const repairs = (
  { attributes, check, listener }: DesiredClassic,
  there: ObservedClassic,
  { subnets, groups }: Placement,
): Want<ObservedClassic>['repairs'] => {
  const { LoadBalancerName } = there;
  const added = subnets.filter((id) => !there.Subnets.includes(id));
  return {
    attributes: isSameAttributes(attributes, there.attributes)
      ? undefined
      : call('ModifyClassicLoadBalancerAttributes', { LoadBalancerName, LoadBalancerAttributes: attributes }),
    check: isSameCheck(check, there.HealthCheck)
      ? undefined
      : call('ConfigureHealthCheck', { LoadBalancerName, HealthCheck: check }),
    listener: listensOn(there, listener)
      ? undefined
      : call('CreateLoadBalancerListeners', { LoadBalancerName, Listeners: [listener] }),
    'security-groups': isSameSet(groups, there.SecurityGroups)
      ? undefined
      : call('ApplySecurityGroupsToLoadBalancer', { LoadBalancerName, SecurityGroups: groups }),
    subnets: added.length > 0 ? call('AttachLoadBalancerToSubnets', { LoadBalancerName, Subnets: added }) : undefined,
  };
};

const desired = (scope: Scope): Desired<ObservedClassic> => {
  const one = classicOf(scope);
  if (!one) return [];
  if (!isPossible(scope)) return 'later';
  const namesake = scope.cloudState.classicLoadBalancers.find(({ LoadBalancerName }) => LoadBalancerName === one.name);
  const there = ownClassic(scope, one);
  const placement = placementOf(
    scope,
    one,
    namesake && { tags: namesake.tags, placed: namesake.Subnets },
    `${sort}/${one.which}`,
  );
  if (placement === 'later' || 'failed' in placement) return placement;
  return [
    {
      which: one.which,
      there,
      ...(placement.awaited.length > 0 && { awaited: placement.awaited }),
      create: create('CreateClassicLoadBalancer', {
        LoadBalancerName: one.name,
        Listeners: [one.listener],
        Scheme: placement.scheme,
        Subnets: placement.subnets,
        SecurityGroups: placement.groups,
      }),
      tags: tagsFor(scope, one, sort),
      ...(there && { repairs: repairs(one, there, placement) }),
    },
  ];
};

export const classicLoadBalancers: NetworkResource<ObservedClassic> = {
  sort,
  title: 'classic load balancer',
  eventNoun: 'LoadBalancer',
  events: ['CreateClassicLoadBalancer', 'DeleteClassicLoadBalancer'],
  condition: balancing,
  isOptional: true,
  list: 'classicLoadBalancers',
  tags: ({ tags }) => tags,
  state: () => 'ready',
  isPossible: ({ spec }) => isClassic(spec),
  depth: 1,
  desired,
  awaiting: () => 'Waiting for the load balancer',
  expected: {
    name: {
      checks: [30],
      every: 3,
      isUnderway: (cloud, _, { spec, owner, apiPorts }) => {
        const one = desiredClassic(spec, owner, apiPorts);
        const [there] =
          (one && cloud.ask('DescribeClassicLoadBalancers', { LoadBalancerNames: [one.name] }))
            ?.LoadBalancerDescriptions ?? [];
        return there?.ListenerDescriptions.some(({ Endpoint }) => Endpoint?.Resolves === false) ?? false;
      },
    },
  },
  uses: ['securityGroups', 'subnets', 'internetGateways', 'vpcs'],
  turn: () => 'slow',
  remove: ({ LoadBalancerName }) => [call('DeleteClassicLoadBalancer', { LoadBalancerName })],
};
