import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { annotations } from '../../common/labels.ts';
import { launchOf } from './launch.ts';
import type { AWSMachine } from './schema.ts';

/**
 * The reason of InstanceReady when the cluster is torn down and the AWSMachine has nothing in the
 * account.
 */
export const tornDownReason = 'TornDown';

/**
 * Whether an AWSMachine of a cluster in teardown may have resources in the account or is about to
 * be deleted. A cloned AWSMachine is deleted with its Machine. An instance id that no launch filled
 * in belongs to the user and stays.
 */
export const hasResources = (object: KubeObject): boolean => {
  const { metadata, spec, status } = object as AWSMachine;
  if (metadata.deletionTimestamp || launchOf(metadata)) return true;
  if (conditionOf(status?.conditions, 'InstanceReady')?.reason === tornDownReason) return false;
  const cloned = metadata.annotations?.[annotations.clonedFromName] !== undefined;
  return cloned || Boolean(spec?.providerID || spec?.instanceID);
};
