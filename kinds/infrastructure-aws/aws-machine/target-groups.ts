/** Registers control plane machines with the load balancers of the API server. */
import type { Action } from '../../../machinery/api/reconcile.ts';
import { callCloud } from '../../ports/index.ts';
import type { ObservedTargetGroup } from './observe.ts';

const isRegistered = ({ health }: ObservedTargetGroup, instanceId: string): boolean =>
  health.some(
    ({ Target, TargetHealth }) =>
      Target.Id === instanceId && TargetHealth.State !== 'draining' && TargetHealth.Reason !== 'Target.NotRegistered',
  );

/** `wanted`: whether the instance may receive client traffic. */
export const registrations = (
  region: string,
  groups: readonly ObservedTargetGroup[],
  instanceId: string,
  wanted: boolean,
  owned: Record<string, string>,
): Action[] =>
  groups.flatMap((group) => {
    const { arn } = group;
    if (arn === undefined || isRegistered(group, instanceId) === wanted) return [];
    const input = { TargetGroupArn: arn, Targets: [{ Id: instanceId }] };
    return wanted ? callCloud(region, 'RegisterTargets', input) : callCloud(region, 'DeregisterTargets', input, owned);
  });
