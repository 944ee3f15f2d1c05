/**
 * What becomes of a Machine that a user made when its cluster is torn down: the object stays, as its user gave it, and
 * begins anew when the cluster is built again. Machines of sets and control planes are deleted by these. Pure.
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

/** Reason of a condition; infrastructure objects say it when they have nothing left. */
const tornDownReason = 'TornDown';

/** The infrastructure object stays, with an identity that its user gave: what it says of its host counts. */
const isHostGone = (infra: Read<KubeObject>): boolean => {
  const object = found(infra);
  if (!object) return infra.state === 'absent';
  const saysSo = conditionOf(conditionsOf(object), 'Ready')?.reason === tornDownReason;
  return !isProvisioned(object) && (providerIdOf(object) === undefined || saysSo);
};

export const isTornDown = ({ machine, target }: Pick<Observed, 'machine' | 'target'>): boolean =>
  target === 'Nothing' && isGiven(machine) && !isDeleting(machine);

/** Whether everything that was filled in has to go, because what it was about is gone. */
export const isToBeCleared = (observed: Observed): boolean => isTornDown(observed) && isHostGone(observed.infraMachine);

/** As if the Machine had just been made; the phase keeps the time of its last change. */
export const asNew = (observed: Observed): Observed => {
  const { machine } = observed;
  const { phase, lastUpdated } = machine.status ?? {};
  const status = { ...(phase && { phase }), ...(lastUpdated && { lastUpdated }) };
  return { ...observed, snapshot: undefined, machine: { ...machine, spec: givenSpec(machine) as MachineSpec, status } };
};

const awaitsLaunch = (infra: KubeObject | undefined): boolean => {
  if (!infra || isProvisioned(infra) || providerIdOf(infra) !== undefined) return false;
  const ready = conditionOf(conditionsOf(infra), 'Ready');
  // Why there is no host yet is still worth knowing.
  return !(ready && 'severity' in ready && ready.severity === 'Error');
};

/** What a Machine says of its host, when the cluster's target is why there is none; undefined otherwise. */
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
