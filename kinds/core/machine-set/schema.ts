import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Infer, int32, listMap, object, required, string } from '../../../machinery/api/schema.ts';
import {
  clusterName,
  conditions,
  deletionOrder,
  deprecated,
  labelSelector,
  legacyConditions,
  legacyFailure,
  minReadySeconds,
  observedGeneration,
  scaleSelector,
  versionCounts,
} from '../../common/schema.ts';
import { machineTemplate, machineTemplateV1beta1 } from '../machine/schema.ts';

/** How new Machines are named; MachineDeployments pass it on to their sets. */
export const machineNaming = (extra = {}) =>
  object(
    'How Machines are named.',
    {
      template: string(
        'Go template of the name, with .cluster.name, .machineSet.name and .random, which it must contain.',
        { minLength: 1, maxLength: 256 },
      ),
    },
    extra,
  );

const selector = required(labelSelector('Which Machines belong to the set.'));
const replicas = int32('How many Machines there should be.');

export const machineSetSpec = object('What machines there should be.', {
  clusterName: required(clusterName()),
  deletion: object('How machines are removed.', { order: deletionOrder }, { minProperties: 1 }),
  machineNaming: machineNaming({ minProperties: 1 }),
  replicas,
  selector,
  template: required(machineTemplate),
});
export const machineSetSpecV1beta1 = object('What machines there should be.', {
  clusterName: required(clusterName()),
  deletePolicy: deletionOrder,
  machineNamingStrategy: machineNaming(),
  minReadySeconds: minReadySeconds('v1beta1'),
  replicas,
  selector,
  template: machineTemplateV1beta1,
});

/** The v1beta2 counters, of every kind that has them. */
export const replicaCounters = {
  availableReplicas: int32('Machines that are available.'),
  readyReplicas: int32('Machines that are ready.'),
  upToDateReplicas: int32('Machines that are as the template says.'),
};
export const legacyCounters = {
  availableReplicas: int32('Machines whose Node has been ready for long enough.'),
  readyReplicas: int32('Machines whose Node is ready.'),
};
const counted = {
  replicas: int32('Machines that exist.'),
  selector: scaleSelector,
  versions: versionCounts((description, of, extra) => listMap(description, ['version'], of, extra), 100),
};
const fullyLabeledReplicas = int32('Machines that have all labels of the template.');

export const machineSetStatus = object(
  'What machines there are.',
  {
    ...counted,
    ...replicaCounters,
    conditions: conditions(),
    deprecated: deprecated({ ...legacyCounters, ...legacyFailure, fullyLabeledReplicas }),
    observedGeneration: observedGeneration('v1beta2'),
  },
  { minProperties: 1 },
);
export const machineSetStatusV1beta1 = object('What machines there are.', {
  ...counted,
  ...legacyCounters,
  ...legacyFailure,
  fullyLabeledReplicas,
  conditions: legacyConditions(),
  observedGeneration: observedGeneration('v1beta1'),
  v1beta2: object('State in the words of v1beta2.', { ...replicaCounters, conditions: conditions() }),
});

export type MachineSetSpec = Infer<typeof machineSetSpec>;
export type MachineSetStatus = Infer<typeof machineSetStatus>;
export type MachineSet = KubeObject<MachineSetSpec, MachineSetStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    MachineSet: MachineSet;
  }
}
