/** Which clusters report changes to Capstan. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { isDeleting } from '../machines.ts';
import type { PushReason } from './rules.ts';

export interface OptIns {
  /** The MachineHealthChecks of the cluster's namespace. */
  healthChecks: readonly KubeObject[];
}

const isOf = (cluster: string, { spec }: KubeObject): boolean =>
  (spec as { clusterName?: string } | undefined)?.clusterName === cluster;

/** Why the cluster reports; empty if nothing needs its reports. */
export const pushReasonsOf = (cluster: string, { healthChecks }: OptIns): PushReason[] =>
  healthChecks.some((check) => isOf(cluster, check) && !isDeleting(check)) ? ['health-check'] : [];
