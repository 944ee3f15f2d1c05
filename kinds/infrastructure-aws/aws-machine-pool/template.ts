/** The launch template that a pool asks for. Pure. */
import type { Image, LaunchTemplateData, LaunchTemplateVersion } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { marketOptions } from '../aws-machine/market.ts';
import { launchOptions, noMetadata } from '../aws-machine/request.ts';
import type { AWSMachineSpec } from '../aws-machine/schema.ts';
import { digest, tagSpecifications } from '../engine/tags.ts';
import type { NotedImage } from './note.ts';
import type { AWSMachinePoolSpec } from './schema.ts';

/** The type of the template; a mixed policy chooses among its own. */
export const typeOf = ({ awsLaunchTemplate, mixedInstancesPolicy }: AWSMachinePoolSpec): string =>
  awsLaunchTemplate.instanceType || (mixedInstancesPolicy?.overrides?.[0]?.instanceType ?? '');

/** The template as the spec of a machine, which the rules for launches understand. */
export const asMachineSpec = (spec: AWSMachinePoolSpec): AWSMachineSpec => {
  const { enclaveOptions: _, name: __, versionNumber: ___, ...template } = spec.awsLaunchTemplate;
  return {
    ...template,
    instanceType: typeOf(spec),
    ...(spec.additionalTags && { additionalTags: spec.additionalTags }),
  };
};

export interface Ingredients {
  spec: AWSMachinePoolSpec;
  awsCluster: AWSCluster;
  image: NotedImage;
  groups: readonly string[];
  /** Of the instances and what is launched with them. */
  tags: Record<string, string>;
  /** Every subnet has IPv6. */
  ipv6: boolean;
}

/** Without user data; or what is missing. */
export const templateData = (of: Ingredients): Omit<LaunchTemplateData, 'UserData'> | string => {
  const { spec, awsCluster, image, groups, tags, ipv6 } = of;
  const machine = asMachineSpec(spec);
  if (machine.instanceMetadataOptions?.httpEndpoint === 'disabled')
    return `spec.awsLaunchTemplate.instanceMetadataOptions.httpEndpoint: ${noMetadata}`;
  const root = { DeviceName: image.root, Ebs: { VolumeSize: image.size } };
  const options = launchOptions(machine, awsCluster, {
    ImageId: image.id,
    RootDeviceName: image.root,
    BlockDeviceMappings: [root],
  });
  if (typeof options === 'string') return options;
  return {
    ...options,
    // A mixed policy has a market of its own.
    ...(!spec.mixedInstancesPolicy && marketOptions(machine)),
    ...(spec.awsLaunchTemplate.enclaveOptions?.enabled && { EnclaveOptions: { Enabled: true } }),
    ...(ipv6
      ? { NetworkInterfaces: [{ DeviceIndex: 0, Groups: [...groups], Ipv6AddressCount: 1 }] }
      : { SecurityGroupIds: [...groups] }),
    TagSpecifications: ['instance', 'volume', 'network-interface'].flatMap((type) => tagSpecifications(type, tags)),
  };
};

export const notedImage = (key: string, { ImageId, RootDeviceName, BlockDeviceMappings }: Image): NotedImage => ({
  key,
  id: ImageId,
  root: RootDeviceName,
  size: BlockDeviceMappings.find(({ DeviceName }) => DeviceName === RootDeviceName)?.Ebs?.VolumeSize ?? 0,
});

/**
 * What instances are replaced for: every field of the template, and the name of the bootstrap data. The
 * data itself changes with each token.
 */
export const rollOf = (data: Omit<LaunchTemplateData, 'UserData'>, dataSecretName: string): string =>
  digest(32, JSON.stringify(data), dataSecretName);

const mark = 'capstan';
/** Tells what a version was made from. */
export const descriptionOf = (roll: string, userData: string): string => `${mark} ${roll} ${digest(16, userData)}`;

/** Undefined for a version that another program made. */
export const rollIn = ({ VersionDescription = '' }: LaunchTemplateVersion): string | undefined => {
  const [by, roll] = VersionDescription.split(' ');
  return by === mark ? roll : undefined;
};
