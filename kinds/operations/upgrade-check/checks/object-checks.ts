/** The checks that need no look into the workload cluster. Pure. */
import type { Checks } from './categories.ts';
import { checkCluster, checkControlPlane, checkMachines, checkPaused } from './health.ts';
import { checkFlags, checkTarget, checkWorkerSkew } from './versions.ts';

export const objectChecks: Checks = {
  Versions: [checkTarget, checkWorkerSkew, checkFlags],
  Cluster: [checkCluster, checkPaused, checkControlPlane, checkMachines],
};
