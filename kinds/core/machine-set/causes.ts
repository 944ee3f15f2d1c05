/** What a MachineSet's conditions mean. */
import {
  activities,
  blockedChanges,
  byControlPlane,
  byOperation,
  type CauseRules,
  type Explanation,
  either,
  isWorse,
  only,
  owned,
  summariesOf,
} from '../../common/causes/index.ts';

const deployment: Explanation = ({ metadata }, graph) =>
  (metadata.ownerReferences ?? []).flatMap(({ kind, name }) => graph.complaints(graph.get(kind, name)));
const machines = owned('Machine');
const blockedDeployment = only(deployment, ({ type }) => type === 'CanCreateMachines');
/** An upgrade replaces the Machines of an old set, which need not be created any more. */
const skewed = either(blockedDeployment, byOperation);

export const machineSetCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineSet',
  others: blockedChanges(byControlPlane),
  conditions: {
    CanCreateMachines: {
      level: 'fault',
      by: blockedDeployment,
      reasons: {
        ControlPlaneIsStable: { level: 'wait' },
        KubernetesVersionSkew: { by: skewed },
        KubeadmVersionSkew: { by: skewed },
      },
    },
    MachineSetsSelected: { level: 'fault' },
    MachinesSelected: {
      level: 'fault',
      reasons: {
        LabelsDoNotMatch: { advice: 'Change spec.selector or the labels of the template so that they match' },
      },
    },
    ...summariesOf(machines, either(machines, only(byOperation, isWorse))),
    Deleting: { bad: 'True', level: 'wait', by: machines, reasons: { Deleting: {} }, fine: ['NotDeleting'] },
    ...activities,
  },
};
