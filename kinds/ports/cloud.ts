/**
 * The cloud port: the EC2, Elastic Load Balancing, Secrets Manager and Systems Manager actions that
 * Capstan uses, under AWS's names and with the parameters in use. Both versions of Elastic Load
 * Balancing have actions of the same names, so those of the classic load balancer say `Classic`.
 * Every call names a region. Source: the AWS API references.
 */

export type Tag = {
  Key: string;
  Value: string;
};
export type Filter = {
  Name: string;
  Values: string[];
};
export type TagSpecifications = { ResourceType: string; Tags: Tag[] }[];
type Empty = Record<never, never>;
type Page = {
  MaxResults?: number;
  NextToken?: string;
};

export type Vpc = {
  VpcId: string;
  /** Another account's id when that account shares the resource. */
  OwnerId?: string;
  State: 'pending' | 'available';
  CidrBlock: string;
  CidrBlockAssociationSet: { AssociationId: string; CidrBlock: string; CidrBlockState: { State: string } }[];
  IsDefault: boolean;
  Tags: Tag[];
};
export type HostnameType = 'ip-name' | 'resource-name';
export type Subnet = {
  SubnetId: string;
  VpcId: string;
  State: 'pending' | 'available';
  CidrBlock: string;
  AvailabilityZone: string;
  AvailableIpAddressCount: number;
  MapPublicIpOnLaunch: boolean;
  PrivateDnsNameOptionsOnLaunch: { HostnameType: HostnameType };
  Tags: Tag[];
};
export type AvailabilityZone = {
  ZoneName: string;
  ZoneId: string;
  ZoneType: 'availability-zone' | 'local-zone' | 'wavelength-zone';
  State: string;
  RegionName: string;
  ParentZoneName?: string;
};
export type Region = {
  RegionName: string;
  OptInStatus: 'opt-in-not-required' | 'opted-in' | 'not-opted-in';
};
export type InternetGateway = {
  InternetGatewayId: string;
  Attachments: { VpcId: string; State: string }[];
  Tags: Tag[];
};
export type CarrierGateway = {
  CarrierGatewayId: string;
  VpcId: string;
  State: 'pending' | 'available' | 'deleting' | 'deleted';
  Tags: Tag[];
};
export type NatGateway = {
  NatGatewayId: string;
  VpcId: string;
  SubnetId: string;
  State: 'pending' | 'available' | 'deleting' | 'deleted' | 'failed';
  FailureCode?: string;
  FailureMessage?: string;
  NatGatewayAddresses: { AllocationId: string; PublicIp?: string; PrivateIp?: string; NetworkInterfaceId?: string }[];
  Tags: Tag[];
};
export type Address = {
  AllocationId: string;
  PublicIp: string;
  AssociationId?: string;
  InstanceId?: string;
  NetworkInterfaceId?: string;
  Tags: Tag[];
};
export type Route = {
  DestinationCidrBlock: string;
  GatewayId?: string;
  NatGatewayId?: string;
  CarrierGatewayId?: string;
  State: 'active' | 'blackhole';
};
/** A destination and exactly one target. */
export type RouteInput = {
  RouteTableId: string;
  DestinationCidrBlock: string;
  GatewayId?: string;
  NatGatewayId?: string;
  CarrierGatewayId?: string;
};
export type RouteTable = {
  RouteTableId: string;
  VpcId: string;
  Routes: Route[];
  Associations: { RouteTableAssociationId: string; SubnetId?: string; Main: boolean }[];
  Tags: Tag[];
};
export type IpPermission = {
  /** tcp, udp, icmp, -1, or a protocol number as text. */
  IpProtocol: string;
  FromPort?: number;
  ToPort?: number;
  IpRanges?: { CidrIp: string; Description?: string }[];
  Ipv6Ranges?: { CidrIpv6: string; Description?: string }[];
  UserIdGroupPairs?: { GroupId: string; Description?: string }[];
};
export type SecurityGroup = {
  GroupId: string;
  GroupName: string;
  Description: string;
  VpcId: string;
  IpPermissions: IpPermission[];
  IpPermissionsEgress: IpPermission[];
  Tags: Tag[];
};
export type VpcEndpoint = {
  VpcEndpointId: string;
  VpcId: string;
  ServiceName: string;
  State: string;
  RouteTableIds: string[];
  Tags: Tag[];
};
export type Image = {
  ImageId: string;
  Name: string;
  OwnerId: string;
  State: string;
  Architecture: 'x86_64' | 'arm64';
  CreationDate: string;
  RootDeviceName: string;
  BlockDeviceMappings: { DeviceName: string; Ebs?: { VolumeSize?: number; SnapshotId?: string } }[];
  VirtualizationType: string;
};
/** `StateValue`: OK, ALARM or INSUFFICIENT_DATA. */
export type AlarmSummary = { AlarmName: string; StateValue: string };
export type InstanceTypeInfo = {
  InstanceType: string;
  VCpuInfo: { DefaultVCpus: number };
  MemoryInfo: { SizeInMiB: number };
  ProcessorInfo: { SupportedArchitectures: string[]; SupportedFeatures?: string[] };
  NetworkInfo?: { EfaSupported?: boolean };
  GpuInfo?: { Gpus: { Name: string; Manufacturer: string; Count: number }[] };
};
export type SpotPrice = {
  InstanceType: string;
  AvailabilityZone: string;
  SpotPrice: string;
  /** RFC 3339: since when. */
  Timestamp: string;
};
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
/** A copy of a volume at the moment of the call, which is complete later. */
export type VolumeSnapshot = {
  SnapshotId: string;
  VolumeId: string;
  State: 'pending' | 'completed' | 'error' | 'recoverable' | 'recovering';
  /** Why its state is error. */
  StateMessage?: string;
  /** RFC 3339. */
  StartTime: string;
  /** GiB. */
  VolumeSize: number;
  Encrypted: boolean;
  Description: string;
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
  SecurityGroupIds?: string[];
  /** Of a single instance. */
  PrivateIpAddress?: string;
  NetworkInterfaces?: {
    DeviceIndex: number;
    NetworkInterfaceId?: string;
    SubnetId?: string;
    Groups?: string[];
    PrivateIpAddress?: string;
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
  InstanceMarketOptions?: {
    MarketType: 'spot';
    SpotOptions: { SpotInstanceType: 'one-time'; InstanceInterruptionBehavior: 'terminate'; MaxPrice?: string };
  };
  TagSpecifications: TagSpecifications;
};

export type LoadBalancer = {
  LoadBalancerArn: string;
  LoadBalancerName: string;
  DNSName: string;
  Scheme: 'internet-facing' | 'internal';
  Type: 'network' | 'application';
  VpcId: string;
  State: { Code: 'provisioning' | 'active' | 'active_impaired' | 'failed'; Reason?: string };
  AvailabilityZones: { ZoneName: string; SubnetId: string }[];
  SecurityGroups: string[];
};
export type TargetGroup = {
  TargetGroupArn: string;
  TargetGroupName: string;
  Protocol: string;
  Port: number;
  VpcId: string;
  TargetType: string;
  HealthCheckProtocol: string;
  HealthCheckPort: string;
  HealthCheckPath?: string;
  HealthCheckIntervalSeconds: number;
  HealthCheckTimeoutSeconds: number;
  HealthyThresholdCount: number;
  UnhealthyThresholdCount: number;
  LoadBalancerArns: string[];
};
/** Health check parameters, as the actions take them. */
export type HealthCheck = {
  HealthCheckProtocol?: string;
  HealthCheckPort?: string;
  HealthCheckPath?: string;
  HealthCheckIntervalSeconds?: number;
  HealthCheckTimeoutSeconds?: number;
  HealthyThresholdCount?: number;
  UnhealthyThresholdCount?: number;
};
/** Where clients reach a listener, and whether its name resolves already. */
export type Endpoint = { Host: string; Port: number; Resolves: boolean };
export type Listener = {
  ListenerArn: string;
  LoadBalancerArn: string;
  Protocol: string;
  Port: number;
  DefaultActions: { Type: 'forward'; TargetGroupArn: string }[];
  /**
   * Where clients reach the listener, and whether the name resolves already; the adapter checks
   * that. On AWS the load balancer's DNS name and the listener's port; a local account has its own.
   */
  Endpoint: Endpoint;
};
export type ClassicListener = {
  Protocol: string;
  LoadBalancerPort: number;
  InstanceProtocol: string;
  InstancePort: number;
};
export type ClassicHealthCheck = {
  /** Such as TCP:6443 or HTTPS:6443/readyz. */
  Target: string;
  Interval: number;
  Timeout: number;
  HealthyThreshold: number;
  UnhealthyThreshold: number;
};
export type ClassicAttributes = {
  CrossZoneLoadBalancing: { Enabled: boolean };
  ConnectionSettings: { IdleTimeout: number };
};
/** Its name identifies it in the region. It serves as soon as its name resolves. */
export type ClassicLoadBalancer = {
  LoadBalancerName: string;
  DNSName: string;
  Scheme: 'internet-facing' | 'internal';
  VPCId: string;
  Subnets: string[];
  AvailabilityZones: string[];
  SecurityGroups: string[];
  Instances: { InstanceId: string }[];
  HealthCheck: ClassicHealthCheck;
  /** `Endpoint`: as of a Listener, and only in the answer to a call with names. */
  ListenerDescriptions: { Listener: ClassicListener; Endpoint?: Endpoint }[];
};
/** `ok`, `impaired`, `initializing`, `insufficient-data` or `not-applicable`. */
export type StatusSummary = { Status: string };
/**
 * EC2's status checks of an instance. A completed or canceled event stays listed for days, with
 * `[Completed]` or `[Canceled]` before its description.
 */
export type InstanceStatus = {
  InstanceId: string;
  InstanceState: { Name: InstanceStateName };
  SystemStatus: StatusSummary;
  InstanceStatus: StatusSummary;
  AttachedEbsStatus?: StatusSummary;
  Events: InstanceEvent[];
};
export type InstanceEvent = {
  Code: string;
  Description: string;
  /** RFC 3339: when the event begins at the earliest. */
  NotBefore?: string;
};
export type TargetHealth = {
  Target: { Id: string; Port?: number };
  TargetHealth: { State: 'initial' | 'healthy' | 'unhealthy' | 'draining' | 'unused' | 'unavailable'; Reason?: string };
};
export type SecretEntry = {
  ARN: string;
  Name: string;
  Tags: Tag[];
};

export type ParameterFilter =
  | { Key: 'Name'; Option: 'BeginsWith'; Values: string[] }
  | { Key: `tag:${string}`; Option: 'Equals'; Values: string[] };

/** Each action's input and output. */
export interface CloudActions {
  // Network
  /**
   * Answered in any region of the partition. With AllRegions, includes regions that the account has
   * not enabled.
   */
  DescribeRegions: [{ AllRegions?: boolean; RegionNames?: string[] }, { Regions: Region[] }];
  DescribeAvailabilityZones: [{ Filters?: Filter[]; ZoneNames?: string[] }, { AvailabilityZones: AvailabilityZone[] }];
  DescribeVpcs: [{ VpcIds?: string[]; Filters?: Filter[] } & Page, { Vpcs: Vpc[]; NextToken?: string }];
  /**
   * The block, or the IPAM pool to allocate it from; the pool gets it back when the VPC is deleted.
   */
  CreateVpc: [
    { CidrBlock?: string; Ipv4IpamPoolId?: string; Ipv4NetmaskLength?: number; TagSpecifications: TagSpecifications },
    { Vpc: Vpc },
  ];
  DescribeIpamPools: [
    { IpamPoolIds?: string[]; Filters?: Filter[] },
    { IpamPools: { IpamPoolId: string; AddressFamily: 'ipv4' | 'ipv6'; State: string }[] },
  ];
  ModifyVpcAttribute: [
    { VpcId: string; EnableDnsSupport?: { Value: boolean }; EnableDnsHostnames?: { Value: boolean } },
    Empty,
  ];
  DescribeVpcAttribute: [
    { VpcId: string; Attribute: 'enableDnsSupport' | 'enableDnsHostnames' },
    { VpcId: string; EnableDnsSupport?: { Value: boolean }; EnableDnsHostnames?: { Value: boolean } },
  ];
  AssociateVpcCidrBlock: [{ VpcId: string; CidrBlock: string }, { VpcId: string }];
  DisassociateVpcCidrBlock: [{ AssociationId: string }, { VpcId: string }];
  DeleteVpc: [{ VpcId: string }, Empty];
  DescribeSubnets: [{ SubnetIds?: string[]; Filters?: Filter[] } & Page, { Subnets: Subnet[]; NextToken?: string }];
  CreateSubnet: [
    { VpcId: string; CidrBlock: string; AvailabilityZone: string; TagSpecifications: TagSpecifications },
    { Subnet: Subnet },
  ];
  /** One attribute a call. */
  ModifySubnetAttribute: [
    { SubnetId: string; MapPublicIpOnLaunch?: { Value: boolean }; PrivateDnsHostnameTypeOnLaunch?: HostnameType },
    Empty,
  ];
  DeleteSubnet: [{ SubnetId: string }, Empty];
  DescribeInternetGateways: [
    { InternetGatewayIds?: string[]; Filters?: Filter[] } & Page,
    { InternetGateways: InternetGateway[]; NextToken?: string },
  ];
  CreateInternetGateway: [{ TagSpecifications: TagSpecifications }, { InternetGateway: InternetGateway }];
  AttachInternetGateway: [{ InternetGatewayId: string; VpcId: string }, Empty];
  DetachInternetGateway: [{ InternetGatewayId: string; VpcId: string }, Empty];
  DeleteInternetGateway: [{ InternetGatewayId: string }, Empty];
  DescribeCarrierGateways: [
    { CarrierGatewayIds?: string[]; Filters?: Filter[] } & Page,
    { CarrierGateways: CarrierGateway[]; NextToken?: string },
  ];
  CreateCarrierGateway: [
    { VpcId: string; ClientToken: string; TagSpecifications: TagSpecifications },
    { CarrierGateway: CarrierGateway },
  ];
  DeleteCarrierGateway: [{ CarrierGatewayId: string }, Empty];
  DescribeNatGateways: [
    { NatGatewayIds?: string[]; Filter?: Filter[] } & Page,
    { NatGateways: NatGateway[]; NextToken?: string },
  ];
  CreateNatGateway: [
    { SubnetId: string; AllocationId: string; ClientToken: string; TagSpecifications: TagSpecifications },
    { NatGateway: NatGateway },
  ];
  DeleteNatGateway: [{ NatGatewayId: string }, { NatGatewayId: string }];
  DescribeAddresses: [{ AllocationIds?: string[]; Filters?: Filter[] }, { Addresses: Address[] }];
  AllocateAddress: [
    { Domain: 'vpc'; PublicIpv4Pool?: string; TagSpecifications: TagSpecifications },
    { AllocationId: string; PublicIp: string },
  ];
  DescribePublicIpv4Pools: [
    { PoolIds: string[] },
    { PublicIpv4Pools: { PoolId: string; TotalAddressCount: number; TotalAvailableAddressCount: number }[] },
  ];
  AssociateAddress: [
    { AllocationId: string; InstanceId: string; AllowReassociation: false },
    { AssociationId: string },
  ];
  ReleaseAddress: [{ AllocationId: string }, Empty];
  DescribeRouteTables: [
    { RouteTableIds?: string[]; Filters?: Filter[] } & Page,
    { RouteTables: RouteTable[]; NextToken?: string },
  ];
  CreateRouteTable: [
    { VpcId: string; ClientToken?: string; TagSpecifications: TagSpecifications },
    { RouteTable: RouteTable },
  ];
  CreateRoute: [RouteInput, { Return: boolean }];
  ReplaceRoute: [RouteInput, Empty];
  AssociateRouteTable: [{ RouteTableId: string; SubnetId: string }, { AssociationId: string }];
  DisassociateRouteTable: [{ AssociationId: string }, Empty];
  DeleteRouteTable: [{ RouteTableId: string }, Empty];
  DescribeVpcEndpoints: [
    { VpcEndpointIds?: string[]; Filters?: Filter[] } & Page,
    { VpcEndpoints: VpcEndpoint[]; NextToken?: string },
  ];
  CreateVpcEndpoint: [
    {
      VpcId: string;
      ServiceName: string;
      RouteTableIds: string[];
      ClientToken: string;
      TagSpecifications: TagSpecifications;
    },
    { VpcEndpoint: VpcEndpoint },
  ];
  DeleteVpcEndpoints: [{ VpcEndpointIds: string[] }, Empty];
  DescribeSecurityGroups: [
    { GroupIds?: string[]; Filters?: Filter[] } & Page,
    { SecurityGroups: SecurityGroup[]; NextToken?: string },
  ];
  CreateSecurityGroup: [
    { GroupName: string; Description: string; VpcId: string; TagSpecifications: TagSpecifications },
    { GroupId: string },
  ];
  AuthorizeSecurityGroupIngress: [{ GroupId: string; IpPermissions: IpPermission[] }, { Return: boolean }];
  RevokeSecurityGroupIngress: [{ GroupId: string; IpPermissions: IpPermission[] }, { Return: boolean }];
  RevokeSecurityGroupEgress: [{ GroupId: string; IpPermissions: IpPermission[] }, { Return: boolean }];
  DeleteSecurityGroup: [{ GroupId: string }, Empty];
  DescribeNetworkInterfaces: [
    { NetworkInterfaceIds?: string[]; Filters?: Filter[] } & Page,
    {
      NetworkInterfaces: {
        NetworkInterfaceId: string;
        VpcId: string;
        SubnetId: string;
        Status: string;
        Description?: string;
        Groups: { GroupId: string }[];
        Attachment?: { InstanceId?: string };
        TagSet: Tag[];
      }[];
      NextToken?: string;
    },
  ];
  CreateTags: [{ Resources: string[]; Tags: Tag[] }, Empty];
  DeleteTags: [{ Resources: string[]; Tags: { Key: string; Value?: string }[] }, Empty];

  // Instances
  DescribeImages: [{ ImageIds?: string[]; Owners?: string[]; Filters?: Filter[] }, { Images: Image[] }];
  DescribeInstanceTypes: [{ InstanceTypes: string[] }, { InstanceTypes: InstanceTypeInfo[] }];
  DescribeInstanceTypeOfferings: [
    { LocationType: 'availability-zone'; Filters?: Filter[] } & Page,
    { InstanceTypeOfferings: { InstanceType: string; Location: string }[]; NextToken?: string },
  ];
  /**
   * With StartTime now, RFC 3339: the current prices, of each zone. Dollars an hour as decimal text.
   */
  DescribeSpotPriceHistory: [
    { InstanceTypes: string[]; ProductDescriptions: string[]; StartTime: string } & Page,
    { SpotPriceHistory: SpotPrice[]; NextToken?: string },
  ];
  DescribeKeyPairs: [{ KeyNames?: string[] }, { KeyPairs: { KeyName: string; KeyPairId: string }[] }];
  DescribeInstances: [
    { InstanceIds?: string[]; Filters?: Filter[] } & Page,
    { Reservations: { Instances: Instance[] }[]; NextToken?: string },
  ];
  /**
   * Only running instances unless IncludeAllInstances is set. At most 100 ids a call; MaxResults is
   * for calls without ids.
   */
  DescribeInstanceStatus: [
    { InstanceIds?: string[]; IncludeAllInstances?: boolean } & Page,
    { InstanceStatuses: InstanceStatus[]; NextToken?: string },
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
  ModifyNetworkInterfaceAttribute: [{ NetworkInterfaceId: string; Groups?: string[] }, Empty];
  ModifyInstanceMetadataOptions: [
    {
      InstanceId: string;
      HttpTokens?: string;
      HttpEndpoint?: string;
      HttpPutResponseHopLimit?: number;
      InstanceMetadataTags?: string;
    },
    Empty,
  ];
  DescribeVolumes: [
    { VolumeIds?: string[]; Filters?: Filter[] } & Page,
    {
      Volumes: {
        VolumeId: string;
        State: string;
        AvailabilityZone: string;
        Size: number;
        Encrypted: boolean;
        Attachments: { InstanceId: string }[];
        Tags: Tag[];
      }[];
      NextToken?: string;
    },
  ];
  /** OwnerIds self leaves out those of others, of which EC2 lists every public one. */
  DescribeSnapshots: [
    { SnapshotIds?: string[]; OwnerIds?: string[]; Filters?: Filter[] } & Page,
    { Snapshots: VolumeSnapshot[]; NextToken?: string },
  ];
  /** Without a client token. EC2 takes one call a volume in 15 seconds. */
  CreateSnapshot: [
    { VolumeId: string; Description?: string; TagSpecifications: TagSpecifications },
    { SnapshotId: string },
  ];
  DeleteSnapshot: [{ SnapshotId: string }, Empty];
  /** IAM; finds a missing profile before the launch. */
  GetInstanceProfile: [
    { InstanceProfileName: string },
    { InstanceProfile: { InstanceProfileName: string; Arn: string } },
  ];

  /** CloudWatch; alarms that do not exist are left out. */
  DescribeAlarms: [
    { AlarmNames: string[]; AlarmTypes?: ('MetricAlarm' | 'CompositeAlarm')[]; MaxRecords?: number },
    { MetricAlarms: AlarmSummary[]; CompositeAlarms: AlarmSummary[]; NextToken?: string },
  ];

  /** Service Quotas: the account's limit in a region. */
  GetServiceQuota: [
    { ServiceCode: 'ec2' | 'vpc'; QuotaCode: string },
    { Quota: { ServiceCode: string; QuotaCode: string; QuotaName: string; Value: number; Adjustable: boolean } },
  ];

  /** The Price List service, which a few regions answer for all. Each product is JSON. */
  GetProducts: [
    {
      ServiceCode: 'AmazonEC2';
      Filters: { Type: 'TERM_MATCH'; Field: string; Value: string }[];
      NextToken?: string;
    },
    { PriceList: string[]; NextToken?: string },
  ];

  // Load balancing
  DescribeLoadBalancers: [
    { LoadBalancerArns?: string[]; Names?: string[]; Marker?: string },
    { LoadBalancers: LoadBalancer[]; NextMarker?: string },
  ];
  CreateLoadBalancer: [
    {
      Name: string;
      Type: 'network' | 'application';
      Scheme: 'internet-facing' | 'internal';
      Subnets: string[];
      SecurityGroups?: string[];
      Tags: Tag[];
    },
    { LoadBalancers: LoadBalancer[] },
  ];
  ModifyLoadBalancerAttributes: [{ LoadBalancerArn: string; Attributes: { Key: string; Value: string }[] }, Empty];
  DescribeLoadBalancerAttributes: [{ LoadBalancerArn: string }, { Attributes: { Key: string; Value: string }[] }];
  SetSecurityGroups: [{ LoadBalancerArn: string; SecurityGroups: string[] }, { SecurityGroupIds: string[] }];
  SetSubnets: [
    { LoadBalancerArn: string; Subnets: string[] },
    { AvailabilityZones: { ZoneName: string; SubnetId: string }[] },
  ];
  DeleteLoadBalancer: [{ LoadBalancerArn: string }, Empty];
  DescribeTargetGroups: [
    { LoadBalancerArn?: string; TargetGroupArns?: string[]; Names?: string[]; Marker?: string },
    { TargetGroups: TargetGroup[]; NextMarker?: string },
  ];
  CreateTargetGroup: [
    {
      Name: string;
      Protocol: string;
      Port: number;
      VpcId: string;
      TargetType: 'instance' | 'ip';
      Tags: Tag[];
    } & HealthCheck,
    { TargetGroups: TargetGroup[] },
  ];
  ModifyTargetGroup: [{ TargetGroupArn: string } & HealthCheck, { TargetGroups: TargetGroup[] }];
  ModifyTargetGroupAttributes: [{ TargetGroupArn: string; Attributes: { Key: string; Value: string }[] }, Empty];
  DescribeTargetGroupAttributes: [{ TargetGroupArn: string }, { Attributes: { Key: string; Value: string }[] }];
  DeleteTargetGroup: [{ TargetGroupArn: string }, Empty];
  DescribeListeners: [
    { LoadBalancerArn?: string; ListenerArns?: string[]; Marker?: string },
    { Listeners: Listener[]; NextMarker?: string },
  ];
  CreateListener: [
    {
      LoadBalancerArn: string;
      Protocol: string;
      Port: number;
      DefaultActions: { Type: 'forward'; TargetGroupArn: string }[];
      Tags: Tag[];
    },
    { Listeners: Omit<Listener, 'Endpoint'>[] },
  ];
  DeleteListener: [{ ListenerArn: string }, Empty];
  RegisterTargets: [{ TargetGroupArn: string; Targets: { Id: string; Port?: number }[] }, Empty];
  DeregisterTargets: [{ TargetGroupArn: string; Targets: { Id: string; Port?: number }[] }, Empty];
  DescribeTargetHealth: [
    { TargetGroupArn: string; Targets?: { Id: string; Port?: number }[] },
    { TargetHealthDescriptions: TargetHealth[] },
  ];
  DescribeLoadBalancerTags: [{ ResourceArns: string[] }, { TagDescriptions: { ResourceArn: string; Tags: Tag[] }[] }];
  AddTags: [{ ResourceArns: string[]; Tags: Tag[] }, Empty];
  RemoveTags: [{ ResourceArns: string[]; TagKeys: string[] }, Empty];
  DescribeClassicLoadBalancers: [
    { LoadBalancerNames?: string[]; Marker?: string },
    { LoadBalancerDescriptions: ClassicLoadBalancer[]; NextMarker?: string },
  ];
  CreateClassicLoadBalancer: [
    {
      LoadBalancerName: string;
      Listeners: ClassicListener[];
      Scheme: ClassicLoadBalancer['Scheme'];
      Subnets: string[];
      SecurityGroups: string[];
      Tags: Tag[];
    },
    { DNSName: string },
  ];
  DeleteClassicLoadBalancer: [{ LoadBalancerName: string }, Empty];
  ConfigureHealthCheck: [{ LoadBalancerName: string; HealthCheck: ClassicHealthCheck }, Empty];
  ModifyClassicLoadBalancerAttributes: [{ LoadBalancerName: string; LoadBalancerAttributes: ClassicAttributes }, Empty];
  DescribeClassicLoadBalancerAttributes: [{ LoadBalancerName: string }, { LoadBalancerAttributes: ClassicAttributes }];
  CreateLoadBalancerListeners: [{ LoadBalancerName: string; Listeners: ClassicListener[] }, Empty];
  AttachLoadBalancerToSubnets: [{ LoadBalancerName: string; Subnets: string[] }, Empty];
  ApplySecurityGroupsToLoadBalancer: [{ LoadBalancerName: string; SecurityGroups: string[] }, Empty];
  RegisterInstancesWithLoadBalancer: [{ LoadBalancerName: string; Instances: { InstanceId: string }[] }, Empty];
  DeregisterInstancesFromLoadBalancer: [{ LoadBalancerName: string; Instances: { InstanceId: string }[] }, Empty];
  DescribeClassicLoadBalancerTags: [
    { LoadBalancerNames: string[] },
    { TagDescriptions: { LoadBalancerName: string; Tags: Tag[] }[] },
  ];
  AddClassicLoadBalancerTags: [{ LoadBalancerNames: string[]; Tags: Tag[] }, Empty];
  RemoveClassicLoadBalancerTags: [{ LoadBalancerNames: string[]; Tags: { Key: string }[] }, Empty];
  /** By tag, for any service; used where a service's describe calls cannot filter by tag. */
  GetResources: [
    { TagFilters: { Key: string; Values?: string[] }[]; ResourceTypeFilters?: string[]; PaginationToken?: string },
    { ResourceTagMappingList: { ResourceARN: string; Tags: Tag[] }[]; PaginationToken?: string },
  ];

  // One-shot secrets
  CreateSecret: [
    /** SecretBinary is base64. ClientRequestToken makes repetition safe. */
    { Name: string; ClientRequestToken: string; SecretBinary: string; Tags: Tag[] },
    { ARN: string; Name: string },
  ];
  DeleteSecret: [{ SecretId: string; ForceDeleteWithoutRecovery: true }, { Name: string }];
  /** Consistent from the moment of creation; lists may lag by minutes. */
  DescribeSecret: [{ SecretId: string }, SecretEntry];
  ListSecrets: [{ Filters?: Filter[]; NextToken?: string }, { SecretList: SecretEntry[]; NextToken?: string }];
  /** Systems Manager has no client token: the name prevents a duplicate. */
  PutParameter: [{ Name: string; Value: string; Type: 'SecureString'; Tags: Tag[] }, { Version: number }];
  DescribeParameters: [
    { ParameterFilters: ParameterFilter[]; NextToken?: string },
    { Parameters: { Name: string }[]; NextToken?: string },
  ];
  ListTagsForResource: [{ ResourceType: 'Parameter'; ResourceId: string }, { TagList: Tag[] }];
  DeleteParameter: [{ Name: string }, Empty];
}

export type CloudAction = keyof CloudActions;
export type CloudInput<A extends CloudAction> = CloudActions[A][0];
export type CloudOutput<A extends CloudAction> = CloudActions[A][1];

/**
 * The only way to call AWS. Counting, throttling, fault injection and permissions go by the
 * action's name. Throws CloudError.
 */
export interface Cloud {
  call<A extends CloudAction>(region: string, action: A, input: CloudInput<A>): Promise<CloudOutput<A>>;
}

/**
 * An error response of a service. `code` is AWS's own, such as InsufficientInstanceCapacity or
 * DependencyViolation.
 */
export class CloudError extends Error {
  override readonly name = 'CloudError';
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const reads = /^(Describe|Get|List)/;
export const isMutating = (action: string): boolean => !reads.test(action);

/** Codes that mean that the named resource does not exist. */
export const isNotFound = (code: string): boolean =>
  /NotFound$|\.NotFound|\.Malformed$|^ResourceNotFoundException$|^InvalidResourceId$|^InvalidInstanceType$|^NoSuchEntity$|NotFoundException$|^InvalidInstance$/.test(
    code,
  );

/**
 * Codes that leave the outcome of a call unknown: the service failed, or no response arrived. Only
 * the beginning of a code counts, because others name an unknown, unavailable or network resource,
 * such as InvalidAMIID.Unavailable.
 */
export const isUnclear = (code: string): boolean =>
  /^(Internal|(Service)?Unavailable|(Request)?Time(d)?out|ETIMEDOUT|UnknownError|Network(Failure|ing)|ECONN|EPIPE|Socket)/i.test(
    code,
  );

/**
 * The region of the same partition that every account has enabled, where questions about regions
 * are answered.
 */
export const homeRegion = (region: string): string => {
  if (region.startsWith('us-gov-')) return 'us-gov-west-1';
  return region.startsWith('cn-') ? 'cn-north-1' : 'us-east-1';
};
