import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { CauseRules } from '../../common/causes/index.ts';
import { labels } from '../../common/labels.ts';
import { controllerOf } from '../../common/owners.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import { conditionsOf } from '../contract/cluster.ts';
import { awaitsDeletionHook } from '../contract/deletion-hook.ts';
import { hasPools } from '../contract/pools.ts';
import { follow, followPart } from '../contract/references.ts';
import { snapshotOf } from '../contract/workload-snapshot.ts';
import { type Operated, observeOperation } from './operation.ts';
import type { Cluster } from './schema.ts';

/**
 * Everything that the Cluster controller reads. A part is `undefined` if the Cluster has no
 * reference to it.
 */
export interface Observed extends Operated {
  cluster: Cluster;
  infrastructure: Read<KubeObject> | undefined;
  controlPlane: Read<KubeObject> | undefined;
  machineDeployments: Read<KubeObject[]>;
  machineSets: Read<KubeObject[]>;
  machines: Read<KubeObject[]>;
  /** Read for a cluster that has had some, and for one that is going. */
  machinePools: Read<KubeObject[]>;
  snapshot: WorkloadSnapshot | undefined;
  /** The infrastructure machines of at most three Machines whose hosts have failed. */
  failedHosts?: readonly KubeObject[];
  /** What conditions mean; absent: no cause is named. */
  causeRules?: readonly CauseRules[];
  /** A hook has yet to let the deletion go on. */
  awaitsHook?: boolean;
}

/** The most hosts whose failure is read: the Available condition names one. */
const mostHosts = 3;
const hasFailed = /Failed$|NotFound$|Stopped$|Terminated$/;

/** A Machine does not repeat the words of its provider. */
const failedHosts = (machines: Read<KubeObject[]>, namespace: string, read: Reader): KubeObject[] =>
  (found(machines) ?? [])
    .filter((machine) => hasFailed.test(conditionOf(conditionsOf(machine), 'InfrastructureReady')?.reason ?? ''))
    .slice(0, mostHosts)
    .flatMap(({ spec }) => {
      const { infrastructureRef } = (spec ?? {}) as { infrastructureRef?: Parameters<typeof follow>[2] };
      const host = infrastructureRef && follow(read, namespace, infrastructureRef, 'InfrastructureMachine');
      return (host && found(host)) ?? [];
    });

const readsPools = (cluster: Cluster, { withheld }: Context): boolean =>
  hasPools(cluster) || cluster.metadata.deletionTimestamp !== undefined || withheld?.releases === true;

export const observe = (cluster: Cluster, read: Reader, context: Context): Observed => {
  const { namespace = '', name } = cluster.metadata;
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  const where = { namespace, cluster: name };
  const machines = read.list('Machine', where);
  return {
    cluster,
    infrastructure: infrastructureRef && followPart(read, cluster, infrastructureRef, 'InfrastructureCluster'),
    controlPlane: controlPlaneRef && followPart(read, cluster, controlPlaneRef, 'ControlPlane'),
    machineDeployments: read.list('MachineDeployment', where),
    machineSets: read.list('MachineSet', where),
    machines,
    machinePools: readsPools(cluster, context) ? read.list('MachinePool', where) : { state: 'found', value: [] },
    failedHosts: failedHosts(machines, namespace, read),
    snapshot: snapshotOf(read, { namespace, name }, cluster),
    awaitsHook: awaitsDeletionHook(cluster, read) ?? true,
    ...observeOperation(cluster, read, context),
  };
};

export const isControlPlaneMachine = (machine: KubeObject): boolean =>
  machine.metadata.labels?.[labels.controlPlane] !== undefined;

/** A cluster's objects, grouped by how the Cluster controller treats them. */
export interface Descendants {
  machineDeployments: KubeObject[];
  machineSets: KubeObject[];
  machinePools: KubeObject[];
  /** MachineSets without a MachineDeployment. */
  standaloneMachineSets: KubeObject[];
  controlPlaneMachines: KubeObject[];
  workerMachines: KubeObject[];
  /** Worker Machines without a MachineSet. */
  standaloneMachines: KubeObject[];
}

/** Undefined while any of the lists is unreadable. */
export const descendantsOf = (observed: Observed): Descendants | undefined => {
  const { machineDeployments, machineSets, machines, machinePools } = observed;
  const [deployments, sets, all] = [found(machineDeployments), found(machineSets), found(machines)];
  const pools = found(machinePools);
  if (!deployments || !sets || !all || !pools) return undefined;
  const workerMachines = all.filter((machine) => !isControlPlaneMachine(machine));
  return {
    machineDeployments: deployments,
    machineSets: sets,
    machinePools: pools,
    standaloneMachineSets: sets.filter((set) => !controllerOf(set)),
    controlPlaneMachines: all.filter(isControlPlaneMachine),
    workerMachines,
    standaloneMachines: workerMachines.filter((machine) => !controllerOf(machine)),
  };
};
