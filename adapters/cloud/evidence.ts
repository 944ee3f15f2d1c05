/** For each destructive call: the named resources and their current tags. */
import type { Cloud, CloudAction, CloudInput, Instance, Tag } from '../../kinds/ports/cloud/index.ts';
import { callOf } from '../../kinds/ports/cloud-limits.ts';
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

const groups = looking(lists.autoScalingGroups);
/** The groups that tags name. */
const groupsOf = (cloud: Cloud, region: string, { Tags }: { Tags: { ResourceId: string }[] }): Promise<Tagged[]> =>
  groups(cloud, region, [...new Set(Tags.map(({ ResourceId }) => ResourceId))]);

/** EC2's resources by IAM's name of their type. */
const looks = new Map<string, Look>([
  ...Object.values(lists).flatMap((list): [string, Look][] =>
    list.type ? [[list.type, looking(list as List<{ Tags: Tag[] }>)]] : [],
  ),
  ['security-group', securityGroups],
]);

/** Described as parts of their instance. */
const madeByLaunch: readonly string[] = ['instance', 'volume', 'network-interface'];

const typeOf = (id: string): string | undefined =>
  Object.values(lists).find(({ prefix }) => prefix === id.slice(0, id.lastIndexOf('-')))?.type;

/** Resources of one type. A resource that is not shown has no proof of ownership. */
const ofOneSort: Look = async (cloud, region, ids) => {
  const type = typeOf(ids[0] ?? '') ?? '';
  const look = madeByLaunch.includes(type) ? launched : (looks.get(type) ?? launched);
  const shown = await look(cloud, region, [...ids]);
  return ids.map((id) => shown.find((one) => one.id === id) ?? { id, tags: [] });
};

/** EKS names its resources, and has their tags as a map. */
const eksTags = (id: string, tags: Record<string, string>): Tagged[] => [
  { id, tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
];
const eksCluster = async (cloud: Cloud, region: string, { name }: { name: string }) =>
  eksTags(name, (await cloud.call(region, 'DescribeCluster', { name })).cluster.tags);
const nodegroup = async (cloud: Cloud, region: string, of: CloudInput<'DescribeNodegroup'>) => {
  const { clusterName, nodegroupName } = of;
  const answer = await cloud.call(region, 'DescribeNodegroup', { clusterName, nodegroupName });
  return eksTags(nodegroupName, answer.nodegroup.tags);
};
const eksAddon = async (cloud: Cloud, region: string, of: CloudInput<'DescribeAddon'>) => {
  const { clusterName, addonName } = of;
  return eksTags(addonName, (await cloud.call(region, 'DescribeAddon', { clusterName, addonName })).addon.tags);
};
const accessEntry = async (cloud: Cloud, region: string, of: CloudInput<'DescribeAccessEntry'>) => {
  const { clusterName, principalArn } = of;
  const answer = await cloud.call(region, 'DescribeAccessEntry', { clusterName, principalArn });
  return eksTags(principalArn, answer.accessEntry.tags);
};

const role = async (cloud: Cloud, region: string, { RoleName }: { RoleName: string }) => [
  { id: RoleName, tags: (await cloud.call(region, 'GetRole', { RoleName })).Role.Tags },
];

const special: { [A in CloudAction]?: Evidence<A> } = {
  CreateTags: (cloud, region, { Resources }) => ofOneSort(cloud, region, Resources),
  DeleteTags: (cloud, region, { Resources }) => ofOneSort(cloud, region, Resources),
  DisassociateRouteTable: async (cloud, region, { AssociationId }) => {
    const Filters = [{ Name: 'association.route-table-association-id', Values: [AssociationId] }];
    const { RouteTables } = await cloud.call(region, 'DescribeRouteTables', { Filters });
    return RouteTables.map(({ RouteTableId, Tags }) => ({ id: RouteTableId, tags: Tags }));
  },
  DeleteLoadBalancer: (cloud, region, { LoadBalancerArn }) => balancing(cloud, region, [LoadBalancerArn]),
  DeleteTargetGroup: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, [TargetGroupArn]),
  DeregisterTargets: (cloud, region, { TargetGroupArn }) => balancing(cloud, region, [TargetGroupArn]),
  DeleteListener: (cloud, region, { ListenerArn }) => balancing(cloud, region, [ListenerArn]),
  DeleteClassicLoadBalancer: (cloud, region, { LoadBalancerName }) => classic(cloud, region, [LoadBalancerName]),
  DeregisterInstancesFromLoadBalancer: (cloud, region, { LoadBalancerName }) =>
    classic(cloud, region, [LoadBalancerName]),
  AddClassicLoadBalancerTags: (cloud, region, { LoadBalancerNames }) => classic(cloud, region, LoadBalancerNames),
  AddTags: (cloud, region, { ResourceArns }) => balancing(cloud, region, ResourceArns),
  RemoveClassicLoadBalancerTags: (cloud, region, { LoadBalancerNames }) => classic(cloud, region, LoadBalancerNames),
  RemoveTags: (cloud, region, { ResourceArns }) => balancing(cloud, region, ResourceArns),
  TerminateInstanceInAutoScalingGroup: async (cloud, region, { InstanceId }) => {
    // The instance belongs to the owner of its group, which AWS's own tag names.
    const instance = (await instancesOf(cloud, region, [InstanceId])).find((one) => one.InstanceId === InstanceId);
    const group = instance?.Tags.find(({ Key }) => Key === 'aws:autoscaling:groupName')?.Value;
    return group === undefined ? [{ id: InstanceId, tags: [] }] : groups(cloud, region, [group]);
  },
  CreateOrUpdateTags: groupsOf,
  DeleteTagsOfGroup: groupsOf,
  DeleteCluster: eksCluster,
  UpdateClusterConfig: eksCluster,
  UpdateClusterVersion: eksCluster,
  DeleteNodegroup: nodegroup,
  UpdateNodegroupConfig: nodegroup,
  UpdateNodegroupVersion: nodegroup,
  DeleteAddon: eksAddon,
  UpdateAddon: eksAddon,
  DeleteAccessEntry: accessEntry,
  UpdateAccessEntry: accessEntry,
  AssociateAccessPolicy: accessEntry,
  DisassociateAccessPolicy: accessEntry,
  AttachRolePolicy: role,
  DetachRolePolicy: role,
  DeleteRole: role,
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

/** The resource that a call destroys is the first that IAM checks to be ours. */
const ofOwnResource = (action: CloudAction): Evidence<CloudAction> | undefined => {
  const [type] = callOf(action).ours ?? [];
  const key = Object.values(lists).find((list) => list.type === type)?.key;
  const look = looks.get(type ?? '');
  if (!key || !look) return undefined;
  return async (cloud, region, input) => {
    const { [key]: id, [`${key}s`]: ids = id } = input as Record<string, string | string[] | undefined>;
    // Without an id, EC2 would describe everything.
    return ids?.length ? look(cloud, region, [ids].flat()) : [{ id: 'none', tags: [] }];
  };
};

export const evidenceOf = <A extends CloudAction>(action: A): Evidence<A> | undefined =>
  (special[action] as Evidence<A> | undefined) ?? ofOwnResource(action);
