import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  int32,
  list,
  listMap,
  object,
  oneOf,
  required,
  string,
} from '../../../machinery/api/schema.ts';
import {
  clusterName,
  conditions,
  deprecated,
  failureDomainName,
  legacyConditions,
  legacyFailure,
  minReadySeconds,
  objectReference,
  observedGeneration,
  versionCounts,
} from '../../common/schema.ts';
import { machineTemplate, machineTemplateV1beta1 } from '../machine/schema.ts';
import { legacyCounters, replicaCounters } from '../machine-set/schema.ts';

const domain = failureDomainName('One failure domain.');
const domains = 'Failure domains, such as availability zones, that the machines spread over.';
const providerId = string('Provider id of one machine.', { minLength: 1, maxLength: 512 });
const providerIds = 'The machines that exist, as their provider knows them; filled in from the infrastructure.';
const replicas = int32('How many machines there should be.');

export const machinePoolSpec = object('What machines there should be.', {
  clusterName: required(clusterName()),
  failureDomains: atomicList(domains, domain, { maxItems: 100 }),
  providerIDList: atomicList(providerIds, providerId, { maxItems: 10000 }),
  replicas,
  template: required(machineTemplate),
});
export const machinePoolSpecV1beta1 = object('What machines there should be.', {
  clusterName: required(clusterName()),
  failureDomains: list(domains, domain, { maxItems: 100 }),
  minReadySeconds: minReadySeconds('v1beta1'),
  providerIDList: list(providerIds, providerId, { maxItems: 10000 }),
  replicas,
  template: required(machineTemplateV1beta1),
});

const nodeRef = objectReference('The Node of one machine.');
const nodeRefs = 'The Nodes of the machines.';
const counted = {
  phase: oneOf('What the pool is doing, in one word for people.', [
    'Pending',
    'Provisioning',
    'Provisioned',
    'Running',
    'ScalingUp',
    'ScalingDown',
    'Scaling',
    'Deleting',
    'Failed',
    'Unknown',
  ]),
  replicas: int32('Machines that exist.'),
  versions: versionCounts((description, of, extra) => listMap(description, ['version'], of, extra), 100),
};
const legacyOnly = { unavailableReplicas: int32('Machines still needed until all wanted ones are available.') };

export const machinePoolStatus = object(
  'What machines there are.',
  {
    ...counted,
    ...replicaCounters,
    conditions: conditions(),
    deprecated: deprecated({ ...legacyCounters, ...legacyOnly, ...legacyFailure }),
    initialization: object(
      'What has been reached.',
      {
        bootstrapDataSecretCreated: boolean('The bootstrap data is there.'),
        infrastructureProvisioned: boolean('The infrastructure of the pool is there.'),
      },
      { minProperties: 1 },
    ),
    nodeRefs: atomicList(nodeRefs, nodeRef, { maxItems: 10000 }),
    observedGeneration: observedGeneration('v1beta2'),
  },
  { minProperties: 1 },
);
export const machinePoolStatusV1beta1 = object('What machines there are.', {
  ...counted,
  ...legacyCounters,
  ...legacyOnly,
  ...legacyFailure,
  bootstrapReady: boolean('The bootstrap data is there.'),
  conditions: legacyConditions(),
  infrastructureReady: boolean('The infrastructure of the pool is there.'),
  nodeRefs: list(nodeRefs, nodeRef, { maxItems: 10000 }),
  observedGeneration: observedGeneration('v1beta1'),
  v1beta2: object('State in the words of v1beta2.', { ...replicaCounters, conditions: conditions() }),
});

export type MachinePoolSpec = Infer<typeof machinePoolSpec>;
export type MachinePoolStatus = Infer<typeof machinePoolStatus>;
export type MachinePool = KubeObject<MachinePoolSpec, MachinePoolStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    MachinePool: MachinePool;
  }
}
