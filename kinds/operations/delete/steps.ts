/** The steps of a delete, in the order of its workflow. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read } from '../../../machinery/api/reconcile.ts';
import { listOf } from '../../common/list-of.ts';
import { isOwnedBy } from '../../common/owners.ts';
import { clusterUidAnnotation } from '../../core/contract/infrastructure.ts';
import { deletionBlock } from '../../core/contract/lifecycle-hooks.ts';
import { conditionsOf, isControlPlaneMachine, withCause } from '../shared/cause.ts';
import { type ClusterState, done, type Judge, pending, unless } from '../shared/cluster-state.ts';
import { causeOf, isNoted, prove, there } from '../shared/proof.ts';

export const deleteSteps = [
  'DeleteWorkers',
  'DeleteControlPlane',
  'DeleteLoadBalancers',
  'DeleteNetwork',
  'Prove',
] as const;
export type DeleteStep = (typeof deleteSteps)[number];

const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

/**
 * Ignores an object that a user applied again under the same name: it has no owner and no
 * resources.
 */
const own = (read: Read<KubeObject> | undefined, { cluster }: ClusterState): KubeObject[] =>
  there(read).filter(
    (object) =>
      isOwnedBy(object, cluster) ||
      object.metadata.deletionTimestamp !== undefined ||
      isNoted(object, clusterUidAnnotation),
  );

/** The message of a True Deleting condition names what blocks the deletion. */
const deletionMessage = (objects: readonly KubeObject[]): string | undefined => {
  for (const object of objects) {
    const condition = conditionOf(conditionsOf(object), 'Deleting');
    if (condition?.status === 'True' && condition.message)
      return `${object.kind} ${object.metadata.name}: ${condition.message.split('\n').join('; ')}`;
  }
  return undefined;
};

const gone = (objects: readonly KubeObject[], clusterState: ClusterState): ReturnType<Judge> =>
  unless(objects.length === 0, () =>
    withCause(
      `waiting for ${listOf(namesOf(objects))} to be gone`,
      causeOf(objects, clusterState) ?? deletionMessage(objects),
    ),
  );

const workers: Judge = (clusterState) => {
  const blocked = deletionBlock(clusterState.cluster);
  if (blocked !== undefined) return pending(`waiting: ${blocked}`);
  const { machineDeployments, machineSets, machinePools, machines } = clusterState;
  const members = machines.filter((machine) => !isControlPlaneMachine(machine));
  return gone([...members, ...machineSets, ...machineDeployments, ...machinePools], clusterState);
};

const controlPlane: Judge = (clusterState) => {
  const { machines } = clusterState;
  return gone(
    [...machines.filter(isControlPlaneMachine), ...own(clusterState.controlPlane, clusterState)],
    clusterState,
  );
};

const loadBalancers: Judge = (clusterState) => {
  const [infrastructure] = own(clusterState.infrastructure, clusterState);
  if (!infrastructure || clusterState.provider.loadBalancer.isGone(infrastructure)) return done;
  // The infrastructure keeps what its machines use.
  const { infraMachines } = clusterState;
  if (infraMachines.length > 0) return gone(infraMachines, clusterState);
  return pending(withCause('waiting for the load balancers to be gone', causeOf([infrastructure], clusterState)));
};

const network: Judge = (clusterState) =>
  gone([...clusterState.infraMachines, ...own(clusterState.infrastructure, clusterState)], clusterState);

export const judgeDelete: Record<DeleteStep, Judge> = {
  DeleteWorkers: workers,
  DeleteControlPlane: controlPlane,
  DeleteLoadBalancers: loadBalancers,
  DeleteNetwork: network,
  Prove: prove,
};
