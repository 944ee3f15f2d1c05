/**
 * Finds stranded resources: a stalled worker's call created them after the AWSMachine was deleted,
 * or after it already had an instance.
 */
import { type Action, found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Instance, Tag } from '../../ports/cloud/index.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import { installationTag, machineNameTag } from '../engine/tags.ts';
import { isCombined } from './batch.ts';
import { instanceIdOf } from './instance-id.ts';
import { hasAttempted, launchOf } from './launch.ts';
import { batchNameTag, batchTag, machineUidTag } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { deleteSecret } from './secrets.ts';

const tagOf = (tags: readonly Tag[], key: string): string => tags.find(({ Key }) => Key === key)?.Value ?? '';

/** The uid of the AWSMachine that an instance was launched for; empty for other instances. */
export const machineUidOf = ({ Tags }: Instance): string => tagOf(Tags, machineUidTag);

const isGoing = ({ State }: Instance): boolean => State.Name === 'shutting-down' || State.Name === 'terminated';

/**
 * When the instance was created, in milliseconds since the epoch: unlike LaunchTime, this does not
 * change at a start.
 */
const madeAt = ({ NetworkInterfaces }: Instance): number =>
  Date.parse(NetworkInterfaces.find(({ Attachment }) => Attachment.DeviceIndex === 0)?.Attachment.AttachTime ?? '');

/**
 * The tombstone of the AWSMachine that a resource was created for; undefined unless the deletion is
 * certain. `machine`: namespace/name.
 */
const tombstoneOf = (machine: string, uid: string, read: Reader) => {
  const [namespace, name] = machine.split('/');
  if (!namespace || !name || !uid) return undefined;
  const tombstone = found(read.tombstone('AWSMachine', { namespace, name }));
  return tombstone?.uid === uid ? tombstone : undefined;
};

/**
 * Instances launched after their AWSMachine was deleted; none while that is uncertain. Instances
 * from before the deletion stay: a user may have removed the object by hand to keep its instance.
 */
export const strandedInstances = (instances: readonly Instance[], read: Reader): Instance[] =>
  instances.filter((instance) => {
    if (isGoing(instance)) return false;
    const { machine, uid } = launcherOf(instance);
    const tombstone = tombstoneOf(machine, uid, read);
    return tombstone !== undefined && madeAt(instance) > tombstone.at;
  });

/** The AWSMachine that an instance was launched for, or by until it is tagged for its own. */
const launcherOf = ({ Tags }: Instance): { tag: string; uid: string; machine: string } => {
  const [tag, name] = tagOf(Tags, machineUidTag) ? [machineUidTag, machineNameTag] : [batchTag, batchNameTag];
  return { tag, uid: tagOf(Tags, tag), machine: tagOf(Tags, name) };
};

/** The tag, besides its installation's, that proves what a stranded instance was launched for. */
export const launcherTag = (instance: Instance): Record<string, string> => {
  const { tag, uid } = launcherOf(instance);
  return { [tag]: uid };
};

/** Whether a machine has adopted the instance, or waits for it. */
export const claimedBy = (machines: readonly AWSMachine[]): ((instance: Instance) => boolean) => {
  const claims = new Set<string>();
  for (const machine of machines) {
    const id = instanceIdOf(machine);
    const launch = launchOf(machine.metadata);
    if (id) claims.add(id);
    if (isCombined(launch) && !launch.cameToNothing) claims.add(`${launch.token} ${launch.batch.index}`);
  }
  return ({ InstanceId, ClientToken, AmiLaunchIndex }) =>
    claims.has(InstanceId) || claims.has(`${ClientToken} ${AmiLaunchIndex}`);
};

/**
 * Unclaimed instances of a call for several machines, which a stalled worker made after its machine
 * had recorded that it came to nothing.
 */
export const uncalledInstances = (unclaimed: readonly Instance[], machines: readonly AWSMachine[]): Instance[] => {
  const over = new Set(
    machines.flatMap(({ metadata }) => {
      const batch = launchOf(metadata)?.batch;
      return batch?.state === 'nothing' ? [batch.token] : [];
    }),
  );
  return unclaimed.filter((one) => !isGoing(one) && machineUidOf(one) === '' && over.has(one.ClientToken ?? ''));
};

/**
 * Second instances of one AWSMachine: a stalled worker's launch succeeded after the controller had
 * retried with another token. Both client tokens must come from this AWSMachine's launches, and the
 * recorded instance must exist, so editing the instance id in a spec deletes nothing.
 */
export const duplicateInstances = (instances: readonly Instance[], machines: readonly AWSMachine[]): Instance[] => {
  const byUid = Map.groupBy(
    instances.filter((one) => !isGoing(one)),
    machineUidOf,
  );
  return machines.flatMap((machine) => {
    const those = byUid.get(machine.metadata.uid ?? '') ?? [];
    const launch = those.length > 1 ? launchOf(machine.metadata) : undefined;
    const launched = launch ? those.filter(({ ClientToken }) => hasAttempted(launch, ClientToken)) : [];
    const own = instanceIdOf(machine);
    const isOwn = ({ InstanceId }: Instance) => InstanceId === own;
    return launched.some(isOwn) ? launched.filter((one) => !isOwn(one)) : [];
  });
};

/**
 * One-shot secrets of deleted AWSMachines: whenever they were created, no machine needs them any
 * more.
 */
export const strandedSecrets = (secrets: readonly TaggedResource[], read: Reader): TaggedResource[] =>
  secrets.filter(({ tags }) => tombstoneOf(tags[machineNameTag] ?? '', tags[machineUidTag] ?? '', read) !== undefined);

/** `installation`: the owner that the tags must name, besides the machine. */
export const deleteStrandedSecrets = (
  installation: string,
  region: string,
  secrets: readonly TaggedResource[],
): Action[] =>
  secrets.map(({ id, tags }) =>
    deleteSecret(region, id, { [installationTag]: installation, [machineUidTag]: tags[machineUidTag] ?? '' }),
  );
