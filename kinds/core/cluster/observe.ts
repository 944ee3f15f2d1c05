import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf } from '../../common/owners.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import { snapshotOf } from '../contract/workload-snapshot.ts';
import type { ClusterObject, Reference } from './cluster-object.ts';
import { type Operated, observeOperation } from './operation.ts';

/** Everything of a cluster that its controller looks at. `undefined` references were never set. */
export interface Observed extends Operated {
  cluster: ClusterObject;
  infrastructure: Read<KubeObject> | undefined;
  controlPlane: Read<KubeObject> | undefined;
  machineDeployments: Read<KubeObject[]>;
  machineSets: Read<KubeObject[]>;
  machines: Read<KubeObject[]>;
  snapshot: WorkloadSnapshot | undefined;
}

export const observe = (cluster: ClusterObject, read: Reader, context: Context): Observed => {
  const { namespace = '', name } = cluster.metadata;
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const follow = (ref: Reference | undefined) => ref && read.get(ref.kind, { namespace, name: ref.name });
  const where = { namespace, cluster: name };
  return {
    cluster,
    infrastructure: follow(infrastructureRef),
    controlPlane: follow(controlPlaneRef),
    machineDeployments: read.list('MachineDeployment', where),
    machineSets: read.list('MachineSet', where),
    machines: read.list('Machine', where),
    snapshot: snapshotOf(read, { namespace, name }, cluster),
    ...observeOperation(cluster, read, context),
  };
};

export const isControlPlaneMachine = (machine: KubeObject): boolean =>
  machine.metadata.labels?.[labels.controlPlane] !== undefined;

/** Objects of a cluster, sorted into what the controller treats alike. */
export interface Descendants {
  machineDeployments: KubeObject[];
  machineSets: KubeObject[];
  /** Of no MachineDeployment. */
  standaloneMachineSets: KubeObject[];
  controlPlaneMachines: KubeObject[];
  workerMachines: KubeObject[];
  /** Workers of no MachineSet. */
  standaloneMachines: KubeObject[];
}

/** Undefined while any of the lists could not be read. */
export const descendantsOf = ({ machineDeployments, machineSets, machines }: Observed): Descendants | undefined => {
  const [deployments, sets, all] = [found(machineDeployments), found(machineSets), found(machines)];
  if (!deployments || !sets || !all) return undefined;
  const workerMachines = all.filter((machine) => !isControlPlaneMachine(machine));
  return {
    machineDeployments: deployments,
    machineSets: sets,
    standaloneMachineSets: sets.filter((set) => !controllerOf(set)),
    controlPlaneMachines: all.filter(isControlPlaneMachine),
    workerMachines,
    standaloneMachines: workerMachines.filter((machine) => !controllerOf(machine)),
  };
};
