/** The checks that need no look into the workload cluster. Pure. */
import type { Checks } from './categories.ts';
import { checkComponents } from './components.ts';
import { checkCluster, checkControlPlane, checkMachines, checkPaused } from './health.ts';
import { checkTarget, checkWorkerSkew, checkWorkersAhead, checkWorkersTooNew } from './versions.ts';

export const objectChecks: Checks = {
  Versions: [checkTarget, checkWorkerSkew, checkWorkersAhead, checkWorkersTooNew, checkComponents],
  Cluster: [checkCluster, checkPaused, checkControlPlane, checkMachines],
};
