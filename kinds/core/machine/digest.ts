/** What is to come of a Machine, for whoever waits for its Node. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Machine } from './schema.ts';

/** Nothing of one whose Node is there and ready, and which stays. */
export type MachineDigest = {
  isDeleting?: true;
  /** It has no Node, or none yet. */
  lacksNode?: true;
  /** Since when one of these is so. */
  since?: string;
  /** When its host was given what it boots with, while it is no ready Node. */
  bootsSince?: string;
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
  };
};
