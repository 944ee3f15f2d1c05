/**
 * Instances that the user named in an AWSMachine: the controller did not launch one for this
 * object. A user who can create objects can name any instance, so only the instance's tags prove
 * its owner.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { carries, evidence, type Owner, tagsText } from '../engine/tags.ts';
import { instanceIdOf } from './instance-id.ts';
import { launchOf } from './launch.ts';
import { machineUidTag } from './request.ts';

/** The end of the condition message for an instance that belongs to another owner. */
export const staysAsItIs = 'it stays as it is';

/** The id of the instance that the user named. */
export const unmanagedInstance = (object: KubeObject): string | undefined =>
  launchOf(object.metadata) ? undefined : instanceIdOf(object);

/** The uid of the AWSMachine that the instance was launched for. */
export const launchedFor = ({ Tags }: Instance): string | undefined =>
  Tags.find(({ Key }) => Key === machineUidTag)?.Value;

/**
 * Why a named instance does not belong to its AWSMachine. `others`: uids of the cluster's other
 * AWSMachines.
 */
export const whyNotOwn = (instance: Instance, owner: Owner, others: readonly string[]): string | undefined => {
  if (!carries(instance.Tags, evidence(owner))) return `does not carry the tags ${tagsText(evidence(owner))}`;
  return others.includes(launchedFor(instance) ?? '') ? 'was launched for another AWSMachine' : undefined;
};
