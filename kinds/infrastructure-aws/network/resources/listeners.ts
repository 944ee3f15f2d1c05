import { create } from '../../engine/resource.ts';
import type { ObservedLoadBalancer } from '../observe-balancing.ts';
import type { NetworkResource } from '../scope.ts';
import { balancing, tagsFor } from './balancing.ts';
import { balancersOf, ownLoadBalancer } from './load-balancers.ts';

/** A listener for each port of a load balancer, which goes with it. */
export const listeners: NetworkResource<ObservedLoadBalancer['listeners'][number]> = {
  sort: 'listener',
  title: 'listener',
  events: [],
  condition: balancing,
  isOptional: true,
  inside: ({ loadBalancers }) => loadBalancers.flatMap((one) => one.listeners),
  id: ({ ListenerArn }) => ListenerArn,
  tags: ({ tags }) => tags,
  depth: 2,
  desired: (scope) =>
    balancersOf(scope).flatMap((one) => {
      const there = ownLoadBalancer(scope, one);
      return one.ports.flatMap(({ port, targetGroupName }) => {
        const group = scope.cloudState.targetGroups.find(({ TargetGroupName }) => TargetGroupName === targetGroupName);
        if (!there || !group) return [];
        return {
          which: `${one.which}/${port}`,
          there: there.listeners.find(({ Port }) => Port === port),
          create: create('CreateListener', {
            LoadBalancerArn: there.LoadBalancerArn,
            Protocol: 'TCP',
            Port: port,
            DefaultActions: [{ Type: 'forward', TargetGroupArn: group.TargetGroupArn }],
          }),
          tags: tagsFor(scope, one),
        };
      });
    }),
  uses: [],
};
