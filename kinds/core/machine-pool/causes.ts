/** What a MachinePool reports. */
import type { CauseRules } from '../../common/causes/index.ts';

export const machinePoolCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachinePool',
  conditions: {},
  others: (pool) => [
    {
      object: pool,
      type: 'Served',
      reason: 'NotServed',
      message: 'is a MachinePool, which Capstan lists and does not act on',
      level: 'fault',
      since: pool.metadata.creationTimestamp,
      rule: { advice: 'Use a MachineDeployment' },
    },
  ],
};
