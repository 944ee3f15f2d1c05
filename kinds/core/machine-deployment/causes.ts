/** What a MachineDeployment's conditions mean. */
import {
  activities,
  blockedChanges,
  byControlPlane,
  byOperation,
  type CauseRules,
  type Explanation,
  either,
  firstOf,
  isDeleting,
  isWorse,
  only,
  own,
  owned,
  summariesOf,
  withheld,
} from '../../common/causes/index.ts';

const sets = owned('MachineSet');
const machines: Explanation = (deployment, graph) =>
  graph
    .ownedBy(deployment)
    .flatMap((set) => graph.ownedBy(set))
    .flatMap(graph.complaints);
const waits = only(byOperation, () => true);

export const machineDeploymentCauses: CauseRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineDeployment',
  others: blockedChanges(either(sets, byControlPlane)),
  conditions: {
    CanCreateMachines: {
      level: 'fault',
      next: 'It can neither grow nor replace Machines until its version is that of the control plane',
      reasons: { KubernetesVersionSkew: {}, KubeadmVersionSkew: {} },
    },
    MachineSetsSelected: {
      level: 'fault',
      reasons: {
        LabelsDoNotMatch: { advice: 'Change spec.selector or the labels of the template so that they match' },
      },
    },
    Available: {
      level: 'wait',
      overdueAfter: 900,
      by: firstOf(
        own('CanCreateMachines', 'References'),
        only(either(machines, sets), isWorse),
        either(machines, sets),
        waits,
      ),
      reasons: {
        NotAvailable: { next: 'Capstan creates Machines until spec.replicas of them are Available' },
        ...withheld,
      },
      fine: ['Available'],
    },
    ...summariesOf(machines, firstOf(either(only(machines, isWorse), only(byOperation, isWorse)), machines)),
    Deleting: {
      bad: 'True',
      level: 'wait',
      by: (deployment, graph) =>
        [...sets(deployment, graph), ...machines(deployment, graph)].filter(({ object }) => isDeleting(object)),
      reasons: { Deleting: {} },
      fine: ['NotDeleting'],
    },
    ...activities,
    Paused: { bad: 'Never' },
  },
};
