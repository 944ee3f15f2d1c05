/** What a MachineHealthCheck's conditions mean. */
import { byProbe, type CauseRules, mergePatch } from '../../common/causes/index.ts';

export const machineHealthCheckCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineHealthCheck',
  conditions: {
    RemediationAllowed: {
      level: 'fault',
      reasons: {
        TooManyUnhealthy: {
          next: 'No Machine is replaced until fewer are unhealthy, or the limit is raised',
          advice: 'Mend what so many Machines have in common, or raise the limit',
          run: (check) => [
            mergePatch(check, { spec: { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: '100%' } } } }),
          ],
        },
      },
      fine: ['RemediationAllowed'],
    },
    RemediationDeferred: {
      bad: 'True',
      level: 'fault',
      next: 'The check runs again every minute',
      reasons: {
        ClusterUnreachable: { level: 'wait', by: byProbe },
        ZoneUnhealthy: {},
        BudgetExhausted: { level: 'wait' },
        SeveralReasons: {},
        RemediationDeferred: { level: 'wait' },
        RemediationHeld: {},
        CannotBeRemediated: {},
      },
    },
  },
};
