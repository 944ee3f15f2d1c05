/**
 * Which objects carry a cluster, so that their deletion would delete it or what only they have.
 * Pure.
 */
import { type KindFacts, resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf, ownersOf } from '../../common/owners.ts';
import { authorities, secretName } from '../contract/cluster-secrets.ts';
import type { Machine } from '../machine/schema.ts';
import { liftOf } from './protection.ts';
import type { Cluster } from './schema.ts';

const deployments = 'machinedeployments.cluster.x-k8s.io';
const machineSets = 'machinesets.cluster.x-k8s.io';
const allMachines = 'machines.cluster.x-k8s.io';

/** A protected Cluster and the objects of its namespace by which its parts are known. */
export interface ProtectedCluster {
  cluster: Cluster;
  controlPlanes: readonly KubeObject[];
  /** MachineDeployments and MachineSets. */
  sets: readonly KubeObject[];
  /** Read where the object is a Machine or its host. */
  machines: readonly Machine[];
  /** Names of the Secrets that its control plane's hosts take files from, such as encryption keys. */
  secrets: readonly string[];
}

/** A deletion that a client asks for. */
export interface Asked {
  kind: KindFacts;
  object: KubeObject;
  /** The uids of all objects that the same request deletes. */
  together: ReadonlySet<string>;
  kinds: readonly KindFacts[];
}

type Fields = { clusterName?: string; replicas?: number };
const specOf = (object: KubeObject): Fields => (object.spec ?? {}) as Fields;

const isOf = ({ metadata: { name, uid } }: Cluster, object: KubeObject): boolean =>
  object.metadata.labels?.[labels.cluster] === name ||
  specOf(object).clusterName === name ||
  ownersOf(object).some((owner) => owner.uid === uid);

const isNamed = (reference: { kind: string; name: string } | undefined, { kind, metadata }: KubeObject): boolean =>
  reference?.kind === kind && reference.name === metadata.name;

const hasMachines = (set: KubeObject): boolean => specOf(set).replicas !== 0;
const hasAsMany = (other: KubeObject, set: KubeObject): boolean => hasMachines(other) || !hasMachines(set);

const isLeft = (other: KubeObject, object: KubeObject, together: ReadonlySet<string>): boolean =>
  other.metadata.deletionTimestamp === undefined &&
  other.metadata.uid !== object.metadata.uid &&
  !together.has(other.metadata.uid ?? '');

/**
 * Whether no other set keeps Machines. A MachineSet of a MachineDeployment counts, too, because its
 * deletion takes all its Machines at once; without Machines it is only an old revision.
 */
const isLastSet = ({ object, together }: Asked, { cluster, sets }: ProtectedCluster): boolean => {
  const isPool = controllerOf(object) === undefined;
  if (!isOf(cluster, object) || !(isPool || hasMachines(object))) return false;
  const counts = (other: KubeObject) => (isPool ? controllerOf(other) === undefined : other.kind === object.kind);
  const stays = (other: KubeObject) =>
    isOf(cluster, other) && counts(other) && isLeft(other, object, together) && hasAsMany(other, object);
  return !sets.some(stays);
};

const isControlPlane = (machine: Machine, { controlPlanes }: ProtectedCluster): boolean =>
  machine.metadata.labels?.[labels.controlPlane] !== undefined ||
  ownersOf(machine).some(({ uid }) => controlPlanes.some(({ metadata }) => metadata.uid === uid));

const machineFault = ({ object, together }: Asked, parts: ProtectedCluster): string | undefined => {
  const machine = object as Machine;
  if (!isOf(parts.cluster, machine) || !isControlPlane(machine, parts)) return undefined;
  const stays = (other: Machine) =>
    isOf(parts.cluster, other) && isControlPlane(other, parts) && isLeft(other, machine, together);
  return parts.machines.some(stays) ? undefined : 'it is the last control-plane Machine';
};

/** The deletion of a Machine removes its member from etcd first. */
const hostFault = ({ object }: Asked, parts: ProtectedCluster): string | undefined => {
  const machine = parts.machines.find(({ spec }) => isNamed(spec?.infrastructureRef, object));
  if (!machine || machine.metadata.deletionTimestamp !== undefined) return undefined;
  if (!isOf(parts.cluster, machine) || !isControlPlane(machine, parts)) return undefined;
  return `it is the host of the control-plane Machine ${machine.metadata.name}, which is to be deleted instead,`;
};

const isUsed = ({ kind, object, kinds }: Asked, { cluster, controlPlanes, sets }: ProtectedCluster): boolean =>
  [...controlPlanes, ...sets.filter(hasMachines)]
    .filter((user) => isOf(cluster, user) && user.metadata.deletionTimestamp === undefined)
    .some((user) =>
      kinds
        .find((one) => one.kind === user.kind)
        ?.references?.(user)
        .some((reference) => reference.group === kind.group && isNamed(reference, object)),
    );

const isKey = ({ metadata: { name } }: KubeObject, { cluster, secrets }: ProtectedCluster): boolean =>
  authorities.some((authority) => secretName(cluster.metadata.name, authority) === name) || secrets.includes(name);

/** What the object is to the cluster; undefined if the cluster can lose it. */
const partOf = (asked: Asked, parts: ProtectedCluster): string | undefined => {
  const { kind, object } = asked;
  const { cluster } = parts;
  const { controlPlaneRef, infrastructureRef } = cluster.spec ?? {};
  switch (kind.role) {
    case 'ControlPlane':
      return isNamed(controlPlaneRef, object) || isOf(cluster, object) ? 'it is the control plane' : undefined;
    case 'InfrastructureCluster':
      return isNamed(infrastructureRef, object) || isOf(cluster, object) ? 'it is the infrastructure' : undefined;
    case 'InfrastructureMachine':
      return hostFault(asked, parts);
    case 'InfrastructureMachineTemplate':
    case 'BootstrapConfigTemplate':
      return isUsed(asked, parts) ? 'it is a current template' : undefined;
  }
  switch (resourceOf(kind)) {
    case deployments:
    case machineSets:
      return isLastSet(asked, parts) ? 'it has the last workers' : undefined;
    case allMachines:
      return machineFault(asked, parts);
    case 'secrets':
      return isKey(object, parts) ? 'it holds keys' : undefined;
    default:
      return undefined;
  }
};

/** Why a client must not delete this object, and how to lift the protection; undefined if it may. */
export const refusalOfPart = (asked: Asked, parts: ProtectedCluster): string | undefined => {
  const part = partOf(asked, parts);
  return part && `${part} of Cluster ${parts.cluster.metadata.name}, which ${liftOf(parts.cluster)}`;
};

/** The owners that keep a part from the garbage collector while the Cluster exists. */
const ownersIn = ({ cluster, controlPlanes, sets, machines }: ProtectedCluster): Set<string | undefined> =>
  new Set(
    [cluster, ...[...controlPlanes, ...sets, ...machines].filter((one) => isOf(cluster, one))].map(
      ({ metadata }) => metadata.uid,
    ),
  );

/** Whether the new owners could have the garbage collector delete the object. */
export const isGivenAway = (object: KubeObject, parts: ProtectedCluster): boolean => {
  const owners = ownersOf(object);
  const kept = ownersIn(parts);
  return owners.length > 0 && !owners.some(({ uid }) => kept.has(uid));
};
