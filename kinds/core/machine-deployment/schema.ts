import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  boolean,
  type Infer,
  int32,
  intOrString,
  listMap,
  object,
  oneOf,
  required,
  time,
} from '../../../machinery/api/schema.ts';
import {
  clusterName,
  conditions,
  deletionOrder,
  deprecated,
  labelSelector,
  legacyConditions,
  minReadySeconds,
  observedGeneration,
  scaleSelector,
  versionCounts,
} from '../../common/schema.ts';
import { machineTemplate, machineTemplateV1beta1 } from '../machine/schema.ts';
import { legacyCounters, machineNaming, replicaCounters } from '../machine-set/schema.ts';

const surge = {
  maxSurge: intOrString('Machines there may be above the wanted number during a rollout, as a count or a percentage.'),
  maxUnavailable: intOrString(
    'Machines that may be unavailable of the wanted number during a rollout, as a count or a percentage.',
  ),
};
const strategyType = oneOf('RollingUpdate replaces machines; OnDelete waits for the user to delete them.', [
  'RollingUpdate',
  'OnDelete',
]);
const rolloutAfter = time('Machines created before this time are replaced, once it has come.');
const maxInFlight = intOrString('Machines that may be remediated at once, as a count or a percentage.');

/** `rollout.strategy` of MachineDeployments, Cluster topologies and ClusterClasses. */
export const rolloutStrategy = object(
  'How machines are replaced.',
  {
    rollingUpdate: object('Limits of a rolling update.', surge, { minProperties: 1 }),
    type: required(strategyType),
  },
  { minProperties: 1 },
);
/** `rollout` of MachineDeployments and of Cluster topologies. */
export const rollout = object(
  'When and how machines are replaced.',
  {
    after: rolloutAfter,
    strategy: rolloutStrategy,
  },
  { minProperties: 1 },
);
/** `strategy` of v1beta1. */
export const legacyStrategy = object('How machines are replaced.', {
  remediation: object('How unhealthy machines are replaced.', { maxInFlight }),
  rollingUpdate: object('Limits of a rolling update.', { ...surge, deletePolicy: deletionOrder }),
  type: strategyType,
});

const shared = {
  clusterName: required(clusterName()),
  paused: boolean('Only scales, and starts no rollout.'),
  replicas: int32('How many Machines there should be.'),
  selector: required(labelSelector('Which Machines belong to the deployment.')),
};

export const machineDeploymentSpec = object('What machines there should be.', {
  ...shared,
  deletion: object('How machines are removed.', { order: deletionOrder }, { minProperties: 1 }),
  machineNaming: machineNaming({ minProperties: 1 }),
  remediation: object('How unhealthy machines are replaced.', { maxInFlight }, { minProperties: 1 }),
  rollout,
  template: required(machineTemplate),
});
export const machineDeploymentSpecV1beta1 = object('What machines there should be.', {
  ...shared,
  machineNamingStrategy: machineNaming(),
  minReadySeconds: minReadySeconds('v1beta1'),
  progressDeadlineSeconds: int32('No longer has any effect.'),
  revisionHistoryLimit: int32('No longer has any effect.'),
  rolloutAfter,
  strategy: legacyStrategy,
  template: required(machineTemplateV1beta1),
});

const counted = {
  phase: oneOf('What the deployment is doing, in one word for people.', [
    'ScalingUp',
    'ScalingDown',
    'Running',
    'Failed',
    'Unknown',
  ]),
  replicas: int32('Machines that exist.'),
  selector: scaleSelector,
  versions: versionCounts((description, of, extra) => listMap(description, ['version'], of, extra), 100),
};
const legacyOnly = {
  unavailableReplicas: int32('Machines still needed until all wanted ones are available.'),
  updatedReplicas: int32('Machines that are as the template says.'),
};

export const machineDeploymentStatus = object(
  'What machines there are.',
  {
    ...counted,
    ...replicaCounters,
    conditions: conditions(),
    deprecated: deprecated({ ...legacyCounters, ...legacyOnly }),
    observedGeneration: observedGeneration('v1beta2'),
  },
  { minProperties: 1 },
);
export const machineDeploymentStatusV1beta1 = object('What machines there are.', {
  ...counted,
  ...legacyCounters,
  ...legacyOnly,
  conditions: legacyConditions(),
  observedGeneration: observedGeneration('v1beta1'),
  v1beta2: object('State in the words of v1beta2.', { ...replicaCounters, conditions: conditions() }),
});

export type MachineDeploymentSpec = Infer<typeof machineDeploymentSpec>;
export type MachineDeploymentStatus = Infer<typeof machineDeploymentStatus>;
export type MachineDeployment = KubeObject<MachineDeploymentSpec, MachineDeploymentStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    MachineDeployment: MachineDeployment;
  }
}
