/** For each call that destroys: what it names, and the tags that this carries now. */
import type { Cloud, CloudAction, CloudInput, Instance, Tag } from '../../kinds/ports/cloud.ts';

type Tagged = { id: string; tags: Tag[] };
/** The tags of what a call names, as they are now; what is not there is left out, or refused as not found. */
export type Evidence<A extends CloudAction> = (cloud: Cloud, region: string, input: CloudInput<A>) => Promise<Tagged[]>;

const vpc = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeVpcs', { VpcIds: [id] })).Vpcs.map(({ Tags }) => ({ id, tags: Tags }));
const internetGateway = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeInternetGateways', { InternetGatewayIds: [id] })).InternetGateways.map(
    ({ Tags }) => ({ id, tags: Tags }),
  );
const routeTable = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeRouteTables', { RouteTableIds: [id] })).RouteTables.map(({ Tags }) => ({
    id,
    tags: Tags,
  }));
/** The default group comes and goes with its VPC, and carries no tags: whose the VPC is, his is the group. */
const securityGroup = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> => {
  const { SecurityGroups } = await cloud.call(region, 'DescribeSecurityGroups', { GroupIds: [id] });
  const proofs = SecurityGroups.map(({ GroupName, VpcId, Tags }) =>
    GroupName === 'default' ? vpc(cloud, region, VpcId) : [{ id, tags: Tags }],
  );
  return (await Promise.all(proofs)).flat();
};
/** Of so many are tags told at once. */
const together = 20;
const balancing = async (cloud: Cloud, region: string, ...arns: string[]): Promise<Tagged[]> => {
  const parts = Array.from({ length: Math.ceil(arns.length / together) }, (_, part) =>
    cloud.call(region, 'DescribeLoadBalancerTags', {
      ResourceArns: arns.slice(part * together, (part + 1) * together),
    }),
  );
  return (await Promise.all(parts)).flatMap(({ TagDescriptions }) =>
    TagDescriptions.map(({ ResourceArn, Tags }) => ({ id: ResourceArn, tags: Tags })),
  );
};
const subnet = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeSubnets', { SubnetIds: [id] })).Subnets.map(({ Tags }) => ({ id, tags: Tags }));
const carrierGateway = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeCarrierGateways', { CarrierGatewayIds: [id] })).CarrierGateways.map(
    ({ Tags }) => ({ id, tags: Tags }),
  );
const natGateway = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeNatGateways', { NatGatewayIds: [id] })).NatGateways.map(({ Tags }) => ({
    id,
    tags: Tags,
  }));
const address = async (cloud: Cloud, region: string, id: string): Promise<Tagged[]> =>
  (await cloud.call(region, 'DescribeAddresses', { AllocationIds: [id] })).Addresses.map(({ Tags }) => ({
    id,
    tags: Tags,
  }));
const instances = async (cloud: Cloud, region: string, ids: string[]): Promise<Instance[]> =>
  (await cloud.call(region, 'DescribeInstances', { InstanceIds: ids })).Reservations.flatMap(
    ({ Instances }) => Instances,
  );

/** By what begins an id. */
const byPrefix: Record<string, (cloud: Cloud, region: string, id: string) => Promise<Tagged[]>> = {
  vpc,
  subnet,
  igw: internetGateway,
  cagw: carrierGateway,
  nat: natGateway,
  eipalloc: address,
  rtb: routeTable,
  sg: securityGroup,
};
const prefixOf = (id: string): string => id.slice(0, id.lastIndexOf('-'));

/** Volumes and interfaces go with the instance that is named beside them; of anything else nothing proves whose it is. */
const anything = async (cloud: Cloud, region: string, ids: readonly string[]): Promise<Tagged[]> => {
  const named = ids.filter((id) => prefixOf(id) === 'i');
  const found = named.length > 0 ? await instances(cloud, region, named) : [];
  const proofs = ids.map(async (id): Promise<Tagged[]> => {
    const look = byPrefix[prefixOf(id)];
    if (look) return look(cloud, region, id);
    const instance = found.find(
      ({ InstanceId, BlockDeviceMappings, NetworkInterfaces }) =>
        InstanceId === id ||
        BlockDeviceMappings.some(({ Ebs }) => Ebs.VolumeId === id) ||
        NetworkInterfaces.some(({ NetworkInterfaceId }) => NetworkInterfaceId === id),
    );
    return [{ id, tags: instance?.Tags ?? [] }];
  });
  return (await Promise.all(proofs)).flat();
};

export const evidence: { [A in CloudAction]?: Evidence<A> } = {
  DeleteVpc: (cloud, region, { VpcId }) => vpc(cloud, region, VpcId),
  DeleteTags: (cloud, region, { Resources }) => anything(cloud, region, Resources),
  DeleteSubnet: (cloud, region, { SubnetId }) => subnet(cloud, region, SubnetId),
  DetachInternetGateway: (cloud, region, { InternetGatewayId }) => internetGateway(cloud, region, InternetGatewayId),
  DeleteInternetGateway: (cloud, region, { InternetGatewayId }) => internetGateway(cloud, region, InternetGatewayId),
  DeleteCarrierGateway: (cloud, region, { CarrierGatewayId }) => carrierGateway(cloud, region, CarrierGatewayId),
  DeleteNatGateway: (cloud, region, { NatGatewayId }) => natGateway(cloud, region, NatGatewayId),
  ReleaseAddress: (cloud, region, { AllocationId }) => address(cloud, region, AllocationId),
  DeleteRouteTable: (cloud, region, { RouteTableId }) => routeTable(cloud, region, RouteTableId),
  ReplaceRoute: (cloud, region, { RouteTableId }) => routeTable(cloud, region, RouteTableId),
  DisassociateRouteTable: async (cloud, region, { AssociationId }) => {
    const Filters = [{ Name: 'association.route-table-association-id', Values: [AssociationId] }];
    const { RouteTables } = await cloud.call(region, 'DescribeRouteTables', { Filters });
    return RouteTables.map(({ RouteTableId, Tags }) => ({ id: RouteTableId, tags: Tags }));
  },
  DeleteVpcEndpoints: async (cloud, region, { VpcEndpointIds }) =>
    (await cloud.call(region, 'DescribeVpcEndpoints', { VpcEndpointIds })).VpcEndpoints.map(
      ({ VpcEndpointId, Tags }) => ({ id: VpcEndpointId, tags: Tags }),
    ),
  RevokeSecurityGroupIngress: (cloud, region, { GroupId }) => securityGroup(cloud, region, GroupId),
  RevokeSecurityGroupEgress: (cloud, region, { GroupId }) => securityGroup(cloud, region, GroupId),
  DeleteSecurityGroup: (cloud, region, { GroupId }) => securityGroup(cloud, region, GroupId),
  TerminateInstances: async (cloud, region, { InstanceIds }) =>
    (await instances(cloud, region, InstanceIds)).map(({ InstanceId, Tags }) => ({ id: InstanceId, tags: Tags })),
  DeleteLoadBalancer: (cloud, region, { LoadBalancerArn }) => balancing(cloud, region, LoadBalancerArn),
  DeleteTargetGroup: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, TargetGroupArn),
  DeregisterTargets: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, TargetGroupArn),
  DeleteListener: (cloud, region, { ListenerArn }) => balancing(cloud, region, ListenerArn),
  RemoveTags: (cloud, region, { ResourceArns }) => balancing(cloud, region, ...ResourceArns),
  DeleteParameter: async (cloud, region, { Name }) => {
    const { TagList } = await cloud.call(region, 'ListTagsForResource', {
      ResourceType: 'Parameter',
      ResourceId: Name,
    });
    return [{ id: Name, tags: TagList }];
  },
  DeleteSecret: async (cloud, region, { SecretId }) => {
    // Not the list: it may miss what was made, and show what was deleted, in the last five minutes.
    const { Tags } = await cloud.call(region, 'DescribeSecret', { SecretId });
    return [{ id: SecretId, tags: Tags }];
  },
};
