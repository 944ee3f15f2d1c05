/** The machines that a cluster's objects ask for, before any of them exists. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { KubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/index.ts';
import { kubeadmConfig } from '../../bootstrap-kubeadm/kubeadm-config/kind.ts';
import type { KubeadmConfigSpec } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { sourcesIn } from '../../bootstrap-kubeadm/kubeadm-config/sources.ts';
import type { KubeadmConfigTemplate } from '../../bootstrap-kubeadm/kubeadm-config-template/index.ts';
import { kubeadmConfigTemplate } from '../../bootstrap-kubeadm/kubeadm-config-template/kind.ts';
import { controllerOf } from '../../common/owners.ts';
import { isWithheldName } from '../../common/secret-purpose.ts';
import { skippedPreflights } from '../../common/validate.ts';
import type { KubeadmControlPlane } from '../../controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import { limitsOf } from '../../core/contract/deployment.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { namesKind } from '../../core/contract/named.ts';
import { fallsBack } from '../../core/contract/spot-fallback.ts';
import type { Machine } from '../../core/machine/index.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import type { MachineSet } from '../../core/machine-set/index.ts';
import { poolAnnotation, poolAskedIn } from '../../ipam/pool-annotation.ts';
import { isInCluster, poolKinds } from '../../ipam/references.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import type { AWSMachine } from '../aws-machine/index.ts';
import { awsMachine } from '../aws-machine/kind.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/index.ts';
import { awsMachineTemplate } from '../aws-machine-template/kind.ts';
import type { PlannedMachines } from './facts.ts';
import { nameOf } from './finding.ts';

export interface Planned {
  /** The first list that could not be read; found when all were read. */
  sets: Read<unknown>;
  machines: PlannedMachines[];
}

export const observeMachines = (
  cluster: Cluster,
  controlPlane: KubeadmControlPlane | undefined,
  awsCluster: AWSCluster | undefined,
  read: Reader,
): Planned => {
  const namespace = cluster.metadata.namespace ?? '';
  const where = { namespace, cluster: cluster.metadata.name };
  const deployments = read.list('MachineDeployment', where);
  const machineSets = read.list('MachineSet', where);
  const machines = read.list('Machine', where);
  const lists = [deployments, machineSets, machines];
  const givenMachines = (found(machines) ?? []).filter(isGiven);
  return {
    sets: lists.find(({ state }) => state !== 'found') ?? { state: 'found', value: undefined },
    machines: withSources(namespace, read, [
      ...(controlPlane?.spec ? [ofControlPlane(controlPlane, read)] : []),
      ...[...(found(deployments) ?? []), ...(found(machineSets) ?? [])]
        .filter(isGiven)
        .flatMap((set) => (set.spec ? [ofSet(set, set.spec, read)] : [])),
      ...givenMachines.flatMap((machine) => (machine.spec ? [ofMachine(machine, machine.spec, read)] : [])),
      ...(awsCluster?.spec?.bastion?.enabled ? [ofBastion(awsCluster, awsCluster.spec.bastion)] : []),
    ]),
  };
};

const withSources = (namespace: string, read: Reader, machines: PlannedMachines[]): PlannedMachines[] =>
  machines.map((planned) => {
    const { config, dataSecret } = planned;
    const named = [
      ...sourcesIn((config && found(config.spec)) ?? {}).map(({ field, ...source }) => ({
        field: `${config!.at.object} ${config!.at.path}.${field}`,
        ...source,
      })),
      ...(dataSecret ? [{ ...dataSecret, field: `${planned.by} ${dataSecret.field}`, key: 'value' }] : []),
    ];
    // A Secret that this function must not decrypt is read, and judged, by the controller of the bootstrap data.
    const sources = named
      .filter(({ name }) => !isWithheldName(name))
      .map((source) => ({
        ...source,
        secret: read.get<Secret>('Secret', { namespace, name: source.name }),
      }));
    return sources.length > 0 ? { ...planned, sources } : planned;
  });

/** Created by a user and not in deletion. */
const isGiven = (object: KubeObject): boolean => !controllerOf(object) && !isDeleting(object);

interface Reference {
  apiGroup?: string;
  kind: string;
  name: string;
}

const templateSpec = (
  { metadata: { namespace = '' } }: KubeObject,
  reference: Reference,
  read: Reader,
): Read<AWSMachineSpec> => {
  const { kind, name } = reference;
  if (!namesKind(reference, awsMachineTemplate)) return { state: 'absent' };
  const template = read.get<AWSMachineTemplate>(kind, { namespace, name });
  if (template.state !== 'found') return template;
  const spec = template.value.spec?.template.spec;
  return spec ? { state: 'found', value: spec } : { state: 'absent' };
};

/** Whether its machines are bought on demand when the spot market has none. */
const templateFallback = (
  { metadata: { namespace = '' } }: KubeObject,
  reference: Reference,
  read: Reader,
): Pick<PlannedMachines, 'fallsBack'> => {
  const { kind, name } = reference;
  if (!namesKind(reference, awsMachineTemplate)) return {};
  const template = found(read.get<AWSMachineTemplate>(kind, { namespace, name }));
  return fallsBack(template?.spec?.template.metadata?.annotations) ? { fallsBack: true } : {};
};

/** The pool of fixed addresses that an annotation names, unless another provider serves it. */
const poolIn = (
  annotations: Record<string, string> | undefined,
  at: string,
  namespace: string,
  read: Reader,
): Pick<PlannedMachines, 'addressPool'> => {
  const reference = poolAskedIn(annotations);
  if (!isInCluster(reference)) return {};
  const key = { namespace: poolKinds[reference.kind].namespaced ? namespace : '', name: reference.name };
  return { addressPool: { field: `${at}[${poolAnnotation}]`, reference, pool: read.get(reference.kind, key) } };
};
const templatePool = (
  { metadata: { namespace = '' } }: KubeObject,
  reference: Reference,
  read: Reader,
): Pick<PlannedMachines, 'addressPool'> => {
  const { kind, name } = reference;
  if (!namesKind(reference, awsMachineTemplate)) return {};
  const template = found(read.get<AWSMachineTemplate>(kind, { namespace, name }));
  const at = `${kind} ${namespace}/${name} spec.template.metadata.annotations`;
  return poolIn(template?.spec?.template.metadata?.annotations, at, namespace, read);
};

/** `path`: of the KubeadmConfigSpec in an object of this kind. */
const configOf = (
  { metadata: { namespace = '' } }: KubeObject,
  reference: Reference | undefined,
  read: Reader,
): Pick<PlannedMachines, 'config'> => {
  if (!reference || !(namesKind(reference, kubeadmConfigTemplate) || namesKind(reference, kubeadmConfig))) return {};
  const { kind, name } = reference;
  const answer = read.get<KubeadmConfig | KubeadmConfigTemplate>(kind, { namespace, name });
  const object = found(answer);
  const spec =
    object?.kind === 'KubeadmConfigTemplate' ? templated(object) : (object as KubeadmConfig | undefined)?.spec;
  return {
    config: {
      at: {
        object: `${kind} ${namespace}/${name}`,
        path: kind === 'KubeadmConfig' ? 'spec' : 'spec.template.spec',
      },
      spec: object ? { state: 'found', value: spec ?? {} } : (answer as Read<never>),
    },
  };
};
const templated = (object: KubeObject): KubeadmConfigSpec | undefined =>
  (object as KubeadmConfigTemplate).spec?.template?.spec;

const ofControlPlane = (controlPlane: KubeadmControlPlane, read: Reader): PlannedMachines => {
  const { machineTemplate, replicas, version, rollout } = controlPlane.spec!;
  const reference = machineTemplate.spec.infrastructureRef;
  return {
    by: nameOf(controlPlane),
    at: {
      object: `${reference.kind} ${controlPlane.metadata.namespace}/${reference.name}`,
      path: 'spec.template.spec',
    },
    spec: templateSpec(controlPlane, reference, read),
    ...templateFallback(controlPlane, reference, read),
    ...templatePool(controlPlane, reference, read),
    controlPlane: true,
    count: replicas ?? 1,
    surge: Number(rollout?.strategy?.rollingUpdate?.maxSurge ?? 1),
    version,
    versionField: 'spec.version',
    kubeadm: true,
    config: {
      at: { object: nameOf(controlPlane), path: 'spec.kubeadmConfigSpec' },
      spec: { state: 'found', value: controlPlane.spec!.kubeadmConfigSpec ?? {} },
    },
    skips: [],
  };
};

const ofSet = (
  set: MachineDeployment | MachineSet,
  { template, replicas }: NonNullable<(MachineDeployment | MachineSet)['spec']>,
  read: Reader,
): PlannedMachines => {
  const { infrastructureRef: reference, bootstrap, version, failureDomain } = template.spec;
  return {
    by: nameOf(set),
    at: { object: `${reference.kind} ${set.metadata.namespace}/${reference.name}`, path: 'spec.template.spec' },
    spec: templateSpec(set, reference, read),
    ...templateFallback(set, reference, read),
    ...templatePool(set, reference, read),
    controlPlane: false,
    count: replicas ?? 1,
    ...(set.kind === 'MachineDeployment' && { surge: limitsOf(set as MachineDeployment).maxSurge }),
    ...(version && { version }),
    versionField: 'spec.template.spec.version',
    ...(failureDomain && { failureDomain }),
    kubeadm: namesKind(bootstrap.configRef, kubeadmConfigTemplate),
    ...(bootstrap.dataSecretName && {
      dataSecret: { field: 'spec.template.spec.bootstrap.dataSecretName', name: bootstrap.dataSecretName },
    }),
    ...configOf(set, bootstrap.configRef, read),
    skips: skippedPreflights(set),
  };
};

const ofMachine = (
  machine: Machine,
  { infrastructureRef: reference, bootstrap, version, failureDomain }: NonNullable<Machine['spec']>,
  read: Reader,
): PlannedMachines => {
  const { namespace = '', labels = {} } = machine.metadata;
  const host: Read<AWSMachine> = namesKind(reference, awsMachine)
    ? read.get('AWSMachine', { namespace, name: reference.name })
    : { state: 'absent' };
  const spec = found(host)?.spec;
  return {
    by: nameOf(machine),
    at: { object: `${reference.kind} ${namespace}/${reference.name}`, path: 'spec' },
    ...(fallsBack(found(host)?.metadata.annotations) && { fallsBack: true as const }),
    ...poolIn(
      found(host)?.metadata.annotations,
      `${reference.kind} ${namespace}/${reference.name} metadata.annotations`,
      namespace,
      read,
    ),
    spec: host.state === 'found' ? (spec ? { state: 'found', value: spec } : { state: 'absent' }) : host,
    controlPlane: labels['cluster.x-k8s.io/control-plane'] !== undefined,
    count: 1,
    ...(version && { version }),
    versionField: 'spec.version',
    ...(failureDomain && { failureDomain }),
    kubeadm: namesKind(bootstrap.configRef, kubeadmConfig),
    ...(bootstrap.dataSecretName &&
      !bootstrap.configRef && {
        dataSecret: { field: 'spec.bootstrap.dataSecretName', name: bootstrap.dataSecretName },
      }),
    ...configOf(machine, bootstrap.configRef, read),
    skips: [],
  };
};

const smallest = 't3.micro';
const ofBastion = (
  awsCluster: AWSCluster,
  { instanceType, ami }: NonNullable<NonNullable<AWSCluster['spec']>['bastion']>,
): PlannedMachines => ({
  by: nameOf(awsCluster),
  at: { object: nameOf(awsCluster), path: 'spec.bastion' },
  spec: {
    state: 'found',
    value: { instanceType: instanceType || smallest, publicIP: true, ...(ami && { ami: { id: ami } }) },
  },
  controlPlane: false,
  bastion: true,
  count: 1,
  versionField: '',
  kubeadm: false,
  skips: [],
});
