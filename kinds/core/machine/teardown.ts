/**
 * How a Machine that a user created survives the teardown of its cluster: the object stays as the
 * user wrote it, and starts over when the cluster is created again. MachineSets and control planes
 * delete their own Machines. Pure.
 */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, found, type Read } from '../../../machinery/api/reconcile.ts';
import { givenSpec } from '../../common/filled.ts';
import { conditionsOf, isGiven, isProvisioned, providerIdOf } from '../contract/machine.ts';
import { isDeleting } from '../contract/machines.ts';
import { targetMessage } from '../contract/target.ts';
import type { Observed } from './observe.ts';
import type { MachineSpec } from './schema.ts';

/** A condition reason; infrastructure objects report it once they have no resources left. */
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

export const isTornDown = ({ machine, target }: Pick<Observed, 'machine' | 'target'>): boolean =>
  target === 'Nothing' && isGiven(machine) && !isDeleting(machine);

/** Whether to clear what controllers filled in, because the host is gone. */
export const isToBeCleared = (observed: Observed): boolean => isTornDown(observed) && isHostGone(observed.infraMachine);

/** The Machine as if newly created; the phase keeps its last transition time. */
export const asNew = (observed: Observed): Observed => {
  const { machine } = observed;
  const { phase, lastUpdated } = machine.status ?? {};
  const status = { ...(phase && { phase }), ...(lastUpdated && { lastUpdated }) };
  return { ...observed, snapshot: undefined, machine: { ...machine, spec: givenSpec(machine) as MachineSpec, status } };
};

const awaitsLaunch = (infra: KubeObject | undefined): boolean => {
  if (!infra || isProvisioned(infra) || providerIdOf(infra) !== undefined) return false;
  const ready = conditionOf(conditionsOf(infra), 'Ready');
  // An error is still worth reporting.
  return !(ready && 'severity' in ready && ready.severity === 'Error');
};

/** InfrastructureReady if the cluster's target is why there is no host; undefined otherwise. */
export const withoutHost = (observed: Observed): ConditionDraft | undefined => {
  const { target, machine, infraMachine } = observed;
  const cluster = found(observed.cluster);
  if (!cluster || isDeleting(machine)) return undefined;
  const because = (reason: string): ConditionDraft => ({
    type: 'InfrastructureReady',
    status: 'False',
    reason,
    message: targetMessage(cluster, target),
  });
  if (isTornDown(observed)) return because(tornDownReason);
  if (target === 'Wait' && awaitsLaunch(found(infraMachine))) return because('WaitingForOperation');
  if (target === 'Hold' && awaitsLaunch(found(infraMachine))) return because('OnHold');
  return undefined;
};
