/** `spec.topology` of a Cluster. */
import {
  anything,
  atomicList,
  boolean,
  int32,
  intOrString,
  list,
  listMap,
  object,
  required,
  type Schema,
  string,
  time,
} from '../../../machinery/api/schema.ts';
import {
  type ApiVersion,
  deletionOrder,
  deletionTimeouts,
  dnsLabel,
  dnsSubdomain,
  failureDomainName,
  gates,
  inV1beta2,
  kubernetesVersion,
  legacyDeletionTimeouts,
  machineTaints,
  minReadySeconds,
  templateMetadata,
} from '../../common/schema.ts';
import { legacyStrategy, rollout } from '../machine-deployment/schema.ts';
import { checks, legacyChecks, remediation } from '../machine-health-check/checks-schema.ts';

const noEmpty = { minProperties: 1 };
const replicas = int32('How many machines there should be; left alone when unset.');
const className = (what: string) =>
  string(`Name of the class of ${what} in the ClusterClass.`, { minLength: 1, maxLength: 256 });
const metadata = (version: ApiVersion) => templateMetadata(version, 'Labels and annotations of the machines.');

const value = { value: required(anything('Value, of whatever type the variable has.')) };
const name = required(string('Name of the variable.', { minLength: 1, maxLength: 256 }));
const definitionFrom = string('Where the variable is defined; no longer has any effect.', { maxLength: 256 });
const variablesText = 'Values of variables that the ClusterClass defines.';
const variables = (version: ApiVersion) =>
  version === 'v1beta2'
    ? listMap(variablesText, ['name'], object('A value.', { name, ...value }), { minItems: 1, maxItems: 1000 })
    : listMap(variablesText, ['name'], object('A value.', { definitionFrom, name, ...value }), { maxItems: 1000 });
const overrides = (version: ApiVersion) =>
  object(
    'Values of variables for these machines only.',
    { overrides: variables(version) },
    inV1beta2(version, noEmpty),
  );

const enabled = boolean('Whether there is a health check; defaults to whether the ClusterClass has one.');

const healthCheck = <P extends Record<string, Schema<unknown>>>(extra: P) =>
  object(
    'How unhealthy machines are found and replaced.',
    { checks, enabled, remediation: remediation(extra) },
    noEmpty,
  );
const legacyHealthCheck = object('How unhealthy machines are found and replaced.', {
  enable: enabled,
  ...legacyChecks,
});

const after = object(
  'When machines are replaced.',
  { after: time('Machines created before this time are replaced, once it has come.') },
  noEmpty,
);
const taints = machineTaints('Taints of the Nodes.');
const readinessGates = (version: ApiVersion) =>
  gates(version, 'Further conditions that the machines need to be ready.');
const instanceName = (extra = {}) =>
  required(string('Name of this entry, unique in the topology.', { minLength: 1, maxLength: 63, ...extra }));
const poolDomains = (wrap: typeof list, extra = {}) =>
  wrap('Failure domains the machines may be in.', failureDomainName('A failure domain.'), { maxItems: 100, ...extra });
const workerDomain = failureDomainName('Failure domain the machines are created in.');

const text = 'What a ClusterClass makes of this Cluster.';
const version = required(kubernetesVersion('Kubernetes version of the cluster.'));

export const topology = object(text, {
  classRef: required(
    object('The ClusterClass.', {
      name: required(string('Name of the ClusterClass.', { minLength: 1, maxLength: 253, pattern: dnsSubdomain })),
      namespace: string("Namespace of the ClusterClass; the Cluster's own when unset.", {
        minLength: 1,
        maxLength: 63,
        pattern: dnsLabel,
      }),
    }),
  ),
  controlPlane: object(
    'The control plane.',
    {
      deletion: object('How machines are deleted.', deletionTimeouts, noEmpty),
      healthCheck: healthCheck({}),
      metadata: metadata('v1beta2'),
      readinessGates: readinessGates('v1beta2'),
      replicas,
      rollout: after,
      taints,
      variables: overrides('v1beta2'),
    },
    noEmpty,
  ),
  variables: variables('v1beta2'),
  version,
  workers: object(
    'The other machines.',
    {
      machineDeployments: listMap(
        'MachineDeployments, by name.',
        ['name'],
        object('A MachineDeployment.', {
          class: required(className('workers')),
          deletion: object('How machines are deleted.', { ...deletionTimeouts, order: deletionOrder }, noEmpty),
          failureDomain: workerDomain,
          healthCheck: healthCheck({
            maxInFlight: intOrString('Machines that may be remediated at once, as a count or a percentage.'),
          }),
          metadata: metadata('v1beta2'),
          minReadySeconds: minReadySeconds('v1beta2'),
          name: instanceName({ pattern: dnsSubdomain }),
          readinessGates: readinessGates('v1beta2'),
          replicas,
          rollout,
          taints,
          variables: overrides('v1beta2'),
        }),
        { minItems: 1, maxItems: 2000 },
      ),
      machinePools: listMap(
        'MachinePools, by name.',
        ['name'],
        object('A MachinePool.', {
          class: required(className('pools')),
          deletion: object('How machines are deleted.', deletionTimeouts, noEmpty),
          failureDomains: poolDomains(atomicList, { minItems: 1 }),
          metadata: metadata('v1beta2'),
          minReadySeconds: minReadySeconds('v1beta2'),
          name: instanceName({ pattern: dnsSubdomain }),
          replicas,
          taints,
          variables: overrides('v1beta2'),
        }),
        { minItems: 1, maxItems: 2000 },
      ),
    },
    noEmpty,
  ),
});

export const topologyV1beta1 = object(text, {
  class: required(string('Name of the ClusterClass.', { minLength: 1, maxLength: 253 })),
  classNamespace: string("Namespace of the ClusterClass; the Cluster's own when unset.", {
    minLength: 1,
    maxLength: 63,
    pattern: dnsLabel,
  }),
  controlPlane: object('The control plane.', {
    machineHealthCheck: legacyHealthCheck,
    metadata: metadata('v1beta1'),
    ...legacyDeletionTimeouts,
    readinessGates: readinessGates('v1beta1'),
    replicas,
    rollout: after,
    taints,
    variables: overrides('v1beta1'),
  }),
  rolloutAfter: time('No longer has any effect.'),
  variables: variables('v1beta1'),
  version,
  workers: object('The other machines.', {
    machineDeployments: listMap(
      'MachineDeployments, by name.',
      ['name'],
      object('A MachineDeployment.', {
        class: required(className('workers')),
        failureDomain: workerDomain,
        machineHealthCheck: legacyHealthCheck,
        metadata: metadata('v1beta1'),
        minReadySeconds: minReadySeconds('v1beta1'),
        name: instanceName(),
        ...legacyDeletionTimeouts,
        readinessGates: readinessGates('v1beta1'),
        replicas,
        rollout: after,
        strategy: legacyStrategy,
        taints,
        variables: overrides('v1beta1'),
      }),
      { maxItems: 2000 },
    ),
    machinePools: listMap(
      'MachinePools, by name.',
      ['name'],
      object('A MachinePool.', {
        class: required(className('pools')),
        failureDomains: poolDomains(list),
        metadata: metadata('v1beta1'),
        minReadySeconds: minReadySeconds('v1beta1'),
        name: instanceName(),
        ...legacyDeletionTimeouts,
        replicas,
        taints,
        variables: overrides('v1beta1'),
      }),
      { maxItems: 2000 },
    ),
  }),
});
