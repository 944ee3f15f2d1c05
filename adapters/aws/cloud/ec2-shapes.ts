/** Decoders of EC2's resources. */
import type * as sdk from '@aws-sdk/client-ec2';
import type * as port from '../../../kinds/ports/cloud/index.ts';
import { type Decode, flag, list, listIfAny, number, optional, record, text, textIfAny, time } from './decode.ts';

export const tags = list(record<sdk.Tag, port.Tag>({ Key: text, Value: text }));

export const vpc = record<sdk.Vpc, port.Vpc>({
  VpcId: text,
  OwnerId: optional(text),
  State: text,
  CidrBlock: text,
  CidrBlockAssociationSet: list(
    record<sdk.VpcCidrBlockAssociation, port.Vpc['CidrBlockAssociationSet'][number]>({
      AssociationId: text,
      CidrBlock: text,
      CidrBlockState: record({ State: text }),
    }),
  ),
  Ipv6CidrBlockAssociationSet: listIfAny(
    record<sdk.VpcIpv6CidrBlockAssociation, port.Ipv6Association>({
      AssociationId: text,
      Ipv6CidrBlock: text,
      Ipv6CidrBlockState: record({ State: text }),
      Ipv6Pool: textIfAny,
    }),
  ),
  IsDefault: flag,
  Tags: tags,
});

export const subnet = record<sdk.Subnet, port.Subnet>({
  SubnetId: text,
  VpcId: text,
  State: text,
  CidrBlock: text,
  AvailabilityZone: text,
  AvailableIpAddressCount: number,
  MapPublicIpOnLaunch: flag,
  Ipv6CidrBlockAssociationSet: listIfAny(
    record<sdk.SubnetIpv6CidrBlockAssociation, port.SubnetIpv6Association>({
      AssociationId: text,
      Ipv6CidrBlock: text,
      Ipv6CidrBlockState: record({ State: text }),
    }),
  ),
  AssignIpv6AddressOnCreation: optional(flag),
  EnableDns64: optional(flag),
  PrivateDnsNameOptionsOnLaunch: record<
    sdk.PrivateDnsNameOptionsOnLaunch,
    port.Subnet['PrivateDnsNameOptionsOnLaunch']
  >({ HostnameType: text }),
  Tags: tags,
});

export const availabilityZone = record<sdk.AvailabilityZone, port.AvailabilityZone>({
  ZoneName: text,
  ZoneId: text,
  ZoneType: text,
  State: text,
  RegionName: text,
  ParentZoneName: textIfAny,
});

export const region = record<sdk.Region, port.Region>({ RegionName: text, OptInStatus: text });

export const internetGateway = record<sdk.InternetGateway, port.InternetGateway>({
  InternetGatewayId: text,
  Attachments: list(
    record<sdk.InternetGatewayAttachment, port.InternetGateway['Attachments'][number]>({ VpcId: text, State: text }),
  ),
  Tags: tags,
});

export const carrierGateway = record<sdk.CarrierGateway, port.CarrierGateway>({
  CarrierGatewayId: text,
  VpcId: text,
  State: text,
  Tags: tags,
});

export const egressOnlyInternetGateway = record<sdk.EgressOnlyInternetGateway, port.EgressOnlyInternetGateway>({
  EgressOnlyInternetGatewayId: text,
  Attachments: list(
    record<sdk.InternetGatewayAttachment, port.EgressOnlyInternetGateway['Attachments'][number]>({
      VpcId: text,
      State: text,
    }),
  ),
  Tags: tags,
});

export const natGateway = record<sdk.NatGateway, port.NatGateway>({
  NatGatewayId: text,
  VpcId: text,
  SubnetId: text,
  State: text,
  FailureCode: textIfAny,
  FailureMessage: textIfAny,
  NatGatewayAddresses: list(
    record<sdk.NatGatewayAddress, port.NatGateway['NatGatewayAddresses'][number]>({
      AllocationId: text,
      PublicIp: textIfAny,
      PrivateIp: textIfAny,
      NetworkInterfaceId: textIfAny,
    }),
  ),
  Tags: tags,
});

export const address = record<sdk.Address, port.Address>({
  AllocationId: text,
  PublicIp: text,
  AssociationId: textIfAny,
  InstanceId: textIfAny,
  NetworkInterfaceId: textIfAny,
  Tags: tags,
});

const route = record<sdk.Route, port.Route>({
  DestinationCidrBlock: textIfAny,
  DestinationIpv6CidrBlock: textIfAny,
  GatewayId: textIfAny,
  NatGatewayId: textIfAny,
  CarrierGatewayId: textIfAny,
  EgressOnlyInternetGatewayId: textIfAny,
  State: text,
});
// Routes to prefix lists, such as a gateway endpoint's, are not in the port.
const routes: Decode<sdk.Route[], port.Route[]> = (values) =>
  (values ?? [])
    .filter(({ DestinationCidrBlock, DestinationIpv6CidrBlock }) => DestinationCidrBlock || DestinationIpv6CidrBlock)
    .map(route);

export const routeTable = record<sdk.RouteTable, port.RouteTable>({
  RouteTableId: text,
  VpcId: text,
  Routes: routes,
  Associations: list(
    record<sdk.RouteTableAssociation, port.RouteTable['Associations'][number]>({
      RouteTableAssociationId: text,
      SubnetId: textIfAny,
      Main: flag,
    }),
  ),
  Tags: tags,
});

export const vpcEndpoint = record<sdk.VpcEndpoint, port.VpcEndpoint>({
  VpcEndpointId: text,
  VpcId: text,
  ServiceName: text,
  // The API reference capitalises states that the API returns in lower case.
  State: (state) => text(state).toLowerCase(),
  RouteTableIds: list(text),
  Tags: tags,
});

const permission = record<sdk.IpPermission, port.IpPermission>({
  IpProtocol: text,
  FromPort: optional(number),
  ToPort: optional(number),
  IpRanges: listIfAny(
    record<sdk.IpRange, NonNullable<port.IpPermission['IpRanges']>[number]>({ CidrIp: text, Description: textIfAny }),
  ),
  Ipv6Ranges: listIfAny(
    record<sdk.Ipv6Range, NonNullable<port.IpPermission['Ipv6Ranges']>[number]>({
      CidrIpv6: text,
      Description: textIfAny,
    }),
  ),
  UserIdGroupPairs: listIfAny(
    record<sdk.UserIdGroupPair, NonNullable<port.IpPermission['UserIdGroupPairs']>[number]>({
      GroupId: text,
      Description: textIfAny,
    }),
  ),
});
// A rule with only a prefix list would look like a rule without a source, which no call can name.
const permissions: Decode<sdk.IpPermission[], port.IpPermission[]> = (values) =>
  (values ?? [])
    .map(permission)
    .filter(({ IpRanges, Ipv6Ranges, UserIdGroupPairs }) => IpRanges ?? Ipv6Ranges ?? UserIdGroupPairs);

export const securityGroup = record<sdk.SecurityGroup, port.SecurityGroup>({
  GroupId: text,
  GroupName: text,
  Description: text,
  VpcId: text,
  IpPermissions: permissions,
  IpPermissionsEgress: permissions,
  Tags: tags,
});

type NetworkInterface = port.CloudOutput<'DescribeNetworkInterfaces'>['NetworkInterfaces'][number];
const group = record<sdk.GroupIdentifier, { GroupId: string }>({ GroupId: text });
export const networkInterface = record<sdk.NetworkInterface, NetworkInterface>({
  NetworkInterfaceId: text,
  VpcId: text,
  SubnetId: text,
  Status: text,
  Description: textIfAny,
  Groups: list(group),
  Attachment: optional(
    record<sdk.NetworkInterfaceAttachment, NonNullable<NetworkInterface['Attachment']>>({ InstanceId: textIfAny }),
  ),
  TagSet: tags,
});

export const image = record<sdk.Image, port.Image>({
  ImageId: text,
  Name: text,
  OwnerId: text,
  State: text,
  Architecture: text,
  CreationDate: text,
  RootDeviceName: text,
  BlockDeviceMappings: list(
    record<sdk.BlockDeviceMapping, port.Image['BlockDeviceMappings'][number]>({
      DeviceName: text,
      Ebs: optional(
        record<sdk.EbsBlockDevice, NonNullable<port.Image['BlockDeviceMappings'][number]['Ebs']>>({
          VolumeSize: optional(number),
          SnapshotId: textIfAny,
        }),
      ),
    }),
  ),
  VirtualizationType: text,
});

type Gpus = NonNullable<port.InstanceTypeInfo['GpuInfo']>;
export const instanceType = record<sdk.InstanceTypeInfo, port.InstanceTypeInfo>({
  InstanceType: text,
  VCpuInfo: record({ DefaultVCpus: number }),
  MemoryInfo: record({ SizeInMiB: number }),
  ProcessorInfo: record<sdk.ProcessorInfo, port.InstanceTypeInfo['ProcessorInfo']>({
    SupportedArchitectures: list(text),
    SupportedFeatures: optional(list(text)),
  }),
  NetworkInfo: optional(
    record<sdk.NetworkInfo, NonNullable<port.InstanceTypeInfo['NetworkInfo']>>({ EfaSupported: optional(flag) }),
  ),
  GpuInfo: optional(
    record<sdk.GpuInfo, Gpus>({
      Gpus: list(record<sdk.GpuDeviceInfo, Gpus['Gpus'][number]>({ Name: text, Manufacturer: text, Count: number })),
    }),
  ),
});

export const state = record<sdk.InstanceState, port.Instance['State']>({ Name: text });
export const instance = record<sdk.Instance, port.Instance>({
  InstanceId: text,
  ImageId: text,
  InstanceType: text,
  State: state,
  StateTransitionReason: textIfAny,
  StateReason: optional(record({ Code: text, Message: text })),
  LaunchTime: time,
  Placement: record<sdk.Placement, port.Instance['Placement']>({
    AvailabilityZone: text,
    Tenancy: textIfAny,
    GroupName: textIfAny,
    PartitionNumber: optional(number),
  }),
  SubnetId: textIfAny,
  VpcId: textIfAny,
  PrivateIpAddress: textIfAny,
  PublicIpAddress: textIfAny,
  Ipv6Address: textIfAny,
  PrivateDnsName: textIfAny,
  PublicDnsName: textIfAny,
  ClientToken: textIfAny,
  AmiLaunchIndex: optional(number),
  KeyName: textIfAny,
  InstanceLifecycle: textIfAny,
  IamInstanceProfile: optional(record({ Arn: text })),
  SecurityGroups: list(
    record<sdk.GroupIdentifier, port.Instance['SecurityGroups'][number]>({ GroupId: text, GroupName: text }),
  ),
  MetadataOptions: record<sdk.InstanceMetadataOptionsResponse, port.Instance['MetadataOptions']>({
    HttpTokens: text,
    HttpEndpoint: text,
    HttpPutResponseHopLimit: number,
    InstanceMetadataTags: text,
    HttpProtocolIpv6: textIfAny,
  }),
  BlockDeviceMappings: list(
    record<sdk.InstanceBlockDeviceMapping, port.Instance['BlockDeviceMappings'][number]>({
      DeviceName: text,
      Ebs: record<sdk.EbsInstanceBlockDevice, port.Instance['BlockDeviceMappings'][number]['Ebs']>({
        VolumeId: text,
        Status: text,
        DeleteOnTermination: flag,
      }),
    }),
  ),
  NetworkInterfaces: list(
    record<sdk.InstanceNetworkInterface, port.Instance['NetworkInterfaces'][number]>({
      NetworkInterfaceId: text,
      Attachment: record<
        sdk.InstanceNetworkInterfaceAttachment,
        port.Instance['NetworkInterfaces'][number]['Attachment']
      >({
        DeviceIndex: number,
        AttachTime: optional(time),
      }),
      Groups: list(group),
    }),
  ),
  Tags: tags,
});

type Volume = port.CloudOutput<'DescribeVolumes'>['Volumes'][number];
export const volume = record<sdk.Volume, Volume>({
  VolumeId: text,
  State: text,
  AvailabilityZone: text,
  Size: number,
  Encrypted: flag,
  Attachments: list(record<sdk.VolumeAttachment, Volume['Attachments'][number]>({ InstanceId: text })),
  Tags: tags,
});

export const volumeSnapshot = record<sdk.Snapshot, port.VolumeSnapshot>({
  SnapshotId: text,
  VolumeId: text,
  State: text,
  StateMessage: textIfAny,
  StartTime: time,
  VolumeSize: number,
  Encrypted: flag,
  Description: text,
  Tags: tags,
});

export const spotPrice = record<sdk.SpotPrice, port.SpotPrice>({
  InstanceType: text,
  AvailabilityZone: text,
  SpotPrice: text,
  Timestamp: time,
});

const statusSummary = record<sdk.InstanceStatusSummary, port.StatusSummary>({ Status: text });
const instanceEvent = record<sdk.InstanceStatusEvent, port.InstanceEvent>({
  Code: text,
  Description: text,
  NotBefore: optional(time),
});
export const instanceStatus = record<sdk.InstanceStatus, port.InstanceStatus>({
  InstanceId: text,
  InstanceState: state,
  SystemStatus: statusSummary,
  InstanceStatus: statusSummary,
  AttachedEbsStatus: optional(record<sdk.EbsStatusSummary, port.StatusSummary>({ Status: text })),
  Events: list(instanceEvent),
});
