import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { annotations } from '../../common/labels.ts';
import { launchOf } from './launch.ts';
import type { AWSMachine } from './schema.ts';

/** What an AWSMachine's InstanceReady says when its cluster is torn down and it has nothing in the account. */
export const tornDownReason = 'TornDown';

/**
 * Whether an AWSMachine of a cluster that is torn down may have something in the account, or is about to go itself. One
 * that was cloned goes with its Machine; an id that was not filled in by a launch is its user's, and stays.
 */
export const hasResources = (object: KubeObject): boolean => {
  const { metadata, spec, status } = object as AWSMachine;
  if (metadata.deletionTimestamp || launchOf(metadata)) return true;
  if (conditionOf(status?.conditions, 'InstanceReady')?.reason === tornDownReason) return false;
  const cloned = metadata.annotations?.[annotations.clonedFromName] !== undefined;
  return cloned || Boolean(spec?.providerID || spec?.instanceID);
};
