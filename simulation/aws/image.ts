/** Machine images: the ones published for each Kubernetes version, made up when somebody asks, and those added by hand. */
import { createHash } from 'node:crypto';
import type { Filter, Image } from '../../kinds/ports/cloud.ts';
import type { Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { type Fields, matches } from './filters.ts';
import { checkId, words } from './naming.ts';
import { isRemoved } from './removed.ts';
import type { AccountState, Call, Handlers } from './state.ts';

export interface ImageRecord extends Stored {
  name: string;
  owner: string;
  architecture: 'x86_64' | 'arm64';
  /** Of the root volume, in GiB. */
  size: number;
  /** Such as v1.35.0, for a published one. */
  version?: string;
}

/** The account that publishes the AWS provider's images. */
export const publisher = '819546954734';
const rootDevice = '/dev/sda1';
const baseSystems = new Set(['ubuntu-24.04', 'ubuntu-22.04', 'flatcar-stable', 'amazon-2023', 'amazon-2', 'rhel-8']);
const oldestMinor = 22;
/** 2025-01-01; an image's stamp is this and some days by its minor version. */
const epoch = 1_735_689_600;

export const imageWords = {
  ...words('ami', 'InvalidAMIID', 'image id'),
  message: (ids: string) => `The image id '[${ids}]' does not exist`,
};

const wanted = /^capa-ami-(?<system>.+?)-(?:\?|v|\?v)?(?<version>1\.(?<minor>\d+)\.\d+(?:-[0-9A-Za-z.]+)?)-.+$/;

/** The published images that a name pattern is after. */
const publishedFor = (pattern: string, region: string): Omit<ImageRecord, 'seq' | 'created'>[] => {
  const { system, version, minor } = wanted.exec(pattern)?.groups ?? {};
  if (!system || !version || !baseSystems.has(system) || Number(minor) < oldestMinor) return [];
  const stamp = epoch + Number(minor) * 86_400 * 30;
  return (['x86_64', 'arm64'] as const).map((architecture, index) => ({
    id: `ami-${createHash('sha256').update([region, system, version, architecture].join('/')).digest('hex').slice(0, 17)}`,
    region,
    tags: {},
    name: `capa-ami-${system}-v${version}-${stamp + index}`,
    owner: publisher,
    architecture,
    size: 8,
    version: `v${version}`,
  }));
};

/** Remembers the images that a question is after, so that they can be launched by id. */
const publish = ({ account, region, now }: Call, filters: Filter[] | undefined): void => {
  for (const pattern of (filters ?? []).filter(({ Name }) => Name === 'name').flatMap(({ Values }) => Values))
    for (const image of publishedFor(pattern, region))
      if (!account.images.get(image.id)) account.images.put({ ...image, seq: account.nextSeq(), created: now });
};

export const isAvailable = (account: AccountState, image: ImageRecord): boolean =>
  !isRemoved(account, 'image', image.id) && !(image.version && isRemoved(account, 'image', image.version));

const stampOf = ({ name, created }: ImageRecord): number => {
  const stamp = Number(/-(\d{9,10})$/.exec(name)?.[1]);
  return Number.isNaN(stamp) ? created : stamp * 1000;
};

const view = (image: ImageRecord): Image => ({
  ImageId: image.id,
  Name: image.name,
  OwnerId: image.owner,
  State: 'available',
  Architecture: image.architecture,
  CreationDate: new Date(stampOf(image)).toISOString(),
  RootDeviceName: rootDevice,
  BlockDeviceMappings: [
    { DeviceName: rootDevice, Ebs: { VolumeSize: image.size, SnapshotId: image.id.replace('ami-', 'snap-') } },
    { DeviceName: '/dev/sdb' },
  ],
  VirtualizationType: 'hvm',
});

export const rootDeviceOf = (_image: ImageRecord): string => rootDevice;

const fields: Fields<ImageRecord> = {
  'image-id': ({ id }) => [id],
  name: ({ name }) => [name],
  'owner-id': ({ owner }) => [owner],
  architecture: ({ architecture }) => [architecture],
  state: () => ['available'],
  'virtualization-type': () => ['hvm'],
  'root-device-type': () => ['ebs'],
  'image-type': () => ['machine'],
  'is-public': () => ['true'],
};

export const imageActions = {
  DescribeImages: (call, { ImageIds, Owners, Filters }) => {
    const { account, region } = call;
    publish(call, Filters);
    for (const id of ImageIds ?? []) checkId(id, imageWords);
    const missing = (ImageIds ?? []).filter((id) => {
      const image = account.images.get(id);
      return !image || image.region !== region || !isAvailable(account, image);
    });
    if (missing.length > 0) refuse(imageWords.notFound, imageWords.message(missing.join(', ')));
    const owned = ({ owner }: ImageRecord) =>
      !Owners || Owners.includes(owner) || (Owners.includes('self') && owner === account.accountId);
    return {
      Images: account.images
        .by('region', region)
        .filter(
          (image) =>
            isAvailable(account, image) &&
            owned(image) &&
            (!ImageIds || ImageIds.includes(image.id)) &&
            matches(image, Filters, fields),
        )
        .map(view),
    };
  },
} satisfies Handlers;
