/** Builds the RunInstances request of a machine. */

import type { Image, RunInstancesInput } from '../../ports/cloud/index.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { additional, cloudProviderTag, machineNameTag, type Owner, tagSpecifications, tagsOf } from '../engine/tags.ts';
import type { Role } from '../network/security-rules.ts';
import type { Batch } from './batch.ts';
import { marketOptions, reservation } from './market.ts';
import type { Place } from './placement.ts';
import type { AWSMachine, AWSMachineSpec } from './schema.ts';

/** The uid of the AWSMachine, by which the controller finds and adopts the instance. */
export const machineUidTag = 'capstan.dev/machine-uid';

/**
 * Of an instance that was launched together with others: uid and name of the AWSMachine that made
 * the call. Only this names its owner until it carries its own machine's tags.
 */
export const batchTag = 'capstan.dev/launched-by-uid';
export const batchNameTag = 'capstan.dev/launched-by';

/** The request without token and user data, which belong to an attempt. */
export type LaunchRequest = Omit<RunInstancesInput, 'ClientToken' | 'UserData'>;

/** What a launch needs to know of its image. */
export type LaunchImage = Pick<Image, 'ImageId' | 'RootDeviceName' | 'BlockDeviceMappings'>;

export const machineTags = (
  owner: Owner,
  { metadata, spec }: AWSMachine,
  controlPlane: boolean,
): Record<string, string> =>
  tagsOf(owner, {
    name: metadata.name,
    role: controlPlane ? 'control-plane' : 'node',
    more: {
      ...additional(spec?.additionalTags ?? {}, owner.clusterName),
      [cloudProviderTag(owner.clusterName)]: 'owned',
      [machineNameTag]: `${metadata.namespace}/${metadata.name}`,
      [machineUidTag]: metadata.uid ?? '',
    },
  });

/** Tags that all instances of a call carry, as do the parts launched with them. */
const batchTags = (owner: Owner, { metadata, spec }: AWSMachine, { first, firstUid }: Batch): Record<string, string> =>
  tagsOf(owner, {
    name: `${owner.clusterName}-node`,
    role: 'node',
    more: {
      ...additional(spec?.additionalTags ?? {}, owner.clusterName),
      [cloudProviderTag(owner.clusterName)]: 'owned',
      [batchNameTag]: `${metadata.namespace}/${first}`,
      [batchTag]: firstUid,
    },
  });

/** Ids, or the filters that match nothing. */
export type NamedGroups = readonly string[] | { missing: string };

/** Security groups of a machine's roles, then those that its spec names; or what is missing. */
export const securityGroupIds = (
  { spec }: { spec?: Pick<AWSMachineSpec, 'securityGroupOverrides'> },
  { status }: AWSCluster,
  controlPlane: boolean,
  additional: NamedGroups,
): { ids: string[] } | { missing: string } => {
  if ('missing' in additional) return { missing: `no security group matches ${additional.missing}` };
  const roles: Role[] = controlPlane ? ['node', 'lb', 'controlplane'] : ['node', 'lb'];
  const ids: string[] = [];
  for (const role of roles) {
    const id = spec?.securityGroupOverrides?.[role] ?? status?.networkStatus?.securityGroups?.[role]?.id;
    if (!id) return { missing: `the cluster has no ${role} security group` };
    ids.push(id);
  }
  return { ids: [...new Set([...ids, ...additional])] };
};

/** EC2 accepts no other metadata option together with it, either. */
export const noMetadata = 'without metadata no machine reads what to boot with: set it to enabled';

export const launchRequest = ({
  awsMachine,
  awsCluster,
  owner,
  controlPlane,
  image,
  place,
  groups,
  onDemand = false,
  batch,
  address,
}: {
  awsMachine: AWSMachine;
  awsCluster: AWSCluster;
  owner: Owner;
  controlPlane: boolean;
  image: Image;
  place: Place;
  groups: string[];
  /** Its fallback from the spot market. */
  onDemand?: boolean;
  batch?: Batch | undefined;
  /** The fixed private address. */
  address?: string | undefined;
}): LaunchRequest | string => {
  const spec = awsMachine.spec!;
  if (spec.instanceMetadataOptions?.httpEndpoint === 'disabled')
    return `spec.instanceMetadataOptions.httpEndpoint: ${noMetadata}`;
  if (spec.assignPrimaryIPv6 === 'enabled' && !place.ipv6 && !spec.networkInterfaces?.length)
    return `spec.assignPrimaryIPv6: subnet ${place.subnetId} does not have IPv6 enabled`;
  const options = launchOptions(spec, awsCluster, image);
  if (typeof options === 'string') return options;
  const tags = batch ? batchTags(owner, awsMachine, batch) : machineTags(owner, awsMachine, controlPlane);
  return {
    MinCount: batch?.count ?? 1,
    MaxCount: batch?.count ?? 1,
    ...interfaces(spec, place, groups, address),
    ...options,
    ...(!onDemand && marketOptions(spec)),
    TagSpecifications: madeWith(spec).flatMap((type) => tagSpecifications(type, tags)),
  };
};

/** What does not depend on the place, the number and the market; or what is missing. */
export const launchOptions = (spec: AWSMachineSpec, awsCluster: AWSCluster, image: LaunchImage) => {
  const volumes = blockDevices(spec, image);
  if (typeof volumes === 'string') return volumes;
  const key = spec.sshKeyName ?? awsCluster.spec?.sshKeyName;
  const placement = placementOf(spec);
  return {
    ImageId: image.ImageId,
    InstanceType: spec.instanceType,
    ...(key && { KeyName: key }),
    ...(spec.iamInstanceProfile && { IamInstanceProfile: { Name: spec.iamInstanceProfile } }),
    BlockDeviceMappings: volumes,
    MetadataOptions: metadataOptions(spec),
    ...(placement && { Placement: placement }),
    ...cpuOptions(spec),
    ...privateDnsName(spec),
    ...reservation(spec),
  };
};

/** EC2 refuses tag specifications for resources that a launch does not create. */
const madeWith = ({ networkInterfaces }: AWSMachineSpec): string[] => [
  'instance',
  'volume',
  ...(networkInterfaces?.length ? [] : ['network-interface']),
];

const interfaces = (
  { networkInterfaces, networkInterfaceType, publicIP, elasticIpPool, assignPrimaryIPv6 }: AWSMachineSpec,
  { subnetId, carrier, ipv6 }: Place,
  groups: string[],
  address: string | undefined,
): Pick<
  RunInstancesInput,
  'NetworkInterfaces' | 'SubnetId' | 'SecurityGroupIds' | 'PrivateIpAddress' | 'Ipv6AddressCount' | 'EnablePrimaryIpv6'
> => {
  if (networkInterfaces?.length)
    return {
      NetworkInterfaces: networkInterfaces.map((id, index) => ({ DeviceIndex: index, NetworkInterfaceId: id })),
    };
  // An Elastic IP from the pool comes later, so the launch assigns no public address.
  const assigned = elasticIpPool ? false : publicIP;
  const fixed = address === undefined ? {} : { PrivateIpAddress: address };
  const count = ipv6 ? { Ipv6AddressCount: 1 } : {};
  const isPrimary = ipv6 && assignPrimaryIPv6 === 'enabled';
  if (assigned === undefined && networkInterfaceType !== 'efa')
    return {
      SubnetId: subnetId,
      SecurityGroupIds: groups,
      ...fixed,
      ...count,
      ...(isPrimary && { EnablePrimaryIpv6: true }),
    };
  return {
    NetworkInterfaces: [
      {
        DeviceIndex: 0,
        SubnetId: subnetId,
        Groups: groups,
        ...fixed,
        ...count,
        ...(isPrimary && { PrimaryIpv6: true }),
        ...(assigned !== undefined && {
          [carrier ? 'AssociateCarrierIpAddress' : 'AssociatePublicIpAddress']: assigned,
        }),
        ...(networkInterfaceType === 'efa' && { InterfaceType: 'efa' }),
      },
    ],
  };
};

type Volume = NonNullable<AWSMachineSpec['rootVolume']>;
type Devices = NonNullable<RunInstancesInput['BlockDeviceMappings']>;

const ebs = ({ size, type, iops, throughput, encrypted, encryptionKey }: Partial<Volume>): Devices[number]['Ebs'] => ({
  DeleteOnTermination: true,
  Encrypted: Boolean(encryptionKey) || (encrypted ?? true),
  ...(size && { VolumeSize: size }),
  ...(type && { VolumeType: type }),
  ...(iops && { Iops: iops }),
  ...(throughput && { Throughput: throughput }),
  ...(encryptionKey && { KmsKeyId: encryptionKey }),
});

const blockDevices = ({ rootVolume, nonRootVolumes = [] }: AWSMachineSpec, image: LaunchImage): Devices | string => {
  const root = image.BlockDeviceMappings.find(({ DeviceName }) => DeviceName === image.RootDeviceName);
  const least = root?.Ebs?.VolumeSize ?? 0;
  if (rootVolume && rootVolume.size < least)
    return `root volume size (${rootVolume.size}) must be greater than or equal to snapshot size (${least})`;
  return [
    // EC2 defaults to the image's size, but other implementations of its API need it explicitly.
    { DeviceName: image.RootDeviceName, Ebs: ebs(rootVolume ?? { size: least }) },
    ...nonRootVolumes.map((volume) => ({ DeviceName: volume.deviceName ?? '', Ebs: ebs(volume) })),
  ];
};

export const metadataOptions = ({
  instanceMetadataOptions: given,
}: AWSMachineSpec): NonNullable<RunInstancesInput['MetadataOptions']> => ({
  HttpEndpoint: given?.httpEndpoint ?? 'enabled',
  HttpTokens: given?.httpTokens ?? 'required',
  HttpPutResponseHopLimit: given?.httpPutResponseHopLimit ?? 1,
  InstanceMetadataTags: given?.instanceMetadataTags ?? 'disabled',
  ...(given?.httpProtocolIpv6 === 'enabled' && { HttpProtocolIpv6: 'enabled' }),
});

const placementOf = (spec: AWSMachineSpec): RunInstancesInput['Placement'] | undefined => {
  const placement = {
    ...(spec.tenancy && spec.tenancy !== 'host' && { Tenancy: spec.tenancy }),
    ...(spec.placementGroupName && { GroupName: spec.placementGroupName }),
    ...(spec.placementGroupPartition && { PartitionNumber: spec.placementGroupPartition }),
  };
  return Object.keys(placement).length ? placement : undefined;
};

const cpuOptions = ({ cpuOptions: given }: AWSMachineSpec): Pick<RunInstancesInput, 'CpuOptions'> => {
  const { confidentialCompute, nestedVirtualization } = given ?? {};
  if (!confidentialCompute && !nestedVirtualization) return {};
  return {
    CpuOptions: {
      ...(confidentialCompute && { AmdSevSnp: confidentialCompute === 'Disabled' ? 'disabled' : 'enabled' }),
      ...(nestedVirtualization && { NestedVirtualization: nestedVirtualization }),
    },
  };
};

const privateDnsName = ({ privateDnsName: given }: AWSMachineSpec): Pick<RunInstancesInput, 'PrivateDnsNameOptions'> =>
  given
    ? {
        PrivateDnsNameOptions: {
          ...(given.hostnameType && { HostnameType: given.hostnameType }),
          ...(given.enableResourceNameDnsARecord !== undefined && {
            EnableResourceNameDnsARecord: given.enableResourceNameDnsARecord,
          }),
          ...(given.enableResourceNameDnsAAAARecord !== undefined && {
            EnableResourceNameDnsAAAARecord: given.enableResourceNameDnsAAAARecord,
          }),
        },
      }
    : {};
