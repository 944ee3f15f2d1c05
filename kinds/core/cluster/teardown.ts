/** When a Cluster forgets what it was: its operation wants nothing of it, and nothing of it is left. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { filledOf } from '../../common/filled.ts';
import { controllerOf } from '../../common/owners.ts';
import { endpointOf, isInitialized, isProvisioned } from '../contract/cluster.ts';
import { isCleared } from '../contract/machine.ts';
import type { Machine } from '../machine/schema.ts';
import type { Observed } from './observe.ts';

/** An endpoint that its user gave stays. */
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

/** Machines that users made stay, and forget what they were. */
const areMachinesGone = (read: Read<Machine[]>): boolean =>
  found(read)?.every((machine) => !controllerOf(machine) && isCleared(machine)) ?? false;

export const isTornDown = ({ cluster, target, infrastructure, controlPlane, machines }: Observed): boolean =>
  target === 'Nothing' &&
  cluster.metadata.deletionTimestamp === undefined &&
  areMachinesGone(machines as Read<Machine[]>) &&
  isControlPlaneGone(controlPlane) &&
  isInfrastructureGone(infrastructure);
