/** The objects of a topology as they are. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { compareVersions, parseVersion } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../cluster/schema.ts';
import { hasPools } from '../contract/pools.ts';
import { followPart } from '../contract/references.ts';
import { topologyLabels } from '../contract/topology.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';
import type { MachinePool } from '../machine-pool/schema.ts';

export interface ControlPlaneState {
  object: KubeObject;
  version: string | undefined;
  /** Name of the template of its machines. */
  template: string | undefined;
  /** No machine of it has been seen yet. */
  isProvisioning: boolean;
  isUpgrading: boolean;
  isSettled: boolean;
}

/** Of a MachineDeployment or a MachinePool. */
export interface WorkerState<T extends KubeObject = MachineDeployment> {
  object: T;
  version: string | undefined;
  /** Versions of its Machines. */
  running: string[];
  isUpgrading: boolean;
  isSettled: boolean;
}

export interface State {
  infrastructure: KubeObject | undefined;
  controlPlane: ControlPlaneState | undefined;
  /** By name in the topology. */
  deployments: ReadonlyMap<string, WorkerState>;
  pools: ReadonlyMap<string, WorkerState<MachinePool>>;
  /** MachineDeployments and MachinePools of the topology without a usable name. */
  surplus: (MachineDeployment | MachinePool)[];
}

interface Counted {
  observedGeneration?: number;
  replicas?: number;
  upToDateReplicas?: number;
  version?: string;
  versions?: { version: string }[];
}
const statusOf = ({ status }: KubeObject): Counted => (status ?? {}) as Counted;

const isObserved = ({ metadata: { generation = 0 }, status }: KubeObject): boolean =>
  ((status as Counted | undefined)?.observedGeneration ?? 0) >= generation;

const settled = (object: KubeObject): boolean => {
  const { replicas, upToDateReplicas } = statusOf(object);
  const wanted = (object.spec as { replicas?: number } | undefined)?.replicas;
  return isObserved(object) && replicas === upToDateReplicas && (wanted === undefined || replicas === wanted);
};

const versionsOf = (object: KubeObject): string[] => {
  const { version, versions } = statusOf(object);
  return versions?.map((one) => one.version) ?? (version ? [version] : []);
};

const isLower = (text: string, than: string): boolean => {
  const [a, b] = [parseVersion(text), parseVersion(than)];
  return a !== undefined && b !== undefined && compareVersions(a, b) < 0;
};

interface ControlPlaneSpec {
  version?: string;
  machineTemplate?: { infrastructureRef?: { name?: string }; spec?: { infrastructureRef?: { name?: string } } };
}

const controlPlaneState = (object: KubeObject): ControlPlaneState => {
  const { version, machineTemplate } = (object.spec ?? {}) as ControlPlaneSpec;
  const versions = versionsOf(object);
  return {
    object,
    version,
    template: machineTemplate?.spec?.infrastructureRef?.name ?? machineTemplate?.infrastructureRef?.name,
    isProvisioning: versions.length === 0,
    isUpgrading: version !== undefined && versions.some((one) => isLower(one, version)),
    isSettled: settled(object),
  };
};

const workerState = <T extends MachineDeployment | MachinePool>(object: T): WorkerState<T> => {
  const version = object.spec?.template.spec.version;
  const running = versionsOf(object);
  return {
    object,
    version,
    running,
    isUpgrading: running.some((one) => one !== version) || !isObserved(object),
    isSettled: settled(object),
  };
};

type Workers<T extends KubeObject> = { byName: Map<string, WorkerState<T>>; surplus: T[] };

const workersBy = <T extends MachineDeployment | MachinePool>(label: string, list: Read<T[]>): Workers<T> => {
  const byName = new Map<string, WorkerState<T>>();
  const surplus: T[] = [];
  for (const one of (found(list) ?? []).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))) {
    const name = one.metadata.labels?.[label];
    if (name && !byName.has(name)) byName.set(name, workerState(one));
    else surplus.push(one);
  }
  return { byName, surplus };
};

export const readState = (
  read: Reader,
  cluster: Cluster,
): { state: State; reads: { infrastructure: Read<KubeObject>; controlPlane: Read<KubeObject> } } => {
  const { namespace = '', name } = cluster.metadata;
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const absent: Read<KubeObject> = { state: 'absent' };
  const infrastructure = infrastructureRef
    ? followPart(read, cluster, infrastructureRef, 'InfrastructureCluster')
    : absent;
  const controlPlane = controlPlaneRef ? followPart(read, cluster, controlPlaneRef, 'ControlPlane') : absent;
  const owned = { matchExpressions: [{ key: topologyLabels.owned, operator: 'Exists' as const }] };
  const where = { namespace, cluster: name, labels: owned };
  const deployments = workersBy(topologyLabels.deployment, read.list('MachineDeployment', where));
  const mayHavePools = hasPools(cluster) || cluster.spec?.topology?.workers?.machinePools !== undefined;
  const none: Read<MachinePool[]> = { state: 'found', value: [] };
  const pools = workersBy(topologyLabels.pool, mayHavePools ? read.list('MachinePool', where) : none);
  const plane = found(controlPlane);
  return {
    state: {
      infrastructure: found(infrastructure),
      controlPlane: plane && controlPlaneState(plane),
      deployments: deployments.byName,
      pools: pools.byName,
      surplus: [...deployments.surplus, ...pools.surplus],
    },
    reads: { infrastructure, controlPlane },
  };
};
