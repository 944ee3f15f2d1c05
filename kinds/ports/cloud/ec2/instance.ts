/** Instances. */

import type { Calls } from '../call.ts';
import type { CloudOutput } from '../index.ts';
import { list } from '../list.ts';
import type { Empty, Filter, Page, Tag, TagSpecifications } from '../shared.ts';

export type EbsBlockDevice = {
  VolumeSize?: number;
  VolumeType?: string;
  Iops?: number;
  Throughput?: number;
  Encrypted?: boolean;
  KmsKeyId?: string;
  DeleteOnTermination?: boolean;
};
export type InstanceStateName = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';
export type Instance = {
  InstanceId: string;
  ImageId: string;
  InstanceType: string;
  State: { Name: InstanceStateName };
  StateTransitionReason?: string;
  StateReason?: { Code: string; Message: string };
  /** RFC 3339: when the instance was last started. */
  LaunchTime: string;
  Placement: { AvailabilityZone: string; Tenancy?: string; GroupName?: string; PartitionNumber?: number };
  SubnetId?: string;
  VpcId?: string;
  PrivateIpAddress?: string;
  PublicIpAddress?: string;
  /** The first one of the primary interface. */
  Ipv6Address?: string;
  PrivateDnsName?: string;
  PublicDnsName?: string;
  ClientToken?: string;
  /** The position among the instances of its launch, from 0. */
  AmiLaunchIndex?: number;
  KeyName?: string;
  InstanceLifecycle?: 'spot';
  IamInstanceProfile?: { Arn: string };
  SecurityGroups: { GroupId: string; GroupName: string }[];
  MetadataOptions: {
    HttpTokens: string;
    HttpEndpoint: string;
    HttpPutResponseHopLimit: number;
    InstanceMetadataTags: string;
    HttpProtocolIpv6?: string;
  };
  BlockDeviceMappings: {
    DeviceName: string;
    Ebs: { VolumeId: string; Status: string; DeleteOnTermination: boolean };
  }[];
  /** Device 0 is the interface that a launch creates when the request names none. */
  NetworkInterfaces: {
    NetworkInterfaceId: string;
    /**
     * RFC 3339. For device 0, when the instance was created, however often it was started since.
     */
    Attachment: { DeviceIndex: number; AttachTime?: string };
    Groups: { GroupId: string }[];
  }[];
  Tags: Tag[];
};
export type RunInstancesInput = {
  ImageId: string;
  InstanceType: string;
  MinCount: number;
  MaxCount: number;
  ClientToken: string;
  /** Base64. */
  UserData: string;
  SubnetId?: string;
  /** Of a single instance. */
  PrivateIpAddress?: string;
  Ipv6AddressCount?: number;
  /** The first IPv6 address stays with the interface: IPv6 targets of a load balancer need it. */
  EnablePrimaryIpv6?: boolean;
  SecurityGroupIds?: string[];
  NetworkInterfaces?: {
    DeviceIndex: number;
    NetworkInterfaceId?: string;
    SubnetId?: string;
    Groups?: string[];
    PrivateIpAddress?: string;
    Ipv6AddressCount?: number;
    PrimaryIpv6?: boolean;
    AssociatePublicIpAddress?: boolean;
    /** The same in a Wavelength zone. */
    AssociateCarrierIpAddress?: boolean;
    InterfaceType?: string;
  }[];
  KeyName?: string;
  EbsOptimized?: boolean;
  IamInstanceProfile?: { Name: string };
  BlockDeviceMappings?: { DeviceName: string; Ebs: EbsBlockDevice }[];
  MetadataOptions?: {
    HttpTokens?: string;
    HttpEndpoint?: string;
    HttpPutResponseHopLimit?: number;
    InstanceMetadataTags?: string;
    HttpProtocolIpv6?: string;
  };
  Placement?: { Tenancy?: string; GroupName?: string; PartitionNumber?: number; AvailabilityZone?: string };
  CpuOptions?: { AmdSevSnp?: string; NestedVirtualization?: string };
  PrivateDnsNameOptions?: {
    HostnameType?: string;
    EnableResourceNameDnsARecord?: boolean;
    EnableResourceNameDnsAAAARecord?: boolean;
  };
  InstanceMarketOptions?:
    | {
        MarketType: 'spot';
        SpotOptions: { SpotInstanceType: 'one-time'; InstanceInterruptionBehavior: 'terminate'; MaxPrice?: string };
      }
    | { MarketType: 'capacity-block' };
  CapacityReservationSpecification?: {
    CapacityReservationPreference?: 'open' | 'none' | 'capacity-reservations-only';
    CapacityReservationTarget?: { CapacityReservationId: string };
  };
  TagSpecifications: TagSpecifications;
};
export interface InstanceActions {
  DescribeInstances: [
    { InstanceIds?: string[]; Filters?: Filter[] } & Page,
    { Reservations: { Instances: Instance[] }[]; NextToken?: string },
  ];
  /**
   * The end of what the instance printed, in base64. Only instances on Nitro answer Latest; without
   * it the text is from soon after the last change of state, and absent before.
   */
  GetConsoleOutput: [{ InstanceId: string; Latest?: boolean }, { Output?: string }];
  RunInstances: [RunInstancesInput, { Instances: Instance[] }];
  TerminateInstances: [
    { InstanceIds: string[] },
    { TerminatingInstances: { InstanceId: string; CurrentState: { Name: InstanceStateName } }[] },
  ];
  ModifyInstanceAttribute: [{ InstanceId: string; Groups?: string[] }, Empty];
  ModifyInstanceMetadataOptions: [
    {
      InstanceId: string;
      HttpTokens?: string;
      HttpEndpoint?: string;
      HttpPutResponseHopLimit?: number;
      InstanceMetadataTags?: string;
      HttpProtocolIpv6?: string;
    },
    Empty,
  ];
}

export const instanceCalls = {
  DescribeInstances: {},
  GetConsoleOutput: { ours: ['instance'] },
  // An account's first spot instance creates the service-linked role.
  RunInstances: {
    also: ['ec2:CreateTags', 'iam:PassRole', 'iam:CreateServiceLinkedRole'],
    makes: ['instance', 'volume', 'network-interface'],
    uses: [
      'capacity-reservation',
      'image',
      'key-pair',
      'network-interface',
      'placement-group',
      'security-group',
      'subnet',
    ],
  },
  TerminateInstances: { ours: ['instance'] },
  ModifyInstanceAttribute: {},
  ModifyInstanceMetadataOptions: { ours: ['instance'] },
} as const satisfies Calls<InstanceActions>;

export const instances = list<'DescribeInstances', Instance>('DescribeInstances', 'InstanceId', {
  items: (page) => (page as CloudOutput<'DescribeInstances'>).Reservations.flatMap(({ Instances }) => Instances),
  type: 'instance',
  prefix: 'i',
});
