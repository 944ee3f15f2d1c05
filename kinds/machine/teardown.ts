/**
 * What becomes of a Machine that a user made when its cluster is torn down: the object stays, as its user gave it, and
 * begins anew when the cluster is built again. Machines of sets and control planes are deleted by these. Pure.
 */
import type { KubeObject } from '../../machinery/api/object.ts';
import { type ConditionDraft, found, type Read } from '../../machinery/api/reconcile.ts';
import { filledAnnotation, givenSpec } from '../common/filled.ts';
import { isDeleting } from '../common/machines.ts';
import { controllerOf } from '../common/owners.ts';
import { targetMessage } from '../common/target.ts';
import { isProvisioned, providerIdOf } from './contract.ts';
import type { Observed } from './observe.ts';
import type { Machine, MachineSpec } from './schema.ts';

/** Made by a user: nobody controls it, and nobody would make it again. */
export const isGiven = (machine: Machine): boolean => controllerOf(machine) === undefined;

/** Whether a Machine remembers nothing of a host; what its user gave does not count. */
export const isCleared = ({ metadata, spec, status }: Machine): boolean => {
  const { initialization, nodeRef } = status ?? {};
  const isBootstrapped = initialization?.bootstrapDataSecretCreated === true;
  return (
    metadata.annotations?.[filledAnnotation] === undefined &&
    nodeRef === undefined &&
    initialization?.infrastructureProvisioned !== true &&
    (!isBootstrapped || spec?.bootstrap.dataSecretName !== undefined)
  );
};

/** The infrastructure stays and is torn down itself: only what it says of its host counts. */
const isHostGone = (infra: Read<KubeObject>): boolean => {
  const object = found(infra);
  return object ? providerIdOf(object) === undefined && !isProvisioned(object) : infra.state === 'absent';
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

/** What a Machine says of its host in place of the host's own word; undefined when it is not torn down. */
export const tornDown = (observed: Observed): ConditionDraft | undefined => {
  const cluster = found(observed.cluster);
  if (!cluster || !isTornDown(observed)) return undefined;
  const message = targetMessage(cluster, observed.target);
  return { type: 'InfrastructureReady', status: 'False', reason: 'TornDown', message };
};
