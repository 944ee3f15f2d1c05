/** Calls of EC2. */
import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  AssociateRouteTableCommand,
  AssociateVpcCidrBlockCommand,
  AttachInternetGatewayCommand,
  type AttributeBooleanValue,
  AuthorizeSecurityGroupIngressCommand,
  CreateCarrierGatewayCommand,
  CreateEgressOnlyInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  CreateNatGatewayCommand,
  CreateRouteCommand,
  CreateRouteTableCommand,
  CreateSecurityGroupCommand,
  CreateSnapshotCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  CreateVpcEndpointCommand,
  DeleteCarrierGatewayCommand,
  DeleteEgressOnlyInternetGatewayCommand,
  DeleteInternetGatewayCommand,
  DeleteLaunchTemplateCommand,
  DeleteLaunchTemplateVersionsCommand,
  DeleteNatGatewayCommand,
  DeleteRouteTableCommand,
  DeleteSecurityGroupCommand,
  DeleteSnapshotCommand,
  DeleteSubnetCommand,
  DeleteTagsCommand,
  DeleteVpcCommand,
  DeleteVpcEndpointsCommand,
  type DeleteVpcEndpointsCommandOutput,
  DescribeAddressesCommand,
  DescribeAvailabilityZonesCommand,
  DescribeCarrierGatewaysCommand,
  DescribeEgressOnlyInternetGatewaysCommand,
  DescribeImagesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeInternetGatewaysCommand,
  DescribeIpamPoolsCommand,
  DescribeKeyPairsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeNatGatewaysCommand,
  DescribeNetworkInterfacesCommand,
  DescribePublicIpv4PoolsCommand,
  DescribeRegionsCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSnapshotsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcAttributeCommand,
  DescribeVpcEndpointsCommand,
  DescribeVpcsCommand,
  DetachInternetGatewayCommand,
  DisassociateRouteTableCommand,
  DisassociateVpcCidrBlockCommand,
  EC2Client,
  GetConsoleOutputCommand,
  type InstanceStateChange,
  type IpamPool,
  ModifyInstanceAttributeCommand,
  ModifyInstanceMetadataOptionsCommand,
  ModifyNetworkInterfaceAttributeCommand,
  ModifySubnetAttributeCommand,
  ModifyVpcAttributeCommand,
  ReleaseAddressCommand,
  ReplaceRouteCommand,
  type Reservation,
  RevokeSecurityGroupEgressCommand,
  RevokeSecurityGroupIngressCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { CloudError, type CloudOutput, type Instance } from '../../../kinds/ports/cloud/index.ts';
import { flag, list, nothing, number, optional, record, text, textIfAny } from './decode.ts';
import {
  address,
  availabilityZone,
  carrierGateway,
  egressOnlyInternetGateway,
  image,
  instance,
  instanceStatus,
  instanceType,
  internetGateway,
  natGateway,
  networkInterface,
  region,
  routeTable,
  securityGroup,
  spotPrice,
  state,
  subnet,
  volume,
  volumeSnapshot,
  vpc,
  vpcEndpoint,
} from './ec2-shapes.ts';
import { launchTemplate, launchTemplateVersion, undeletedVersion } from './launch-template-shapes.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const value = record<AttributeBooleanValue, { Value: boolean }>({ Value: flag });

/** The only deletion that succeeds as a call and reports failures in its output. */
const eachDone = ({ Unsuccessful }: DeleteVpcEndpointsCommandOutput): Record<never, never> => {
  for (const { ResourceId, Error: refusal } of Unsuccessful ?? [])
    throw new CloudError(refusal?.Code ?? 'UnknownError', refusal?.Message ?? `${ResourceId} was not deleted`);
  return {};
};

export const operations = (config: ClientConfig): Operations<'ec2'> => {
  const client = new EC2Client(config);
  return {
    DescribeRegions: (input) =>
      client.send(new DescribeRegionsCommand(given(input))).then(record({ Regions: list(region) })),
    DescribeAvailabilityZones: (input) =>
      client
        .send(new DescribeAvailabilityZonesCommand(given(input)))
        .then(record({ AvailabilityZones: list(availabilityZone) })),
    DescribeVpcs: (input) =>
      client.send(new DescribeVpcsCommand(given(input))).then(record({ Vpcs: list(vpc), NextToken: textIfAny })),
    CreateVpc: (input) => client.send(new CreateVpcCommand(given(input))).then(record({ Vpc: vpc })),
    DescribeIpamPools: (input) =>
      client.send(new DescribeIpamPoolsCommand(given(input))).then(
        record({
          IpamPools: list(
            record<IpamPool, CloudOutput<'DescribeIpamPools'>['IpamPools'][number]>({
              IpamPoolId: text,
              AddressFamily: text,
              State: text,
            }),
          ),
        }),
      ),
    ModifyVpcAttribute: (input) => client.send(new ModifyVpcAttributeCommand(given(input))).then(nothing),
    DescribeVpcAttribute: (input) =>
      client
        .send(new DescribeVpcAttributeCommand(given(input)))
        .then(record({ VpcId: text, EnableDnsSupport: optional(value), EnableDnsHostnames: optional(value) })),
    AssociateVpcCidrBlock: (input) =>
      client.send(new AssociateVpcCidrBlockCommand(given(input))).then(record({ VpcId: text })),
    DisassociateVpcCidrBlock: (input) =>
      client.send(new DisassociateVpcCidrBlockCommand(given(input))).then(record({ VpcId: text })),
    DeleteVpc: (input) => client.send(new DeleteVpcCommand(given(input))).then(nothing),
    DescribeSubnets: (input) =>
      client
        .send(new DescribeSubnetsCommand(given(input)))
        .then(record({ Subnets: list(subnet), NextToken: textIfAny })),
    CreateSubnet: (input) => client.send(new CreateSubnetCommand(given(input))).then(record({ Subnet: subnet })),
    ModifySubnetAttribute: (input) => client.send(new ModifySubnetAttributeCommand(given(input))).then(nothing),
    DeleteSubnet: (input) => client.send(new DeleteSubnetCommand(given(input))).then(nothing),
    DescribeInternetGateways: (input) =>
      client
        .send(new DescribeInternetGatewaysCommand(given(input)))
        .then(record({ InternetGateways: list(internetGateway), NextToken: textIfAny })),
    CreateInternetGateway: (input) =>
      client.send(new CreateInternetGatewayCommand(given(input))).then(record({ InternetGateway: internetGateway })),
    AttachInternetGateway: (input) => client.send(new AttachInternetGatewayCommand(given(input))).then(nothing),
    DetachInternetGateway: (input) => client.send(new DetachInternetGatewayCommand(given(input))).then(nothing),
    DeleteInternetGateway: (input) => client.send(new DeleteInternetGatewayCommand(given(input))).then(nothing),
    DescribeCarrierGateways: (input) =>
      client
        .send(new DescribeCarrierGatewaysCommand(given(input)))
        .then(record({ CarrierGateways: list(carrierGateway), NextToken: textIfAny })),
    CreateCarrierGateway: (input) =>
      client.send(new CreateCarrierGatewayCommand(given(input))).then(record({ CarrierGateway: carrierGateway })),
    DeleteCarrierGateway: (input) => client.send(new DeleteCarrierGatewayCommand(given(input))).then(nothing),
    DescribeEgressOnlyInternetGateways: (input) =>
      client
        .send(new DescribeEgressOnlyInternetGatewaysCommand(given(input)))
        .then(record({ EgressOnlyInternetGateways: list(egressOnlyInternetGateway), NextToken: textIfAny })),
    CreateEgressOnlyInternetGateway: (input) =>
      client
        .send(new CreateEgressOnlyInternetGatewayCommand(given(input)))
        .then(record({ EgressOnlyInternetGateway: egressOnlyInternetGateway })),
    DeleteEgressOnlyInternetGateway: (input) =>
      client.send(new DeleteEgressOnlyInternetGatewayCommand(given(input))).then(record({ ReturnCode: flag })),
    DescribeNatGateways: (input) =>
      client
        .send(new DescribeNatGatewaysCommand(given(input)))
        .then(record({ NatGateways: list(natGateway), NextToken: textIfAny })),
    CreateNatGateway: (input) =>
      client.send(new CreateNatGatewayCommand(given(input))).then(record({ NatGateway: natGateway })),
    DeleteNatGateway: (input) =>
      client.send(new DeleteNatGatewayCommand(given(input))).then(record({ NatGatewayId: text })),
    DescribeAddresses: (input) =>
      client.send(new DescribeAddressesCommand(given(input))).then(record({ Addresses: list(address) })),
    AllocateAddress: (input) =>
      client.send(new AllocateAddressCommand(given(input))).then(record({ AllocationId: text, PublicIp: text })),
    DescribePublicIpv4Pools: (input) =>
      client.send(new DescribePublicIpv4PoolsCommand(given(input))).then(
        record({
          PublicIpv4Pools: list(
            record({ PoolId: text, TotalAddressCount: number, TotalAvailableAddressCount: number }),
          ),
        }),
      ),
    AssociateAddress: (input) =>
      client.send(new AssociateAddressCommand(given(input))).then(record({ AssociationId: text })),
    ReleaseAddress: (input) => client.send(new ReleaseAddressCommand(given(input))).then(nothing),
    DescribeRouteTables: (input) =>
      client
        .send(new DescribeRouteTablesCommand(given(input)))
        .then(record({ RouteTables: list(routeTable), NextToken: textIfAny })),
    CreateRouteTable: (input) =>
      client.send(new CreateRouteTableCommand(given(input))).then(record({ RouteTable: routeTable })),
    CreateRoute: (input) => client.send(new CreateRouteCommand(given(input))).then(record({ Return: flag })),
    ReplaceRoute: (input) => client.send(new ReplaceRouteCommand(given(input))).then(nothing),
    AssociateRouteTable: (input) =>
      client.send(new AssociateRouteTableCommand(given(input))).then(record({ AssociationId: text })),
    DisassociateRouteTable: (input) => client.send(new DisassociateRouteTableCommand(given(input))).then(nothing),
    DeleteRouteTable: (input) => client.send(new DeleteRouteTableCommand(given(input))).then(nothing),
    DescribeVpcEndpoints: (input) =>
      client
        .send(new DescribeVpcEndpointsCommand(given(input)))
        .then(record({ VpcEndpoints: list(vpcEndpoint), NextToken: textIfAny })),
    CreateVpcEndpoint: (input) =>
      client.send(new CreateVpcEndpointCommand(given(input))).then(record({ VpcEndpoint: vpcEndpoint })),
    DeleteVpcEndpoints: async (input) => eachDone(await client.send(new DeleteVpcEndpointsCommand(given(input)))),
    DescribeSecurityGroups: (input) =>
      client
        .send(new DescribeSecurityGroupsCommand(given(input)))
        .then(record({ SecurityGroups: list(securityGroup), NextToken: textIfAny })),
    CreateSecurityGroup: (input) =>
      client.send(new CreateSecurityGroupCommand(given(input))).then(record({ GroupId: text })),
    AuthorizeSecurityGroupIngress: (input) =>
      client.send(new AuthorizeSecurityGroupIngressCommand(given(input))).then(record({ Return: flag })),
    RevokeSecurityGroupIngress: (input) =>
      client.send(new RevokeSecurityGroupIngressCommand(given(input))).then(record({ Return: flag })),
    RevokeSecurityGroupEgress: (input) =>
      client.send(new RevokeSecurityGroupEgressCommand(given(input))).then(record({ Return: flag })),
    DeleteSecurityGroup: (input) => client.send(new DeleteSecurityGroupCommand(given(input))).then(nothing),
    DescribeNetworkInterfaces: (input) =>
      client
        .send(new DescribeNetworkInterfacesCommand(given(input)))
        .then(record({ NetworkInterfaces: list(networkInterface), NextToken: textIfAny })),
    CreateTags: (input) => client.send(new CreateTagsCommand(given(input))).then(nothing),
    DeleteTags: (input) => client.send(new DeleteTagsCommand(given(input))).then(nothing),
    DescribeImages: (input) =>
      client.send(new DescribeImagesCommand(given(input))).then(record({ Images: list(image) })),
    DescribeInstanceTypes: (input) =>
      client.send(new DescribeInstanceTypesCommand(given(input))).then(record({ InstanceTypes: list(instanceType) })),
    DescribeInstanceTypeOfferings: (input) =>
      client
        .send(new DescribeInstanceTypeOfferingsCommand(given(input)))
        .then(
          record({ InstanceTypeOfferings: list(record({ InstanceType: text, Location: text })), NextToken: textIfAny }),
        ),
    DescribeSpotPriceHistory: ({ StartTime, ...input }) =>
      client
        .send(new DescribeSpotPriceHistoryCommand(given({ ...input, StartTime: new Date(StartTime) })))
        .then(record({ SpotPriceHistory: list(spotPrice), NextToken: textIfAny })),
    DescribeKeyPairs: (input) =>
      client
        .send(new DescribeKeyPairsCommand(given(input)))
        .then(record({ KeyPairs: list(record({ KeyName: text, KeyPairId: text })) })),
    DescribeInstances: (input) =>
      client.send(new DescribeInstancesCommand(given(input))).then(
        record({
          Reservations: list(record<Reservation, { Instances: Instance[] }>({ Instances: list(instance) })),
          NextToken: textIfAny,
        }),
      ),
    DescribeInstanceStatus: (input) =>
      client
        .send(new DescribeInstanceStatusCommand(given(input)))
        .then(record({ InstanceStatuses: list(instanceStatus), NextToken: textIfAny })),
    GetConsoleOutput: (input) =>
      client.send(new GetConsoleOutputCommand(given(input))).then(record({ Output: textIfAny })),
    RunInstances: (input) =>
      client.send(new RunInstancesCommand(given(input))).then(record({ Instances: list(instance) })),
    TerminateInstances: (input) =>
      client.send(new TerminateInstancesCommand(given(input))).then(
        record({
          TerminatingInstances: list(
            record<InstanceStateChange, CloudOutput<'TerminateInstances'>['TerminatingInstances'][number]>({
              InstanceId: text,
              CurrentState: state,
            }),
          ),
        }),
      ),
    ModifyInstanceAttribute: (input) => client.send(new ModifyInstanceAttributeCommand(given(input))).then(nothing),
    ModifyNetworkInterfaceAttribute: (input) =>
      client.send(new ModifyNetworkInterfaceAttributeCommand(given(input))).then(nothing),
    ModifyInstanceMetadataOptions: (input) =>
      client.send(new ModifyInstanceMetadataOptionsCommand(given(input))).then(nothing),
    DescribeVolumes: (input) =>
      client
        .send(new DescribeVolumesCommand(given(input)))
        .then(record({ Volumes: list(volume), NextToken: textIfAny })),
    DescribeSnapshots: (input) =>
      client
        .send(new DescribeSnapshotsCommand(given(input)))
        .then(record({ Snapshots: list(volumeSnapshot), NextToken: textIfAny })),
    CreateSnapshot: (input) => client.send(new CreateSnapshotCommand(given(input))).then(record({ SnapshotId: text })),
    DeleteSnapshot: (input) => client.send(new DeleteSnapshotCommand(given(input))).then(nothing),
    DescribeLaunchTemplates: (input) =>
      client
        .send(new DescribeLaunchTemplatesCommand(given(input)))
        .then(record({ LaunchTemplates: list(launchTemplate), NextToken: textIfAny })),
    DescribeLaunchTemplateVersions: (input) =>
      client
        .send(new DescribeLaunchTemplateVersionsCommand(given(input)))
        .then(record({ LaunchTemplateVersions: list(launchTemplateVersion), NextToken: textIfAny })),
    CreateLaunchTemplate: (input) =>
      client.send(new CreateLaunchTemplateCommand(given(input))).then(record({ LaunchTemplate: launchTemplate })),
    CreateLaunchTemplateVersion: (input) =>
      client
        .send(new CreateLaunchTemplateVersionCommand(given(input)))
        .then(record({ LaunchTemplateVersion: launchTemplateVersion })),
    DeleteLaunchTemplateVersions: (input) =>
      client
        .send(new DeleteLaunchTemplateVersionsCommand(given(input)))
        .then(record({ UnsuccessfullyDeletedLaunchTemplateVersions: list(undeletedVersion) })),
    DeleteLaunchTemplate: (input) =>
      client.send(new DeleteLaunchTemplateCommand(given(input))).then(record({ LaunchTemplate: launchTemplate })),
  };
};
