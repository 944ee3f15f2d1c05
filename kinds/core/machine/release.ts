/**
 * How a Machine that a user created survives the teardown of its cluster: the object stays as the
 * user wrote it, and starts over when the cluster is created again. MachineSets and control planes
 * delete their own Machines. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, found, type Plan, type Read } from '../../../machinery/api/reconcile.ts';
import { conditionsOf, isGiven, isProvisioned, providerIdOf } from '../contract/machine.ts';
import { isDeleting } from '../contract/machines.ts';
import type { Observed } from './observe.ts';
import type { MachineStatus } from './schema.ts';

/** A condition reason: infrastructure objects report it once they have no resources left. */
const tornDownReason = 'TornDown';

/**
 * If the user set the provider ID, the infrastructure machine keeps it, so its Ready condition
 * decides.
 */
const isHostGone = (infra: Read<KubeObject>): boolean => {
  const object = found(infra);
  if (!object) return infra.state === 'absent';
  const saysSo = conditionOf(conditionsOf(object), 'Ready')?.reason === tornDownReason;
  return !isProvisioned(object) && (providerIdOf(object) === undefined || saysSo);
};

const awaitsLaunch = (infra: KubeObject | undefined): boolean => {
  if (!infra || isProvisioned(infra) || providerIdOf(infra) !== undefined) return false;
  const ready = conditionOf(conditionsOf(infra), 'Ready');
  // An error is still worth reporting.
  return !(ready && 'severity' in ready && ready.severity === 'Error');
};

/** InfrastructureReady if the cluster's operation is why there is no host; undefined otherwise. */
export const withoutHost = ({ withheld, machine, infraMachine }: Observed): ConditionDraft | undefined => {
  if (!withheld || isDeleting(machine)) return undefined;
  const isReason = withheld.releases ? isGiven(machine) : awaitsLaunch(found(infraMachine));
  const { reason, message } = withheld;
  return isReason ? { type: 'InfrastructureReady', status: 'False', reason, message } : undefined;
};

/** MachineSets and control planes delete their own Machines; `reconciled` is the plan as always. */
export const release = (
  observed: Observed,
  reconciled: (observed: Observed) => Plan<MachineStatus>,
): Plan<MachineStatus> => {
  if (!isGiven(observed.machine) || !isHostGone(observed.infraMachine)) return reconciled(observed);
  // The last probe may still show the Node of the former host.
  return { ...reconciled({ ...observed, snapshot: undefined }), released: { notes: [] } };
};
