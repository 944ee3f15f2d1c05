/**
 * A user changes resources in the AWS console. No event reports it, and Capstan restores
 * everything.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Instance } from '../../../../kinds/ports/cloud/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import type { ListedResource } from '../../../../simulation/aws/index.ts';
import { openedForServices } from '../../invariants/network/security-groups.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlanesOf, type ScenarioContext, workersOf } from '../context.ts';
import { runningOf } from '../machines/failures.ts';
import { comes, isServing, resyncTimeout } from '../progress.ts';

const region = 'eu-central-1';
const minute = 60_000;
/** The account is scanned each hour. */
const looked = 120 * minute;

/** The CNI attaches interfaces with groups of its own, which Capstan must not change. */
const attachInterface = (context: ScenarioContext): boolean => {
  const { draw, world, desired } = context;
  const { uid } = world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.metadata ?? {};
  const groups = world.account
    .list()
    .filter(({ type, tags }) => type === 'security-group' && uid && tags['capstan.dev/cluster-uid'] === uid);
  const running = runningOf(context, [...controlPlanesOf(context), ...workersOf(context)]);
  if (groups.length === 0 || running.length === 0) return false;
  world.account.attach(draw.pick(running).id, [draw.pick(groups).id]);
  return true;
};

const targetsRole = 'lb';
const isForTargets = ({ tags }: ListedResource): boolean =>
  tags['sigs.k8s.io/cluster-api-provider-aws/role'] === targetsRole;

/**
 * Opens a port as the in-cluster cloud provider does for a Service. The result tells whether it is
 * open while its group exists.
 */
const openForService = async (context: ScenarioContext): Promise<(() => Promise<boolean>) | undefined> => {
  const { world, desired } = context;
  const { account, mirror } = world;
  const { uid } = mirror.get<Cluster>('Cluster', 'default', desired.name)?.metadata ?? {};
  const group = account.list().find((one) => uid && one.tags['capstan.dev/cluster-uid'] === uid && isForTargets(one));
  if (!group) return undefined;
  const port = context.draw.whole(30_000, 32_767);
  const IpRanges = [{ CidrIp: '0.0.0.0/0', Description: `${openedForServices}client=${port}` }];
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges }];
  await account.uncounted(region, 'AuthorizeSecurityGroupIngress', { GroupId: group.id, IpPermissions });
  return async () => {
    const { SecurityGroups } = await account.uncounted(region, 'DescribeSecurityGroups', {});
    const now = SecurityGroups.find(({ GroupId }) => GroupId === group.id);
    return !now || !isServing(context) || now.IpPermissions.some(({ FromPort }) => FromPort === port);
  };
};

/** Tells whether the change is reverted. */
type IsMended = () => Promise<boolean>;

/** Adds a rule to a group whose rules only Capstan writes. */
const openPort = async (
  { draw, world: { account } }: ScenarioContext,
  groups: readonly ListedResource[],
): Promise<IsMended> => {
  const GroupId = draw.pick(groups.filter((one) => !isForTargets(one))).id;
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await account.call(region, 'AuthorizeSecurityGroupIngress', { GroupId, IpPermissions });
  return async () => {
    const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', { GroupIds: [GroupId] });
    return !SecurityGroups[0]?.IpPermissions.some(({ FromPort }) => FromPort === 22);
  };
};

const leaveTable = async (
  { draw, world: { account } }: ScenarioContext,
  tables: readonly ListedResource[],
): Promise<IsMended | undefined> => {
  const RouteTableIds = [draw.pick(tables).id];
  const associationOf = async () => {
    const { RouteTables } = await account.call(region, 'DescribeRouteTables', { RouteTableIds });
    return RouteTables[0]?.Associations[0]?.RouteTableAssociationId;
  };
  const AssociationId = await associationOf();
  if (!AssociationId) return undefined;
  await account.call(region, 'DisassociateRouteTable', { AssociationId });
  return async () => (await associationOf()) !== undefined;
};

/** Deletes a NAT gateway. Its address remains, and its routes become blackholes. */
const deleteGateway = async (
  { draw, world: { account } }: ScenarioContext,
  gateways: readonly ListedResource[],
  tables: readonly ListedResource[],
): Promise<IsMended> => {
  const NatGatewayId = draw.pick(gateways).id;
  const RouteTableIds = tables.map(({ id }) => id);
  await account.call(region, 'DeleteNatGateway', { NatGatewayId });
  return async () => {
    const { NatGateways } = await account.call(region, 'DescribeNatGateways', {});
    const works = new Set(NatGateways.filter(({ State }) => State === 'available').map((one) => one.NatGatewayId));
    const { RouteTables } = await account.call(region, 'DescribeRouteTables', { RouteTableIds });
    const ways = RouteTables.flatMap(({ Routes }) => Routes.flatMap((route) => route.NatGatewayId ?? []));
    return ways.length > 0 && ways.every((way) => works.has(way));
  };
};

/** Changes one of the instances. An instance that is gone counts as reverted. */
const ofInstance = async (
  { draw, world: { account } }: ScenarioContext,
  ids: readonly string[],
  change: (instance: Instance) => Promise<unknown>,
  isAsBefore: (now: Instance, before: Instance) => boolean,
): Promise<IsMended> => {
  const InstanceIds = [draw.pick(ids)];
  const look = async () => {
    const { Reservations } = await account.call(region, 'DescribeInstances', { InstanceIds });
    return Reservations.flatMap(({ Instances }) => Instances).find(({ State }) => State.Name === 'running');
  };
  const before = await look();
  if (!before) return async () => true;
  await change(before);
  return async () => {
    const now = await look();
    return !now || isAsBefore(now, before);
  };
};

/** Weakens the metadata options, so that pods can read the instance's credentials. */
const showCredentials = (context: ScenarioContext, ids: readonly string[]) =>
  ofInstance(
    context,
    ids,
    ({ InstanceId }) => {
      const options = context.draw.pick([{ HttpTokens: 'optional' }, { HttpPutResponseHopLimit: 3 }] as const);
      return context.world.account.call(region, 'ModifyInstanceMetadataOptions', { InstanceId, ...options });
    },
    (now, before) => isDeepStrictEqual(now.MetadataOptions, before.MetadataOptions),
  );

/** Removes a tag from an instance, or from all resources of its launch. */
const loseTag = (context: ScenarioContext, ids: readonly string[]) => {
  const { draw, world, desired } = context;
  const Key = `kubernetes.io/cluster/${desired.name}`;
  const isAll = draw.chance(0.6);
  const volumesOf = ({ BlockDeviceMappings }: Instance) =>
    isAll ? BlockDeviceMappings.filter(({ Ebs }) => Ebs.DeleteOnTermination).map(({ Ebs }) => Ebs.VolumeId) : [];
  const lost = new Set<string>();
  const hasTag = (id: string) => world.account.list().some((one) => one.id === id && Key in one.tags);
  return ofInstance(
    context,
    ids,
    (instance) => {
      const Resources = [instance.InstanceId, ...volumesOf(instance)];
      for (const id of Resources) lost.add(id);
      return world.account.call(region, 'DeleteTags', { Resources, Tags: [{ Key }] });
    },
    () => [...lost].every(hasTag),
  );
};

const groupsOf = ({ NetworkInterfaces }: Instance): string[] =>
  (NetworkInterfaces.find(({ Attachment }) => Attachment.DeviceIndex === 0)?.Groups ?? [])
    .map(({ GroupId }) => GroupId)
    .sort();
/** Removes a security group from an instance, or adds one. */
const changeGroups = (context: ScenarioContext, ids: readonly string[], groups: readonly ListedResource[]) =>
  ofInstance(
    context,
    ids,
    (instance) => {
      const own = instance.NetworkInterfaces.find(({ Attachment }) => Attachment.DeviceIndex === 0)!;
      const { NetworkInterfaceId } = own;
      const others = groups.map(({ id }) => id).filter((id) => !groupsOf(instance).includes(id));
      const isMore = others.length > 0 && context.draw.chance(0.5);
      const Groups = isMore ? [...groupsOf(instance), context.draw.pick(others)] : groupsOf(instance).slice(1);
      return context.world.account.call(region, 'ModifyNetworkInterfaceAttribute', { NetworkInterfaceId, Groups });
    },
    (now, before) => isDeepStrictEqual(groupsOf(now), groupsOf(before)),
  );

const isFinder = (key: string) => key.startsWith('kubernetes.io/');
/** Removes a tag by which the in-cluster cloud provider finds a subnet or a security group. */
const hideFromBalancers = async (
  { draw, world: { account } }: ScenarioContext,
  places: readonly ListedResource[],
): Promise<IsMended> => {
  const { id, tags } = draw.pick(places);
  const [Key, value] = draw.pick(Object.entries(tags).filter(([key]) => isFinder(key)));
  await account.call(region, 'DeleteTags', { Resources: [id], Tags: [{ Key }] });
  return async () => {
    const now = account.list().find((one) => one.id === id);
    return !now || now.tags[Key] === value;
  };
};

/** Lengthens the health check interval, so failures are noticed late. */
const checkSeldom = async ({ world: { account } }: ScenarioContext, uid: string): Promise<IsMended> => {
  const own = account
    .list()
    .filter((one) => one.type === 'target-group' && one.tags['capstan.dev/cluster-uid'] === uid);
  const look = async () => {
    const { TargetGroups } = await account.call(region, 'DescribeTargetGroups', {});
    return TargetGroups.find((one) => own.some(({ id }) => id === one.TargetGroupArn || id === one.TargetGroupName));
  };
  const before = await look();
  if (!before) return async () => true;
  const { TargetGroupArn, HealthCheckIntervalSeconds } = before;
  await account.call(region, 'ModifyTargetGroup', { TargetGroupArn, HealthCheckIntervalSeconds: 120 });
  return async () => {
    const now = await look();
    return !now || now.HealthCheckIntervalSeconds === HealthCheckIntervalSeconds;
  };
};

/**
 * Makes one of these changes, sometimes after an hour in which security groups cannot be described.
 * Expects the revert while the cluster is available.
 */
const changeSomething = async (context: ScenarioContext) => {
  const { clock, draw, life, world, desired } = context;
  const { account, mirror } = world;
  if (life.desired && isServing(context) && draw.chance(0.5)) {
    // A scan fails in that hour and repeats afterwards. The next regular scan finds later changes.
    const { id } = account.faults.add({ action: 'DescribeSecurityGroups', code: 'InternalError' });
    await sleep(clock, 70 * minute);
    account.faults.clear(id);
    await sleep(clock, 30 * minute);
  }
  const { uid } = mirror.get<Cluster>('Cluster', 'default', desired.name)?.metadata ?? {};
  const ours = account.list().filter(({ tags }) => uid && tags['capstan.dev/cluster-uid'] === uid);
  const groups = ours.filter(({ type }) => type === 'security-group');
  const tables = ours.filter(({ type }) => type === 'route-table');
  const gateways = ours.filter(({ type, state }) => type === 'natgateway' && state === 'available');
  const places = ours.filter(
    ({ type, tags }) => /^(vpc|subnet|security-group)$/.test(type) && Object.keys(tags).some(isFinder),
  );
  const workers = runningOf(context, workersOf(context)).map(({ id }) => id);
  const all = [...workers, ...runningOf(context, controlPlanesOf(context)).map(({ id }) => id)];
  const changes: (() => Promise<IsMended | undefined>)[] = [
    ...(tables.length > 0 ? [() => leaveTable(context, tables)] : []),
    ...(gateways.length > 0 ? [() => deleteGateway(context, gateways, tables)] : []),
    ...(groups.length > 0 ? [() => openPort(context, groups)] : []),
    ...(places.length > 0 ? [() => hideFromBalancers(context, places)] : []),
    ...(all.length > 0 ? [() => showCredentials(context, all), () => loseTag(context, all)] : []),
    ...(workers.length > 0 ? [() => changeGroups(context, workers, groups)] : []),
    ...(uid ? [() => checkSeldom(context, uid)] : []),
  ];
  const change = async () => (changes.length > 0 ? draw.pick(changes)() : undefined);
  // The resource may not be visible yet, or already gone.
  const isMended = await change().catch(() => undefined);
  if (!isMended || !isServing(context)) return;
  const most = () => (world.isHeldUp ? resyncTimeout : looked);
  await comes(context, 'the revert of a manual change', () => isMended().catch(() => false), 'Available', most);
};

/** Sometimes adds resources that Capstan must leave as they are. */
export const changeManually = async (context: ScenarioContext) => {
  const { clock, draw, desired } = context;
  const isAttached = draw.chance(0.5) && attachInterface(context);
  // The security group may not be visible yet, or already gone.
  const isOpen = draw.chance(0.5) ? await openForService(context).catch(() => undefined) : undefined;
  await changeSomething(context);
  if (isAttached || isOpen) await sleep(clock, looked);
  if (isOpen && !(await isOpen()))
    throw new Violation('upkeep', `the rule for a Service of ${desired.name} was removed`);
};
