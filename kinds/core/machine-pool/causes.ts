/** What a MachinePool's conditions mean. */
import {
  activities,
  blockedChanges,
  byOperation,
  byProbe,
  type CauseRules,
  either,
  firstOf,
  own,
  owned,
  referred,
  withheld,
} from '../../common/causes/index.ts';

const infrastructure = referred('template.spec.infrastructureRef');
const bootstrap = referred('template.spec.bootstrap.configRef');
const machines = owned('Machine');

export const machinePoolCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachinePool',
  others: blockedChanges(byOperation),
  conditions: {
    BootstrapConfigReady: {
      by: bootstrap,
      reasons: {
        ObjectDoesNotExist: { by: own('References') },
        NotReady: { level: 'wait' },
        NotAvailable: { level: 'wait' },
        DataSecretGenerationFailed: {},
        InternalError: { level: 'wait' },
        ...withheld,
      },
      fine: ['DataSecretProvided', 'Ready'],
    },
    InfrastructureReady: {
      by: infrastructure,
      reasons: {
        ObjectDoesNotExist: { by: own('References') },
        ObjectDeleted: { level: 'fault', advice: 'Delete the MachinePool, or create its infrastructure again' },
        NotReady: { level: 'wait' },
        InternalError: { level: 'wait' },
        ...withheld,
      },
      fine: ['Ready'],
    },
    Available: {
      level: 'wait',
      overdueAfter: 900,
      by: firstOf(own('InfrastructureReady', 'BootstrapConfigReady'), either(infrastructure, machines), byProbe),
      reasons: {
        NotAvailable: { next: 'It is Available once spec.replicas of its Nodes are ready' },
        ...withheld,
      },
      fine: ['Available'],
    },
    Deleting: {
      bad: 'True',
      level: 'wait',
      by: either(machines, infrastructure, bootstrap),
      reasons: {
        WaitingForMachinesDeletion: { by: machines },
        WaitingForInfrastructureDeletion: { by: infrastructure },
        WaitingForBootstrapDeletion: { by: bootstrap },
        DeletingNodes: { by: byProbe },
        InternalError: {},
      },
      fine: ['NotDeleting', 'DeletionCompleted'],
    },
    ...activities,
    // The counts of a pool do not change while a host that goes is drained.
    RollingOut: { bad: 'True', level: 'wait', by: either(machines, infrastructure), fine: ['NotRollingOut'] },
    ScalingDown: { bad: 'True', level: 'wait', by: either(machines, infrastructure), fine: ['NotScalingDown'] },
    Paused: { bad: 'Never', fine: ['Paused', 'NotPaused'] },
  },
};
