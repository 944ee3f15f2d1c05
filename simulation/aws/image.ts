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
/** When the oldest was released, and how long a minor version takes, in seconds: what an image's stamp is made of. */
const firstStamp = 1_628_035_200;
const secondsBetween = 122 * 86_400;

export const imageWords = {
  ...words('ami', 'InvalidAMIID', 'image id'),
  message: (ids: string) => `The image id '[${ids}]' does not exist`,
};

const wanted = /^capa-ami-(?<system>.+?)-(?:\?|v|\?v)?(?<version>1\.(?<minor>\d+)\.\d+(?:-[0-9A-Za-z.]+)?)-.+$/;

const canonical = '099720109477';
const ubuntu =
  /^ubuntu\/images\/(?<store>hvm-ssd(?:-gp3)?)\/(?<release>ubuntu-(?:focal-20\.04|jammy-22\.04|noble-24\.04))-(?:amd64|arm64|\*)-server-/;

type Published = Omit<ImageRecord, 'seq' | 'created'>;

const imageId = (...facts: string[]): string =>
  `ami-${createHash('sha256').update(facts.join('/')).digest('hex').slice(0, 17)}`;

/** Plain Ubuntu, as bastions run it. */
const ubuntuFor = (pattern: string, region: string): Published[] => {
  const { store, release } = ubuntu.exec(pattern)?.groups ?? {};
  if (!store || !release) return [];
  return (['x86_64', 'arm64'] as const).map((architecture) => ({
    id: imageId(region, store, release, architecture),
    region,
    tags: {},
    name: `ubuntu/images/${store}/${release}-${architecture === 'arm64' ? 'arm64' : 'amd64'}-server-20251001`,
    owner: canonical,
    architecture,
    size: 8,
  }));
};

/** The published images that a name pattern is after. */
const publishedFor = (pattern: string, region: string): Published[] => {
  const { system, version, minor } = wanted.exec(pattern)?.groups ?? {};
  if (!system || !version || !baseSystems.has(system) || Number(minor) < oldestMinor) return ubuntuFor(pattern, region);
  const stamp = firstStamp + (Number(minor) - oldestMinor) * secondsBetween;
  return (['x86_64', 'arm64'] as const).map((architecture, index) => ({
    id: imageId(region, system, version, architecture),
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
