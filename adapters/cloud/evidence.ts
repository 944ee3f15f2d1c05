/** For each destructive call: the named resources and their current tags. */
import type { Cloud, CloudAction, CloudInput, Instance, Tag } from '../../kinds/ports/cloud/index.ts';
import { type List, lists } from '../../kinds/ports/lists.ts';

type Tagged = { id: string; tags: Tag[] };
/** Current tags of the named resources; missing ones are omitted or reported as not found. */
export type Evidence<A extends CloudAction> = (cloud: Cloud, region: string, input: CloudInput<A>) => Promise<Tagged[]>;

type Look = (cloud: Cloud, region: string, ids: string[]) => Promise<Tagged[]>;

/** Asks for the resources by id. */
const looking =
  <T extends { Tags: Tag[] }>({ action, named, items, id }: List<T>): Look =>
  async (cloud, region, ids) =>
    items(await cloud.call(region, action, named(ids) as CloudInput<typeof action>)).map((one) => ({
      id: id(one),
      tags: one.Tags,
    }));
const vpcs = looking(lists.vpcs);
const subnets = looking(lists.subnets);
const internetGateways = looking(lists.internetGateways);
const carrierGateways = looking(lists.carrierGateways);
const natGateways = looking(lists.natGateways);
const addresses = looking(lists.addresses);
const routeTables = looking(lists.routeTables);
const instances = looking(lists.instances);
const snapshots = looking(lists.snapshots);
/** A default security group has no tags and belongs to the owner of its VPC. */
const securityGroups: Look = async (cloud, region, GroupIds) => {
  const { SecurityGroups } = await cloud.call(region, 'DescribeSecurityGroups', { GroupIds });
  const proofs = SecurityGroups.map(({ GroupId, GroupName, VpcId, Tags }) =>
    GroupName === 'default' ? vpcs(cloud, region, [VpcId]) : [{ id: GroupId, tags: Tags }],
  );
  return (await Promise.all(proofs)).flat();
};
const balancing: Look = async (cloud, region, ResourceArns) =>
  (await cloud.call(region, 'DescribeLoadBalancerTags', { ResourceArns })).TagDescriptions.map(
    ({ ResourceArn, Tags }) => ({ id: ResourceArn, tags: Tags }),
  );
const classic: Look = async (cloud, region, LoadBalancerNames) =>
  (await cloud.call(region, 'DescribeClassicLoadBalancerTags', { LoadBalancerNames })).TagDescriptions.map(
    ({ LoadBalancerName, Tags }) => ({ id: LoadBalancerName, tags: Tags }),
  );
const instancesOf = async (cloud: Cloud, region: string, InstanceIds: string[]): Promise<Instance[]> =>
  (await cloud.call(region, 'DescribeInstances', { InstanceIds })).Reservations.flatMap(({ Instances }) => Instances);
/** Volumes and interfaces are deleted with the instance of the same call. */
const launched: Look = async (cloud, region, ids) =>
  (
    await instancesOf(
      cloud,
      region,
      ids.filter((id) => id.startsWith('i-')),
    )
  ).flatMap(({ InstanceId, Tags, BlockDeviceMappings, NetworkInterfaces }) => {
    const parts = [
      InstanceId,
      ...BlockDeviceMappings.map(({ Ebs }) => Ebs.VolumeId),
      ...NetworkInterfaces.map(({ NetworkInterfaceId }) => NetworkInterfaceId),
    ];
    return parts.filter((id) => ids.includes(id)).map((id) => ({ id, tags: Tags }));
  });

/** By prefix of the id. */
const looks: Record<string, Look> = {
  vpc: vpcs,
  subnet: subnets,
  igw: internetGateways,
  cagw: carrierGateways,
  nat: natGateways,
  eipalloc: addresses,
  rtb: routeTables,
  sg: securityGroups,
};

/** Resources of one type. A resource that is not shown has no proof of ownership. */
const ofOneSort: Look = async (cloud, region, ids) => {
  const [first = ''] = ids;
  const look = looks[first.slice(0, first.lastIndexOf('-'))] ?? launched;
  const shown = await look(cloud, region, [...ids]);
  return ids.map((id) => shown.find((one) => one.id === id) ?? { id, tags: [] });
};

export const evidence: { [A in CloudAction]?: Evidence<A> } = {
  DeleteVpc: (cloud, region, { VpcId }) => vpcs(cloud, region, [VpcId]),
  DeleteTags: (cloud, region, { Resources }) => ofOneSort(cloud, region, Resources),
  DeleteSubnet: (cloud, region, { SubnetId }) => subnets(cloud, region, [SubnetId]),
  DetachInternetGateway: (cloud, region, { InternetGatewayId }) => internetGateways(cloud, region, [InternetGatewayId]),
  DeleteInternetGateway: (cloud, region, { InternetGatewayId }) => internetGateways(cloud, region, [InternetGatewayId]),
  DeleteCarrierGateway: (cloud, region, { CarrierGatewayId }) => carrierGateways(cloud, region, [CarrierGatewayId]),
  DeleteNatGateway: (cloud, region, { NatGatewayId }) => natGateways(cloud, region, [NatGatewayId]),
  ReleaseAddress: (cloud, region, { AllocationId }) => addresses(cloud, region, [AllocationId]),
  DeleteRouteTable: (cloud, region, { RouteTableId }) => routeTables(cloud, region, [RouteTableId]),
  ReplaceRoute: (cloud, region, { RouteTableId }) => routeTables(cloud, region, [RouteTableId]),
  DisassociateRouteTable: async (cloud, region, { AssociationId }) => {
    const Filters = [{ Name: 'association.route-table-association-id', Values: [AssociationId] }];
    const { RouteTables } = await cloud.call(region, 'DescribeRouteTables', { Filters });
    return RouteTables.map(({ RouteTableId, Tags }) => ({ id: RouteTableId, tags: Tags }));
  },
  DeleteVpcEndpoints: (cloud, region, { VpcEndpointIds }) => looking(lists.vpcEndpoints)(cloud, region, VpcEndpointIds),
  RevokeSecurityGroupIngress: (cloud, region, { GroupId }) => securityGroups(cloud, region, [GroupId]),
  RevokeSecurityGroupEgress: (cloud, region, { GroupId }) => securityGroups(cloud, region, [GroupId]),
  DeleteSecurityGroup: (cloud, region, { GroupId }) => securityGroups(cloud, region, [GroupId]),
  DeleteSnapshot: (cloud, region, { SnapshotId }) => snapshots(cloud, region, [SnapshotId]),
  TerminateInstances: (cloud, region, { InstanceIds }) => instances(cloud, region, InstanceIds),
  DeleteLoadBalancer: (cloud, region, { LoadBalancerArn }) => balancing(cloud, region, [LoadBalancerArn]),
  DeleteTargetGroup: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, [TargetGroupArn]),
  DeregisterTargets: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, [TargetGroupArn]),
  DeleteListener: (cloud, region, { ListenerArn }) => balancing(cloud, region, [ListenerArn]),
  DeleteClassicLoadBalancer: (cloud, region, { LoadBalancerName }) => classic(cloud, region, [LoadBalancerName]),
  DeregisterInstancesFromLoadBalancer: (cloud, region, { LoadBalancerName }) =>
    classic(cloud, region, [LoadBalancerName]),
  RemoveClassicLoadBalancerTags: (cloud, region, { LoadBalancerNames }) => classic(cloud, region, LoadBalancerNames),
  RemoveTags: (cloud, region, { ResourceArns }) => balancing(cloud, region, ResourceArns),
  DeleteParameter: async (cloud, region, { Name }) => {
    const { TagList } = await cloud.call(region, 'ListTagsForResource', {
      ResourceType: 'Parameter',
      ResourceId: Name,
    });
    return [{ id: Name, tags: TagList }];
  },
  DeleteSecret: async (cloud, region, { SecretId }) => {
    // Not ListSecrets, which may be stale by up to five minutes.
    const { Tags } = await cloud.call(region, 'DescribeSecret', { SecretId });
    return [{ id: SecretId, tags: Tags }];
  },
};
