/**
 * Keeps the disks of a control plane's hosts as EBS snapshots, before a restore has the hosts
 * terminated. They are found by their tags, and the installation deletes them once their time is over.
 */
import type { Action, Failure, Read, Reader } from '../../machinery/api/reconcile.ts';
import type { FormerCluster, KeptDisks, KeptFor, StayingCopies } from '../core/contract/infrastructure.ts';
import { type Instance, isUnclear, type VolumeSnapshot } from '../ports/cloud/index.ts';
import { isThrottled } from '../ports/cloud-limits.ts';
import { callCloud } from '../ports/index.ts';
import { ownerOf } from './aws-cluster/owner.ts';
import { controlPlaneInstances } from './control-plane-hosts.ts';
import { asking } from './engine/ask.ts';
import { carries, evidence, type Owner, ownedFilter, tagMap, tagSpecifications, tagsOf } from './engine/tags.ts';

/** RFC 3339: when the installation deletes the resource, whatever has become of its cluster. */
export const keptUntilTag = 'capstan.dev/kept-until';
/** Which disk of which instance it is a copy of. */
export const copyOfTag = 'capstan.dev/copy-of';
/** RFC 3339: when the operation was asked for that made the copy. */
export const keptSinceTag = 'capstan.dev/kept-since';
/** The uid of the ClusterOperation that a snapshot was made for. */
const operationTag = 'capstan.dev/operation-uid';

const purpose = 'etcd-disk';

/** Later calls have other answers. */
const passing = [
  'SnapshotCreationPerVolumeRateExceeded',
  'ConcurrentSnapshotLimitExceeded',
  'InvalidVolume.NotFound',
  'IncorrectState',
];
const isPassing = (code: string): boolean => passing.includes(code) || isUnclear(code) || isThrottled(code);

interface Disk {
  instance: Instance;
  device: string;
  volume: string;
}

/** The disks that go with their host. Others stay, and may be of workloads. */
const disksOf = (instance: Instance): Disk[] =>
  instance.BlockDeviceMappings.filter(({ Ebs }) => Ebs.DeleteOnTermination).map(({ DeviceName, Ebs }) => ({
    instance,
    device: DeviceName,
    volume: Ebs.VolumeId,
  }));

const nameOf = ({ device, instance }: Disk): string => `${device} of EC2 instance ${instance.InstanceId}`;

/** The description says which disk it was: the instance is gone when a user reads it. */
const textOf = ({ SnapshotId, Description }: VolumeSnapshot): string =>
  `EBS snapshot ${SnapshotId}${Description ? ` (${Description})` : ''}`;

const snapshotCall = (of: FormerCluster, owner: Owner, { uid, since, until }: KeptFor, disk: Disk): Action =>
  callCloud(of.region, 'CreateSnapshot', {
    VolumeId: disk.volume,
    Description: nameOf(disk),
    TagSpecifications: tagSpecifications(
      'snapshot',
      tagsOf(owner, {
        name: `${of.clusterName}-${purpose}`,
        purpose,
        more: { [operationTag]: uid, [copyOfTag]: nameOf(disk), [keptSinceTag]: since, [keptUntilTag]: until },
      }),
    ),
  });

const ownerFor = ({ cluster, namespace, ...whose }: FormerCluster, read: Reader): Owner => {
  const { name = '' } = cluster?.spec?.infrastructureRef ?? {};
  const awsCluster = read.get('AWSCluster', { namespace, name });
  const owner = awsCluster.state === 'found' ? ownerOf(awsCluster.value, whose.installation) : undefined;
  return owner?.clusterUid === whose.clusterUid ? owner : { ...whose, additionalTags: {} };
};

/** Why a copy failed, or did not begin. */
const obstacleIn = (
  snapshots: readonly VolumeSnapshot[],
  missing: readonly Disk[],
  failure: Failure | undefined,
): Pick<KeptDisks, 'refusal' | 'delay'> => {
  const failed = snapshots.find(({ State }) => State === 'error');
  if (failed) return { refusal: `${textOf(failed)} failed: ${failed.StateMessage ?? 'EBS gives no reason'}` };
  if (failure?.operation !== 'CreateSnapshot') return {};
  const disk = missing.find(({ volume }) => volume === failure.group);
  const { code } = failure;
  const message = `CreateSnapshot${disk ? ` of ${nameOf(disk)}` : ''}: ${code}: ${failure.message}`;
  return isPassing(code) ? { delay: { code, message } } : { refusal: message };
};

/** Only hosts that Capstan launched: no other volume is its to copy. */
export const observeKeptDisks = (
  of: FormerCluster,
  kept: KeptFor,
  read: Reader,
  failure: Failure | undefined,
): Read<KeptDisks> => {
  if (!of.region) return { state: 'unreadable', reason: 'the region of the cluster is not known' };
  const cloud = asking(read, of.region);
  const owner = ownerFor(of, read);
  const instances = controlPlaneInstances(cloud, of, kept.hosts).filter(
    ({ State, Tags }) => !['terminated', 'shutting-down'].includes(State.Name) && carries(Tags, evidence(owner)),
  );
  const Filters = [...ownedFilter(of), { Name: `tag:${operationTag}`, Values: [kept.uid] }];
  const snapshots =
    cloud.all('DescribeSnapshots', { OwnerIds: ['self'], Filters, MaxResults: 1000 }, ({ Snapshots }) => Snapshots) ??
    [];
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason !== undefined) return { state: 'unreadable', reason };
  const copied = new Set(snapshots.map(({ VolumeId }) => VolumeId));
  const missing = instances.flatMap(disksOf).filter(({ volume }) => !copied.has(volume));
  const inState = (is: (state: VolumeSnapshot['State']) => boolean) =>
    snapshots
      .filter(({ State }) => is(State))
      .map(textOf)
      .sort();
  return {
    state: 'found',
    value: {
      kept: inState((state) => state === 'completed'),
      copying: inState((state) => state === 'pending'),
      missing: missing.map(nameOf).sort(),
      ...obstacleIn(snapshots, missing, failure),
      actions: missing.map((disk) => ({ ...snapshotCall(of, owner, kept, disk), group: disk.volume })),
    },
  };
};

/** All copies of the cluster's disks. They have no owner, and no deletion of the cluster waits for them. */
export const observeStayingCopies = (of: FormerCluster, read: Reader): Read<StayingCopies> => {
  const { region } = of;
  if (!region) return { state: 'found', value: { disks: [], removal: '' } };
  const cloud = asking(read, region);
  const Filters = [...ownedFilter(of), { Name: 'tag-key', Values: [keptUntilTag] }];
  const snapshots =
    cloud.all('DescribeSnapshots', { OwnerIds: ['self'], Filters, MaxResults: 1000 }, ({ Snapshots }) => Snapshots) ??
    [];
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason !== undefined) return { state: 'unreadable', reason };
  const id = snapshots.length === 1 ? snapshots[0]?.SnapshotId : 'ID';
  return {
    state: 'found',
    value: {
      disks: snapshots.map((one) => `${textOf(one)} until ${tagMap(one.Tags)[keptUntilTag]}`).sort(),
      removal: `aws ec2 delete-snapshot --snapshot-id ${id} --region ${region}`,
    },
  };
};
