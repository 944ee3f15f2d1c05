/**
 * Decides when a Cluster resets its status: it is torn down, and none of its objects is left.
 * Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { filledOf } from '../../common/filled.ts';
import { controllerOf } from '../../common/owners.ts';
import { endpointOf, isInitialized, isProvisioned } from '../contract/cluster.ts';
import { isCleared } from '../contract/machine.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachinePool } from '../machine-pool/schema.ts';
import type { Observed } from './observe.ts';

/** The user set the endpoint, so it stays. */
const hasOwnEndpoint = (object: KubeObject): boolean =>
  endpointOf(object) !== undefined && filledOf(object).controlPlaneEndpoint !== undefined;

const isInfrastructureGone = (read: Read<KubeObject> | undefined): boolean => {
  if (!read || read.state === 'absent') return true;
  const infrastructure = found(read);
  return infrastructure !== undefined && !isProvisioned(infrastructure) && !hasOwnEndpoint(infrastructure);
};

const isControlPlaneGone = (read: Read<KubeObject> | undefined): boolean => {
  if (!read || read.state === 'absent') return true;
  const controlPlane = found(read);
  return controlPlane !== undefined && !isInitialized(controlPlane);
};

/** Machines that users created stay, but must have reset their status. */
const areMachinesGone = (read: Read<Machine[]>): boolean =>
  found(read)?.every((machine) => !controllerOf(machine) && isCleared(machine)) ?? false;

/** Pools stay, too. */
const arePoolsGone = (read: Read<KubeObject[]>): boolean =>
  (found(read) as MachinePool[] | undefined)?.every(
    ({ spec, status }) =>
      (spec?.providerIDList ?? []).length === 0 && status?.initialization?.infrastructureProvisioned !== true,
  ) ?? false;

export const isTornDown = (observed: Observed): boolean => {
  const { cluster, withheld, infrastructure, controlPlane, machines, machinePools } = observed;
  return (
    withheld?.releases === true &&
    cluster.metadata.deletionTimestamp === undefined &&
    areMachinesGone(machines as Read<Machine[]>) &&
    arePoolsGone(machinePools) &&
    isControlPlaneGone(controlPlane) &&
    isInfrastructureGone(infrastructure)
  );
};
