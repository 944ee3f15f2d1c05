/** Machine images: published ones per Kubernetes version, generated on demand, and added ones. */
import { createHash } from 'node:crypto';
import { lastReleaseBefore } from '../../kinds/components/releases.ts';
import type { Filter, Image } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { type Fields, matches } from './filters.ts';
import { checkId, idErrorsOf } from './naming.ts';
import { isRemoved } from './removed.ts';
import type { AccountState, Call, Handlers } from './state.ts';

export interface ImageRecord extends Stored {
  name: string;
  owner: string;
  architecture: 'x86_64' | 'arm64';
  /** Size of the root volume in GiB. */
  size: number;
  /** Of a published image, such as v1.35.0. */
  version?: string;
  /** When it was published, in milliseconds; absent = when it was created. */
  released?: number;
}

export const images: CollectionOf<ImageRecord> = {
  name: 'images',
};

/** The account that publishes the AWS provider's images. */
export const publisher = '819546954734';
const rootDevice = '/dev/sda1';
const baseSystems = new Set(['ubuntu-24.04', 'ubuntu-22.04', 'flatcar-stable', 'amazon-2023', 'amazon-2', 'rhel-8']);
const oldestMinor = 22;
const day = 86_400_000;
/**
 * The date of the first release, and the interval between minor versions in milliseconds: an
 * image's timestamp derives from these.
 */
const firstRelease = Date.UTC(2021, 7, 4);
const releaseTime = 122 * day;
/**
 * How many days before the newest build of an image each build was published, in no particular
 * order.
 */
const builds = [14, 0, 28];

export const imageErrors = {
  ...idErrorsOf('ami', 'InvalidAMIID', 'image id'),
  message: (ids: string) => `The image id '[${ids}]' does not exist`,
};

const wanted = /^capa-ami-(?<system>.+?)-(?:\?|v|\?v)?(?<version>1\.(?<minor>\d+)\.\d+(?:-[0-9A-Za-z.]+)?)-.+$/;

const canonical = '099720109477';
const ubuntu =
  /^ubuntu\/images\/(?<store>hvm-ssd(?:-gp3)?)\/(?<release>ubuntu-(?:focal-20\.04|jammy-22\.04|noble-24\.04))-(?:amd64|arm64|\*)-server-/;

type Published = Omit<ImageRecord, 'seq' | 'created'>;

const imageId = (...facts: string[]): string =>
  `ami-${createHash('sha256').update(facts.join('/')).digest('hex').slice(0, 17)}`;

interface Release {
  owner: string;
  version?: string;
  /** When its newest build was published, in milliseconds. */
  newest: number;
  nameOf: (architecture: ImageRecord['architecture'], released: number) => string;
}

/** `facts`: the input of the image id. */
const imagesOf = (region: string, facts: readonly string[], { owner, version, newest, nameOf }: Release): Published[] =>
  (['x86_64', 'arm64'] as const).flatMap((architecture) =>
    builds.map((days) => {
      const released = newest - days * day;
      return {
        id: imageId(region, ...facts, architecture, ...(days ? [String(days)] : [])),
        region,
        tags: {},
        name: nameOf(architecture, released),
        owner,
        architecture,
        size: 8,
        released,
        ...(version ? { version } : {}),
      };
    }),
  );

/** Plain Ubuntu, the bastion's image. */
const ubuntuFor = (pattern: string, region: string): Published[] => {
  const { store, release } = ubuntu.exec(pattern)?.groups ?? {};
  if (!store || !release) return [];
  return imagesOf(region, [store, release], {
    owner: canonical,
    newest: Date.UTC(2025, 9, 1),
    nameOf: (architecture, released) => {
      const date = new Date(released).toISOString().slice(0, 10).replaceAll('-', '');
      return `ubuntu/images/${store}/${release}-${architecture === 'arm64' ? 'arm64' : 'amd64'}-server-${date}`;
    },
  });
};

/** The published images that match a name pattern. */
const publishedFor = (pattern: string, region: string): Published[] => {
  const { system, version, minor } = wanted.exec(pattern)?.groups ?? {};
  if (!system || !version || !baseSystems.has(system) || Number(minor) < oldestMinor) return ubuntuFor(pattern, region);
  if (lastReleaseBefore(`v${version}`) !== undefined) return [];
  return imagesOf(region, [system, version], {
    owner: publisher,
    version: `v${version}`,
    newest: firstRelease + (Number(minor) - oldestMinor) * releaseTime,
    nameOf: (_architecture, released) => `capa-ami-${system}-v${version}-${released / 1000}`,
  });
};

/** Registers the images that a query matches, so that they can be launched by id. */
const publish = ({ account, region, now }: Call, filters: Filter[] | undefined): void => {
  for (const pattern of (filters ?? []).filter(({ Name }) => Name === 'name').flatMap(({ Values }) => Values))
    for (const image of publishedFor(pattern, region))
      if (!account.images.get(image.id)) account.images.put({ ...image, seq: account.nextSeq(), created: now });
};

export const isAvailable = (account: AccountState, image: ImageRecord): boolean =>
  !isRemoved(account, 'image', image.id) && !(image.version && isRemoved(account, 'image', image.version));

const view = (image: ImageRecord): Image => ({
  ImageId: image.id,
  Name: image.name,
  OwnerId: image.owner,
  State: 'available',
  Architecture: image.architecture,
  CreationDate: new Date(image.released ?? image.created).toISOString(),
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
    for (const id of ImageIds ?? []) checkId(id, imageErrors);
    const missing = (ImageIds ?? []).filter((id) => {
      const image = account.images.get(id);
      return !image || image.region !== region || !isAvailable(account, image);
    });
    if (missing.length > 0) refuse(imageErrors.notFound, imageErrors.message(missing.join(', ')));
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
