/** Volumes: always part of the instance that they were created with. */
import type { CloudInput, CloudOutput } from '../../kinds/ports/cloud/index.ts';
import { baselineIops, volumeLimits } from '../../kinds/ports/volume-limits.ts';
import { describeDerived } from './describe.ts';
import { invalidParameter, refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { type ImageRecord, rootDeviceOf } from './image.ts';
import { type InstanceRecord, type InstanceVolume, instanceState, isGone } from './instance.ts';
import { checkId, idErrorsOf, newId } from './naming.ts';
import type { AccountState, Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';

type Mapping = NonNullable<CloudInput<'RunInstances'>['BlockDeviceMappings']>[number];

/** EBS's checks of the numbers of a volume. */
const checkLimits = (type: string, size: number, { Iops, Throughput }: Mapping['Ebs']): void => {
  const { size: sizes, iops, iopsPerGib = Infinity, throughput, throughputPerIops = Infinity } = volumeLimits[type]!;
  if (!Number.isInteger(size) || size < sizes[0] || size > sizes[1])
    invalidParameter(`Volume of ${size}GiB is not a valid size for ${type}.`);
  const check = (name: string, value: number | undefined, range: readonly [number, number] | undefined) => {
    if (value === undefined) return;
    if (!range)
      return refuse('InvalidParameterCombination', `The parameter ${name} is not supported for ${type} volumes.`);
    if (value > range[1]) invalidParameter(`Volume ${name} of ${value} is too high; maximum is ${range[1]}.`);
    if (value < range[0]) invalidParameter(`Volume ${name} of ${value} is too low; minimum is ${range[0]}.`);
  };
  check('iops', Iops, iops);
  check('throughput', Throughput, throughput);
  const ratio = (what: string, is: number, most: number) => {
    if (is > most) invalidParameter(`${what} ratio of ${is.toFixed(6)} is too high; maximum is ${most.toFixed(6)}.`);
  };
  if (Iops !== undefined && !(type === 'gp3' && Iops === baselineIops))
    ratio('Iops to volume size', Iops / size, iopsPerGib);
  if (Throughput !== undefined)
    ratio('Throughput (MiBps) to iops', Throughput / (Iops ?? baselineIops), throughputPerIops);
};

const volumeFor = (
  account: AccountState,
  image: ImageRecord,
  { DeviceName, Ebs }: Mapping,
  tags: Record<string, string>,
): InstanceVolume => {
  const isRoot = DeviceName === rootDeviceOf(image);
  const type = Ebs.VolumeType ?? 'gp2';
  const size =
    Ebs.VolumeSize ??
    (isRoot ? image.size : refuse('MissingParameter', 'The request must contain the parameter size or snapshotId'));
  if (!volumeLimits[type]) invalidParameter(`Invalid value '${type}' for VolumeType.`);
  if (isRoot && volumeLimits[type]?.isDataOnly)
    invalidParameter(`Volume type '${type}' cannot be used for the root device '${DeviceName}'.`);
  if (isRoot && size < image.size)
    refuse(
      'InvalidBlockDeviceMapping',
      `Volume of size ${size}GB is smaller than snapshot '${image.id.replace('ami-', 'snap-')}', expect size >= ${image.size}GB`,
    );
  if ((type === 'io1' || type === 'io2') && !Ebs.Iops)
    refuse('MissingParameter', `The request must contain the parameter iops for volume type ${type}`);
  checkLimits(type, size, Ebs);
  if (Ebs.KmsKeyId && Ebs.Encrypted === false)
    refuse('InvalidParameterDependency', 'The parameter KmsKeyId requires the parameter Encrypted to be set.');
  return {
    id: newId(account.random, 'vol'),
    device: DeviceName,
    size,
    type,
    encrypted: Ebs.Encrypted ?? Ebs.KmsKeyId !== undefined,
    deleteOnTermination: Ebs.DeleteOnTermination ?? isRoot,
    tags: { ...tags },
  };
};

/**
 * The volumes of a launch: the image's root volume, modified and extended by the request's
 * mappings.
 */
export const volumesFor = (
  account: AccountState,
  image: ImageRecord,
  mappings: Mapping[],
  tags: Record<string, string>,
): InstanceVolume[] => {
  const root = rootDeviceOf(image);
  const names = mappings.map(({ DeviceName }) => DeviceName);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) refuse('InvalidBlockDeviceMapping', `The device '${twice}' is used in more than one block-device mapping`);
  const all = names.includes(root) ? mappings : [{ DeviceName: root, Ebs: { DeleteOnTermination: true } }, ...mappings];
  return all.map((mapping) => volumeFor(account, image, mapping, tags));
};

interface Volume extends InstanceVolume {
  seq: number;
  created: number;
  zone: string;
  instanceId: string;
  attaching: boolean;
}

export const volumesOf = (instance: InstanceRecord, now: number): Volume[] =>
  isGone(instance, now)
    ? []
    : instance.volumes.map((volume, index) => ({
        ...volume,
        seq: instance.seq + 0.5 + index / 1000,
        created: instance.created,
        zone: instance.zone,
        instanceId: instance.id,
        attaching: instanceState(instance, now) === 'pending',
      }));

const volumesOfRegion = (account: AccountState, region: string, now: number): Volume[] =>
  account.instances.by('region', region).flatMap((instance) => volumesOf(instance, now));

const fields: Fields<Volume> = {
  'volume-id': ({ id }) => [id],
  'attachment.instance-id': ({ instanceId }) => [instanceId],
  'attachment.device': ({ device }) => [device],
  'availability-zone': ({ zone }) => [zone],
  encrypted: ({ encrypted }) => [String(encrypted)],
  size: ({ size }) => [String(size)],
  status: () => ['in-use'],
  'volume-type': ({ type }) => [type],
};

const candidates = (
  { account, region, now }: Call,
  ids: string[] | undefined,
  filters: { Name: string; Values: string[] }[],
): Volume[] => {
  const owners = filters.find(({ Name }) => Name === 'attachment.instance-id')?.Values;
  const instances = owners
    ? owners.flatMap((id) => account.instances.get(id) ?? [])
    : ids?.flatMap((id) => account.instances.by('volume', id));
  if (!instances) return volumesOfRegion(account, region, now);
  const unique = new Map(
    instances.filter((instance) => instance.region === region).map((instance) => [instance.id, instance]),
  );
  return [...unique.values()].sort((a, b) => a.seq - b.seq).flatMap((instance) => volumesOf(instance, now));
};

export const volumeErrors = {
  ...idErrorsOf('vol', 'InvalidVolume', 'volume'),
  message: (ids: string) => `The volume '${ids}' does not exist.`,
};

export const checkVolumeId = (id: string): void => checkId(id, volumeErrors);

const view = (volume: Volume): CloudOutput<'DescribeVolumes'>['Volumes'][number] => ({
  VolumeId: volume.id,
  State: 'in-use',
  AvailabilityZone: volume.zone,
  Size: volume.size,
  Encrypted: volume.encrypted,
  Attachments: [{ InstanceId: volume.instanceId }],
  Tags: tagList(volume.tags),
});

export const volumeActions = {
  DescribeVolumes: (call, { VolumeIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: VolumeIds, filters: Filters, MaxResults, NextToken };
    const found = describeDerived(call, candidates(call, VolumeIds, Filters ?? []), volumeErrors, fields, question);
    return { Volumes: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },
} satisfies Handlers;
