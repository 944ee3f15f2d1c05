import type { HealthCheck, TargetGroup } from '../../../ports/cloud/index.ts';
import { call, create, type Want } from '../../engine/resource.ts';
import { type DesiredLoadBalancer, type DesiredPort, hasNetwork } from '../desired-load-balancer.ts';
import type { ObservedTargetGroup } from '../observe-balancing.ts';
import type { NetworkResource, Scope } from '../scope.ts';
import { balancing, isPossible, tagsFor } from './balancing.ts';
import { balancersOf, changedAttributes } from './load-balancers.ts';

/** The whole health check when any field differs. */
export const changedCheck = (check: DesiredPort['check'], there: TargetGroup): HealthCheck | undefined => {
  const wanted: HealthCheck = { HealthCheckPort: 'traffic-port', ...check };
  const right = Object.entries(wanted).every(([key, value]) => there[key as keyof HealthCheck] === value);
  return right ? undefined : wanted;
};

const repairs = (
  { spec }: DesiredLoadBalancer,
  { check }: DesiredPort,
  { TargetGroupArn, ...there }: ObservedTargetGroup,
): Want<ObservedTargetGroup>['repairs'] => {
  const wanted = {
    // With preservation on, a control plane machine could not reach itself through the load
    // balancer.
    'preserve_client_ip.enabled': String(spec.preserveClientIP ?? false),
    'target_health_state.unhealthy.connection_termination.enabled': 'false',
    'target_health_state.unhealthy.draining_interval_seconds': '300',
  };
  const Attributes = changedAttributes(wanted, there.attributes);
  const changed = changedCheck(check, { TargetGroupArn, ...there });
  return {
    attributes: Attributes.length > 0 ? call('ModifyTargetGroupAttributes', { TargetGroupArn, Attributes }) : undefined,
    check: changed && call('ModifyTargetGroup', { TargetGroupArn, ...changed }),
  };
};

const wantOf = (scope: Scope, one: DesiredLoadBalancer, port: DesiredPort): Want<ObservedTargetGroup> => {
  const there = scope.cloudState.targetGroups.find(({ TargetGroupName }) => TargetGroupName === port.targetGroupName);
  return {
    which: `${one.which}/${port.port}`,
    there,
    create: create('CreateTargetGroup', {
      Name: port.targetGroupName,
      Protocol: 'TCP',
      Port: port.targetPort,
      VpcId: scope.cloudState.vpc?.VpcId ?? '',
      TargetType: 'instance',
      ...(port.family === 'ipv6' && { IpAddressType: port.family }),
      ...port.check,
    }),
    tags: tagsFor(scope, one),
    ...(there && { repairs: repairs(one, port, there) }),
  };
};

/** A target group for each port of a load balancer. */
export const targetGroups: NetworkResource<ObservedTargetGroup> = {
  sort: 'target-group',
  title: 'target group',
  events: [],
  condition: balancing,
  isOptional: true,
  list: 'targetGroups',
  tags: ({ tags }) => tags,
  isPossible: ({ spec }) => hasNetwork(spec),
  depth: 2,
  desired: (scope) => {
    const all = balancersOf(scope);
    if (all.length > 0 && !isPossible(scope)) return 'later';
    return all.flatMap((one) => one.ports.map((port) => wantOf(scope, one, port)));
  },
  awaiting: () => 'Waiting for the load balancer',
  uses: [],
  turn: () => 'slow',
  remove: ({ TargetGroupArn, LoadBalancerArns }) =>
    LoadBalancerArns.length === 0 ? [call('DeleteTargetGroup', { TargetGroupArn })] : [],
  keyOf: ({ Port }, purpose) => `${purpose.replace(/^load-balancer/, 'target-group')}/${Port}`,
};
