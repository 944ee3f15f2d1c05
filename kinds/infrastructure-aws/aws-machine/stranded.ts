/** What came too late: a worker that stood still before its call made it for a machine that was gone, or had one by then. */
import { type Action, found, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Instance, Tag } from '../../ports/cloud.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import { installationTag, machineNameTag } from '../aws-cluster/tags.ts';
import { instanceIdOf } from './instance-id.ts';
import { hasAttempted, launchOf } from './launch.ts';
import { machineUidTag } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { deleteSecret } from './secrets.ts';

const tagOf = (tags: readonly Tag[], key: string): string => tags.find(({ Key }) => Key === key)?.Value ?? '';

/** The uid of the AWSMachine that an instance was launched for; empty for a stranger's. */
export const machineUidOf = ({ Tags }: Instance): string => tagOf(Tags, machineUidTag);

const isGoing = ({ State }: Instance): boolean => State.Name === 'shutting-down' || State.Name === 'terminated';

/** When it was made, in milliseconds since the epoch: a start, unlike this, changes its LaunchTime. */
const madeAt = ({ NetworkInterfaces }: Instance): number =>
  Date.parse(NetworkInterfaces.find(({ Attachment }) => Attachment.DeviceIndex === 0)?.Attachment.AttachTime ?? '');

/** Of the AWSMachine for which something was made, when it is certain that it was deleted. `machine`: as namespace/name. */
const tombstoneOf = (machine: string, uid: string, read: Reader) => {
  const [namespace, name] = machine.split('/');
  if (!namespace || !name || !uid) return undefined;
  const tombstone = found(read.tombstone('AWSMachine', { namespace, name }));
  return tombstone?.uid === uid ? tombstone : undefined;
};

/**
 * Those that were launched after their AWSMachine was deleted; none while that is not certain. What was there before is
 * not one of them: its object may have been taken away by hand, to keep it.
 */
export const strandedInstances = (instances: readonly Instance[], read: Reader): Instance[] =>
  instances.filter((instance) => {
    if (isGoing(instance)) return false;
    const tombstone = tombstoneOf(tagOf(instance.Tags, machineNameTag), machineUidOf(instance), read);
    return tombstone !== undefined && madeAt(instance) > tombstone.at;
  });

/**
 * Those that an attempt to launch made after it had been refused and another one was made: its worker had stood still. The
 * tokens of both say that they were launched for the machine, and the other one, which it names as its own, is there: nothing
 * goes because somebody wrote another id into a spec.
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

/** One-shot secrets of AWSMachines that were deleted: whenever they were made, nobody needs them any more. */
export const strandedSecrets = (secrets: readonly TaggedResource[], read: Reader): TaggedResource[] =>
  secrets.filter(({ tags }) => tombstoneOf(tags[machineNameTag] ?? '', tags[machineUidTag] ?? '', read) !== undefined);

/** `installation`: whose they must be, besides their machine's. */
export const deleteStrandedSecrets = (
  installation: string,
  region: string,
  secrets: readonly TaggedResource[],
): Action[] =>
  secrets.map(({ id, tags }) =>
    deleteSecret(region, id, { [installationTag]: installation, [machineUidTag]: tags[machineUidTag] ?? '' }),
  );
