/** Decoders of launch templates and their versions. */
import type * as sdk from '@aws-sdk/client-ec2';
import type * as port from '../../../kinds/ports/cloud/index.ts';
import { flag, listIfAny, number, optional, record, text, textIfAny } from './decode.ts';
import { tags } from './ec2-shapes.ts';

type Data = port.LaunchTemplateData;
type Field<K extends keyof Data> = NonNullable<Data[K]>;
type Mapping = Field<'BlockDeviceMappings'>[number];
type Interface = Field<'NetworkInterfaces'>[number];
type Reservation = Field<'CapacityReservationSpecification'>;
type Market = Field<'InstanceMarketOptions'>;
type SpotOptions = Extract<Market, { MarketType: 'spot' }>['SpotOptions'];

const networkInterface = record<sdk.LaunchTemplateInstanceNetworkInterfaceSpecification, Interface>({
  DeviceIndex: number,
  NetworkInterfaceId: textIfAny,
  SubnetId: textIfAny,
  Groups: listIfAny(text),
  PrivateIpAddress: textIfAny,
  Ipv6AddressCount: optional(number),
  PrimaryIpv6: optional(flag),
  AssociatePublicIpAddress: optional(flag),
  AssociateCarrierIpAddress: optional(flag),
  InterfaceType: textIfAny,
});

const blockDevice = record<sdk.LaunchTemplateBlockDeviceMapping, Mapping>({
  DeviceName: text,
  Ebs: record<sdk.LaunchTemplateEbsBlockDevice, Mapping['Ebs']>({
    VolumeSize: optional(number),
    VolumeType: textIfAny,
    Iops: optional(number),
    Throughput: optional(number),
    Encrypted: optional(flag),
    KmsKeyId: textIfAny,
    DeleteOnTermination: optional(flag),
  }),
});

const spotOptions = record<sdk.LaunchTemplateSpotMarketOptions, SpotOptions>({
  SpotInstanceType: text,
  InstanceInterruptionBehavior: text,
  MaxPrice: textIfAny,
});
const market = ({ MarketType, SpotOptions }: sdk.LaunchTemplateInstanceMarketOptions = {}): Market =>
  MarketType === 'spot' ? { MarketType, SpotOptions: spotOptions(SpotOptions) } : { MarketType: 'capacity-block' };

/** IAM accepts either. */
const profile = ({ Name, Arn }: sdk.LaunchTemplateIamInstanceProfileSpecification = {}): Field<'IamInstanceProfile'> =>
  Arn ? { Arn } : { Name: Name ?? '' };

const data = record<sdk.ResponseLaunchTemplateData, Data>({
  ImageId: textIfAny,
  InstanceType: textIfAny,
  UserData: textIfAny,
  SecurityGroupIds: listIfAny(text),
  KeyName: textIfAny,
  EbsOptimized: optional(flag),
  IamInstanceProfile: optional(profile),
  BlockDeviceMappings: listIfAny(blockDevice),
  NetworkInterfaces: listIfAny(networkInterface),
  MetadataOptions: optional(
    record<sdk.LaunchTemplateInstanceMetadataOptions, Field<'MetadataOptions'>>({
      HttpTokens: textIfAny,
      HttpEndpoint: textIfAny,
      HttpPutResponseHopLimit: optional(number),
      InstanceMetadataTags: textIfAny,
      HttpProtocolIpv6: textIfAny,
    }),
  ),
  Placement: optional(
    record<sdk.LaunchTemplatePlacement, Field<'Placement'>>({
      Tenancy: textIfAny,
      GroupName: textIfAny,
      PartitionNumber: optional(number),
      AvailabilityZone: textIfAny,
    }),
  ),
  CpuOptions: optional(
    record<sdk.LaunchTemplateCpuOptions, Field<'CpuOptions'>>({
      AmdSevSnp: textIfAny,
      NestedVirtualization: textIfAny,
    }),
  ),
  PrivateDnsNameOptions: optional(
    record<sdk.LaunchTemplatePrivateDnsNameOptions, Field<'PrivateDnsNameOptions'>>({
      HostnameType: textIfAny,
      EnableResourceNameDnsARecord: optional(flag),
      EnableResourceNameDnsAAAARecord: optional(flag),
    }),
  ),
  InstanceMarketOptions: optional(market),
  CapacityReservationSpecification: optional(
    record<sdk.LaunchTemplateCapacityReservationSpecificationResponse, Reservation>({
      CapacityReservationPreference: textIfAny,
      CapacityReservationTarget: optional(
        record<sdk.CapacityReservationTargetResponse, NonNullable<Reservation['CapacityReservationTarget']>>({
          CapacityReservationId: text,
        }),
      ),
    }),
  ),
  EnclaveOptions: optional(record<sdk.LaunchTemplateEnclaveOptions, { Enabled: boolean }>({ Enabled: flag })),
  TagSpecifications: listIfAny(
    record<sdk.LaunchTemplateTagSpecification, { ResourceType: string; Tags: port.Tag[] }>({
      ResourceType: text,
      Tags: tags,
    }),
  ),
});

export const launchTemplate = record<sdk.LaunchTemplate, port.LaunchTemplate>({
  LaunchTemplateId: text,
  LaunchTemplateName: text,
  DefaultVersionNumber: number,
  LatestVersionNumber: number,
  Tags: tags,
});

export const launchTemplateVersion = record<sdk.LaunchTemplateVersion, port.LaunchTemplateVersion>({
  LaunchTemplateId: text,
  VersionNumber: number,
  VersionDescription: textIfAny,
  DefaultVersion: flag,
  LaunchTemplateData: data,
});

type Undeleted =
  port.CloudOutput<'DeleteLaunchTemplateVersions'>['UnsuccessfullyDeletedLaunchTemplateVersions'][number];
export const undeletedVersion = record<sdk.DeleteLaunchTemplateVersionsResponseErrorItem, Undeleted>({
  VersionNumber: number,
  ResponseError: record<sdk.ResponseError, Undeleted['ResponseError']>({ Code: text, Message: text }),
});
