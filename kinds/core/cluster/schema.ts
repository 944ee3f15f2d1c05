import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  boolean,
  type Infer,
  int32,
  list,
  listMap,
  map,
  object,
  oneOf,
  required,
  string,
  stringMap,
} from '../../../machinery/api/schema.ts';
import {
  conditions,
  deprecated,
  failureDomainName,
  gates,
  kubernetesVersion,
  legacyConditions,
  legacyFailure,
  objectReference,
  observedGeneration,
  reference,
  versionCounts,
} from '../../common/schema.ts';
import { topology, topologyV1beta1 } from './topology-schema.ts';

const noEmpty = { minProperties: 1 };
const port = { minimum: 1, maximum: 65535 };
const cidr = string('An address range, such as 10.0.0.0/16.', { minLength: 1, maxLength: 43 });
const pods = 'Addresses of pods.';
const services = 'Addresses of services.';
const ranges = 'Address ranges.';
const serviceDomain = string('DNS domain of services.', { minLength: 1, maxLength: 253 });
const portText = 'Port that API servers listen on.';
const endpoint = { host: 'Host name or address of the API.', port: 'Port of the API.' };
const network = 'Network inside the cluster.';
const endpointText = 'Where the API of the cluster is reached; filled in by infrastructure or control plane.';
const controlPlaneRef = 'The control plane of the cluster.';
const infrastructureRef = 'The infrastructure of the cluster.';
const availabilityGates = 'Further conditions that the Cluster needs to be available.';
const paused = boolean('Stops all controllers of the Cluster and of what belongs to it.');

export const clusterSpec = object(
  'What the cluster should be.',
  {
    availabilityGates: gates('v1beta2', availabilityGates),
    clusterNetwork: object(
      network,
      {
        apiServerPort: int32(portText, port),
        pods: object(pods, { cidrBlocks: required(atomicList(ranges, cidr, { minItems: 1, maxItems: 100 })) }),
        serviceDomain,
        services: object(services, { cidrBlocks: required(atomicList(ranges, cidr, { minItems: 1, maxItems: 100 })) }),
      },
      noEmpty,
    ),
    controlPlaneEndpoint: object(
      endpointText,
      { host: string(endpoint.host, { minLength: 1, maxLength: 512 }), port: int32(endpoint.port, port) },
      noEmpty,
    ),
    controlPlaneRef: reference(controlPlaneRef),
    infrastructureRef: reference(infrastructureRef),
    paused,
    topology,
  },
  noEmpty,
);
export const clusterSpecV1beta1 = object('What the cluster should be.', {
  availabilityGates: gates('v1beta1', availabilityGates),
  clusterNetwork: object(network, {
    apiServerPort: int32(portText),
    pods: object(pods, { cidrBlocks: required(list(ranges, cidr, { maxItems: 100 })) }),
    serviceDomain,
    services: object(services, { cidrBlocks: required(list(ranges, cidr, { maxItems: 100 })) }),
  }),
  controlPlaneEndpoint: object(endpointText, {
    host: string(endpoint.host, { maxLength: 512 }),
    port: int32(endpoint.port),
  }),
  controlPlaneRef: objectReference(controlPlaneRef),
  infrastructureRef: objectReference(infrastructureRef),
  paused,
  topology: topologyV1beta1,
});

const counters = (whose: string) =>
  object(`Counts of ${whose} machines.`, {
    availableReplicas: int32('Machines that are available.'),
    desiredReplicas: int32('Machines that are wanted.'),
    readyReplicas: int32('Machines that are ready.'),
    replicas: int32('Machines that exist.'),
    upToDateReplicas: int32('Machines that are as specified.'),
    upgradePlan: atomicList(
      'Versions still to go through, in order.',
      object('One version.', { version: required(kubernetesVersion('Kubernetes version.')) }),
      { minItems: 1, maxItems: 32 },
    ),
    versions: versionCounts(atomicList as Parameters<typeof versionCounts>[0], 32),
  });
const machineCounters = { controlPlane: counters('control-plane'), workers: counters('worker') };

const failureDomain = {
  attributes: stringMap('Whatever else the infrastructure says of it.'),
  controlPlane: boolean('Whether control-plane machines may be in it.'),
};
const domains = 'Failure domains of the infrastructure.';
const phase = oneOf('Where in its life the cluster is, in one word for people.', [
  'Pending',
  'Provisioning',
  'Provisioned',
  'Deleting',
  'Failed',
  'Unknown',
]);

export const clusterStatus = object(
  'What the cluster is.',
  {
    ...machineCounters,
    conditions: conditions(),
    deprecated: deprecated(legacyFailure),
    failureDomains: listMap(
      domains,
      ['name'],
      object('One failure domain.', { ...failureDomain, name: required(failureDomainName('Its name.')) }),
      { minItems: 1, maxItems: 100 },
    ),
    initialization: object(
      'What has been reached once and stays so.',
      {
        controlPlaneInitialized: boolean('The control plane answered.'),
        infrastructureProvisioned: boolean('The infrastructure was there.'),
      },
      noEmpty,
    ),
    observedGeneration: observedGeneration('v1beta2'),
    phase,
  },
  noEmpty,
);
export const clusterStatusV1beta1 = object('What the cluster is.', {
  conditions: legacyConditions(),
  controlPlaneReady: boolean('The control plane answered.'),
  failureDomains: map(domains, object('One failure domain, by its name.', failureDomain)),
  ...legacyFailure,
  infrastructureReady: boolean('The infrastructure was there.'),
  observedGeneration: observedGeneration('v1beta1'),
  phase,
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions(), ...machineCounters }),
});

export type ClusterSpec = Infer<typeof clusterSpec>;
export type ClusterStatus = Infer<typeof clusterStatus>;
export type Cluster = KubeObject<ClusterSpec, ClusterStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    Cluster: Cluster;
  }
}
