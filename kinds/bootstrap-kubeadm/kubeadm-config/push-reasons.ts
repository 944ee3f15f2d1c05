/** Which clusters report changes to Capstan. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { declaredBy, type PlanWithPools } from '../../common/autoscale/plan-entry.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import type { PushReason } from '../../core/contract/push/rules.ts';

export interface OptIns {
  /** The MachineHealthChecks of the cluster's namespace. */
  healthChecks: readonly KubeObject[];
  /** The MachineDeployments of the cluster's namespace. */
  deployments: readonly KubeObject[];
  /** The cluster's ScalingPlan. */
  plan?: PlanWithPools | undefined;
}

const isOf = (cluster: string, { spec }: KubeObject): boolean =>
  (spec as { clusterName?: string } | undefined)?.clusterName === cluster;

/** Why the cluster reports; empty if nothing needs its reports. */
export const pushReasonsOf = (cluster: string, { healthChecks, deployments, plan }: OptIns): PushReason[] => {
  const isPresent = (object: KubeObject) => isOf(cluster, object) && !isDeleting(object);
  const isPool = (object: KubeObject) => isPresent(object) && boundsOf(declaredBy(plan, object)) !== undefined;
  return [
    ...(healthChecks.some(isPresent) ? (['health-check'] as const) : []),
    ...(deployments.some(isPool) ? (['autoscaling'] as const) : []),
  ];
};
