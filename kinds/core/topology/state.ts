/** The objects of a topology as they are. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { compareVersions, parseVersion } from '../../common/kubernetes-version.ts';
import type { Cluster } from '../cluster/schema.ts';
import { followPart } from '../contract/references.ts';
import { topologyLabels } from '../contract/topology.ts';
import type { MachineDeployment } from '../machine-deployment/schema.ts';

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

export interface DeploymentState {
  object: MachineDeployment;
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
  deployments: ReadonlyMap<string, DeploymentState>;
  /** MachineDeployments of the topology without a usable name. */
  surplus: MachineDeployment[];
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

const deploymentState = (object: MachineDeployment): DeploymentState => {
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
  const owned = (
    found(
      read.list('MachineDeployment', {
        namespace,
        cluster: name,
        labels: { matchExpressions: [{ key: topologyLabels.owned, operator: 'Exists' }] },
      }),
    ) ?? []
  ).toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const deployments = new Map<string, DeploymentState>();
  const surplus: MachineDeployment[] = [];
  for (const one of owned) {
    const topologyName = one.metadata.labels?.[topologyLabels.deployment];
    if (topologyName && !deployments.has(topologyName)) deployments.set(topologyName, deploymentState(one));
    else surplus.push(one);
  }
  const plane = found(controlPlane);
  return {
    state: {
      infrastructure: found(infrastructure),
      controlPlane: plane && controlPlaneState(plane),
      deployments,
      surplus,
    },
    reads: { infrastructure, controlPlane },
  };
};
