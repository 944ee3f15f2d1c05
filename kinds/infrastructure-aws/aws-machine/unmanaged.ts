/**
 * Instances that AWSMachines came with: nothing was launched for this object here. Whoever may create objects may name any
 * instance in them, so that only its tags tell whose it is.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Instance } from '../../ports/cloud.ts';
import { carries, evidence, type Owner, tagsInWords } from '../aws-cluster/tags.ts';
import { instanceIdOf } from './instance-id.ts';
import { launchOf } from './launch.ts';
import { machineUidTag } from './request.ts';

/** What the condition of an AWSMachine ends with whose instance is not its own. */
export const staysAsItIs = 'it stays as it is';

/** The id of the instance that an AWSMachine came with. */
export const unmanagedInstance = (object: KubeObject): string | undefined =>
  launchOf(object.metadata) ? undefined : instanceIdOf(object);

/** uid of the AWSMachine that an instance was launched for. */
export const launchedFor = ({ Tags }: Instance): string | undefined =>
  Tags.find(({ Key }) => Key === machineUidTag)?.Value;

/** Why an instance is not that of an AWSMachine which came with it. `others`: uids of the AWSMachines beside it. */
export const whyNotOwn = (instance: Instance, owner: Owner, others: readonly string[]): string | undefined => {
  if (!carries(instance.Tags, evidence(owner))) return `does not carry the tags ${tagsInWords(evidence(owner))}`;
  return others.includes(launchedFor(instance) ?? '') ? 'was launched for another AWSMachine' : undefined;
};
