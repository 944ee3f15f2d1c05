/** A Machine's progress towards a ready Node, for the prober. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type HostDigest, hasHostReport } from '../contract/host-health.ts';
import type { Machine } from './schema.ts';

/** For a Machine that is not being deleted and whose Node is ready, only whether it is checked. */
export type MachineDigest = HostDigest & {
  isDeleting?: true;
  /** The Machine has no Node yet. */
  lacksNode?: true;
  /** Since when it lacks a Node or is being deleted. */
  since?: string;
  /** When its host received its bootstrap data, while the Machine is not Ready. */
  bootsSince?: string;
  /** A MachineHealthCheck looks after the Machine. */
  isChecked?: true;
};

export const digestOf = (object: KubeObject): MachineDigest => {
  const { metadata, status } = object as Machine;
  const given = conditionOf(status?.conditions, 'BootstrapConfigReady');
  const isBooting = given?.status === 'True' && conditionOf(status?.conditions, 'Ready')?.status !== 'True';
  const lacksNode = !status?.nodeRef;
  const since = metadata.deletionTimestamp ?? (lacksNode ? metadata.creationTimestamp : undefined);
  return {
    ...(metadata.deletionTimestamp !== undefined && { isDeleting: true }),
    ...(lacksNode && { lacksNode }),
    ...(since !== undefined && { since }),
    ...(isBooting && given.lastTransitionTime !== undefined && { bootsSince: given.lastTransitionTime }),
    ...(conditionOf(status?.conditions, 'HealthCheckSucceeded') && { isChecked: true }),
    ...(hasHostReport(object as Machine) && { hasHostReport: true }),
  };
};
