/** Registers control plane machines with the load balancers of the API server. */
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { TargetHealth } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';

export interface ObservedTargetGroup {
  /** Undefined while the target group that the cluster records does not exist or is not visible. */
  arn: string | undefined;
  health: TargetHealth[];
}
export interface ObservedClassic {
  name: string;
  /** Undefined while the load balancer that the cluster records does not exist or is not visible. */
  instances: string[] | undefined;
}
/** What has control plane machines as members. */
export interface Balancing {
  targetGroups: readonly ObservedTargetGroup[];
  classicLoadBalancers: readonly ObservedClassic[];
}

/** A part is missing, which the AWSCluster controller creates again. */
export const isIncomplete = ({ targetGroups, classicLoadBalancers }: Balancing): boolean =>
  targetGroups.some(({ arn }) => arn === undefined) ||
  classicLoadBalancers.some(({ instances }) => instances === undefined);

const isRegistered = ({ health }: ObservedTargetGroup, instanceId: string): boolean =>
  health.some(
    ({ Target, TargetHealth }) =>
      Target.Id === instanceId && TargetHealth.State !== 'draining' && TargetHealth.Reason !== 'Target.NotRegistered',
  );

/** `wanted`: whether the instance may receive client traffic. */
export const registrations = (
  region: string,
  { targetGroups, classicLoadBalancers }: Balancing,
  instanceId: string,
  wanted: boolean,
  owned: Record<string, string>,
): Action[] => [
  ...targetGroups.flatMap((group) => {
    const { arn } = group;
    if (arn === undefined || isRegistered(group, instanceId) === wanted) return [];
    const input = { TargetGroupArn: arn, Targets: [{ Id: instanceId }] };
    return wanted ? callCloud(region, 'RegisterTargets', input) : callCloud(region, 'DeregisterTargets', input, owned);
  }),
  ...classicLoadBalancers.flatMap(({ name: LoadBalancerName, instances }) => {
    if (instances === undefined || instances.includes(instanceId) === wanted) return [];
    const input = { LoadBalancerName, Instances: [{ InstanceId: instanceId }] };
    return wanted
      ? callCloud(region, 'RegisterInstancesWithLoadBalancer', input)
      : callCloud(region, 'DeregisterInstancesFromLoadBalancer', input, owned);
  }),
];
