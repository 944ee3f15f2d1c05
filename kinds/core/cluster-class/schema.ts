/** ClusterClass v1beta2, the stored version, and v1beta1. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  atomicList,
  type Infer,
  intOrString,
  list,
  listMap,
  object,
  required,
  type Schema,
  string,
} from '../../../machinery/api/schema.ts';
import {
  type ApiVersion,
  conditions,
  deletionOrder,
  deletionTimeouts,
  deprecated,
  failureDomainName,
  gates,
  kubernetesVersion,
  legacyConditions,
  legacyDeletionTimeouts,
  machineTaints,
  minReadySeconds,
  objectReference,
  observedGeneration,
  templateMetadata,
  templateReference,
} from '../../common/schema.ts';
import { legacyStrategy, rolloutStrategy } from '../machine-deployment/schema.ts';
import { checks, legacyChecks, remediation } from '../machine-health-check/checks-schema.ts';
import { patches } from './patch-schema.ts';
import { observedVariables, variables } from './variable-schema.ts';

const noEmpty = { minProperties: 1 };
const nameTemplate = (data: string) => ({
  template: string(`A Go template of the name, with ${data} and .random.`, { minLength: 1, maxLength: 1024 }),
});
const clusterName = '.cluster.name';
const workerName = (kind: string) => `.cluster.name, .${kind}.topologyName`;

const templated = (text: string) => object(text, { templateRef: required(templateReference('The template.')) });
const referring = (text: string) => object(text, { ref: required(objectReference('The template.')) });

const metadata = (version: ApiVersion) => templateMetadata(version, 'Labels and annotations of the machines.');
const taints = machineTaints('Taints of the Nodes.');
const readinessGates = (version: ApiVersion) =>
  gates(version, 'Further conditions that the machines need to be ready.');
const className = required(string('Name of the class.', { minLength: 1, maxLength: 256 }));
const failureDomain = failureDomainName('Failure domain the machines are created in.');
const poolDomains = (wrap: typeof list) =>
  wrap('Failure domains the machines may be in.', failureDomainName('A failure domain.'), { maxItems: 100 });

const healthCheck = <P extends Record<string, Schema<unknown>>>(extra: P) =>
  object('How unhealthy machines are found and replaced.', { checks, remediation: remediation(extra) }, noEmpty);
const legacyHealthCheck = object('How unhealthy machines are found and replaced.', legacyChecks);
const maxInFlight = intOrString('Machines that may be remediated at once, as a count or a percentage.');

const versions = atomicList(
  'The Kubernetes versions that Clusters may have, from the oldest to the newest.',
  kubernetesVersion('A version.'),
  { minItems: 1, maxItems: 100 },
);
const upgrade = object(
  'How Clusters are upgraded.',
  {
    external: object(
      'By extensions.',
      {
        generateUpgradePlanExtension: string('The extension that plans upgrades.', { minLength: 1, maxLength: 512 }),
      },
      noEmpty,
    ),
  },
  noEmpty,
);
const availabilityGates = (version: ApiVersion) =>
  gates(version, 'Further conditions that Clusters need to be available.');

const text = 'What Clusters of the class are made from.';

export const clusterClassSpec = object(text, {
  availabilityGates: availabilityGates('v1beta2'),
  controlPlane: required(
    object('The control plane.', {
      deletion: object('How machines are deleted.', deletionTimeouts, noEmpty),
      healthCheck: healthCheck({}),
      machineInfrastructure: templated('The infrastructure of its machines.'),
      metadata: metadata('v1beta2'),
      naming: object('How control planes are named.', nameTemplate(clusterName), noEmpty),
      readinessGates: readinessGates('v1beta2'),
      taints,
      templateRef: required(templateReference('The template.')),
    }),
  ),
  infrastructure: required(
    object('The infrastructure.', {
      naming: object('How infrastructures are named.', nameTemplate(clusterName), noEmpty),
      templateRef: required(templateReference('The template.')),
    }),
  ),
  kubernetesVersions: versions,
  patches: patches('v1beta2'),
  upgrade,
  variables: variables('v1beta2'),
  workers: object(
    'Classes of other machines.',
    {
      machineDeployments: listMap(
        'Classes of MachineDeployments.',
        ['class'],
        object('A class.', {
          bootstrap: required(templated('The bootstrap configuration of the machines.')),
          class: className,
          deletion: object('How machines are deleted.', { ...deletionTimeouts, order: deletionOrder }, noEmpty),
          failureDomain,
          healthCheck: healthCheck({ maxInFlight }),
          infrastructure: required(templated('The infrastructure of the machines.')),
          metadata: metadata('v1beta2'),
          minReadySeconds: minReadySeconds('v1beta2'),
          naming: object('How MachineDeployments are named.', nameTemplate(workerName('machineDeployment')), noEmpty),
          readinessGates: readinessGates('v1beta2'),
          rollout: object('How machines are replaced.', { strategy: rolloutStrategy }, noEmpty),
          taints,
        }),
        { minItems: 1, maxItems: 100 },
      ),
      machinePools: listMap(
        'Classes of MachinePools.',
        ['class'],
        object('A class.', {
          bootstrap: required(templated('The bootstrap configuration of the machines.')),
          class: className,
          deletion: object('How machines are deleted.', deletionTimeouts, noEmpty),
          failureDomains: poolDomains(atomicList),
          infrastructure: required(templated('The infrastructure of the machines.')),
          metadata: metadata('v1beta2'),
          minReadySeconds: minReadySeconds('v1beta2'),
          naming: object('How MachinePools are named.', nameTemplate(workerName('machinePool')), noEmpty),
          taints,
        }),
        { minItems: 1, maxItems: 100 },
      ),
    },
    noEmpty,
  ),
});
export type ClusterClassSpec = Infer<typeof clusterClassSpec>;

export const clusterClassStatus = object(
  'What was observed of the class.',
  {
    conditions: conditions(),
    deprecated: deprecated({}),
    observedGeneration: observedGeneration('v1beta2'),
    variables: observedVariables('v1beta2'),
  },
  noEmpty,
);
export type ClusterClassStatus = Infer<typeof clusterClassStatus>;
export type ClusterClass = KubeObject<ClusterClassSpec, ClusterClassStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    ClusterClass: ClusterClass;
  }
}

const machineTemplate = required(
  object('What the machines are made from.', {
    bootstrap: required(referring('The bootstrap configuration of the machines.')),
    infrastructure: required(referring('The infrastructure of the machines.')),
    metadata: metadata('v1beta1'),
  }),
);

export const clusterClassSpecV1beta1 = object(text, {
  availabilityGates: availabilityGates('v1beta1'),
  controlPlane: object('The control plane.', {
    machineHealthCheck: legacyHealthCheck,
    machineInfrastructure: referring('The infrastructure of its machines.'),
    metadata: metadata('v1beta1'),
    namingStrategy: object('How control planes are named.', nameTemplate(clusterName)),
    ...legacyDeletionTimeouts,
    readinessGates: readinessGates('v1beta1'),
    ref: required(objectReference('The template.')),
    taints,
  }),
  infrastructure: referring('The infrastructure.'),
  infrastructureNamingStrategy: object('How infrastructures are named.', nameTemplate(clusterName)),
  kubernetesVersions: versions,
  patches: patches('v1beta1'),
  upgrade,
  variables: variables('v1beta1'),
  workers: object('Classes of other machines.', {
    machineDeployments: listMap(
      'Classes of MachineDeployments.',
      ['class'],
      object('A class.', {
        class: className,
        failureDomain,
        machineHealthCheck: legacyHealthCheck,
        minReadySeconds: minReadySeconds('v1beta1'),
        namingStrategy: object('How MachineDeployments are named.', nameTemplate(workerName('machineDeployment'))),
        ...legacyDeletionTimeouts,
        readinessGates: readinessGates('v1beta1'),
        strategy: legacyStrategy,
        taints,
        template: machineTemplate,
      }),
      { maxItems: 100 },
    ),
    machinePools: listMap(
      'Classes of MachinePools.',
      ['class'],
      object('A class.', {
        class: className,
        failureDomains: poolDomains(list),
        minReadySeconds: minReadySeconds('v1beta1'),
        namingStrategy: object('How MachinePools are named.', nameTemplate(workerName('machinePool'))),
        ...legacyDeletionTimeouts,
        taints,
        template: machineTemplate,
      }),
      { maxItems: 100 },
    ),
  }),
});
export const clusterClassStatusV1beta1 = object('What was observed of the class.', {
  conditions: legacyConditions(),
  observedGeneration: observedGeneration('v1beta1'),
  v1beta2: object('State in the words of v1beta2.', { conditions: conditions() }),
  variables: observedVariables('v1beta1'),
});
