/** What happens to the machines of a cluster, and what a person does about it afterwards. */
import type { AWSMachine } from '../../../kinds/aws-machine/index.ts';
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import { sleep } from '../../../machinery/ports.ts';
import type { ListedResource } from '../../../simulation/aws/index.ts';
import { areGone, comes, isServing, patience } from './comes.ts';
import { controlPlane, controlPlanesOf, type Scene, workersOf } from './scene.ts';
import { busyWith } from './wishes.ts';

const region = 'eu-central-1';
const minute = 60_000;
/** The account is looked at each hour. */
const looked = 120 * minute;

const instanceOf = ({ world }: Scene, { spec }: Machine): string | undefined => {
  const name = spec?.infrastructureRef?.name ?? '';
  return world.mirror.get<AWSMachine>('AWSMachine', 'default', name)?.spec?.instanceID;
};
const runningOf = (scene: Scene, machines: readonly Machine[]): { machine: Machine; id: string; zone: string }[] =>
  machines.flatMap((machine) => {
    const id = instanceOf(scene, machine);
    const instance = scene.world.account.list().find((one) => one.id === id && one.state === 'running');
    return instance ? [{ machine, id: instance.id, zone: instance.zone }] : [];
  });

/** They are gone, and after a while somebody deletes their Machines, as a health check would. */
const lose = async (scene: Scene, lost: readonly { machine: Machine; id: string }[]) => {
  for (const { id } of lost) scene.world.account.terminate(id);
  await sleep(scene.clock, scene.draw.spread(1000, 40 * minute));
  for (const { machine } of lost) await scene.client.remove('Machine', machine.metadata.name);
};

/** It runs on with pods on it and says nothing any more, for good: nobody tells how they end. */
const silenceWorker = (scene: Scene) =>
  busyWith(scene, true, async (machine) => {
    const { client, clock, world } = scene;
    const [silent] = runningOf(scene, machine ? [machine] : []);
    if (!silent) return;
    const { name } = silent.machine.metadata;
    world.guests.halt(silent.id);
    await sleep(clock, 10 * minute);
    await client.remove('Machine', name);
    const what = `the end of ${name}, of which nobody hears`;
    await comes(scene, what, areGone(scene, [silent.machine]), 'RemoteConnectionProbe');
  });

export const interruptInstance = async (scene: Scene) => {
  if (scene.life.wish && scene.draw.chance(0.5)) return silenceWorker(scene);
  const running = runningOf(scene, workersOf(scene));
  if (running.length > 0) await lose(scene, [scene.draw.pick(running)]);
};

/** Everything of the workers in it ends at once, and for a while nothing begins there, or in any other zone. */
export const loseZone = async (scene: Scene) => {
  const running = runningOf(scene, workersOf(scene));
  if (running.length === 0) return;
  const { zone } = scene.draw.pick(running);
  const { faults } = scene.world.account;
  const full = scene.draw.chance(0.4) ? {} : { zone };
  const { id } = faults.add({ action: 'RunInstances', code: 'InsufficientInstanceCapacity', ...full });
  const lost = running.filter((one) => one.zone === zone);
  await lose(scene, lost);
  await sleep(scene.clock, scene.draw.spread(minute, 60 * minute));
  faults.clear(id);
};

/** Those without which etcd still has a quorum: it may have fewer voters than machines while these come and go. */
const spareOf = ({ world: { guests } }: Scene, running: ReturnType<typeof runningOf>) =>
  running.filter(({ id }) => {
    const isMember = (instanceId: string) => running.some((other) => other.id === instanceId && other.id !== id);
    const cluster = guests.clusters
      .all()
      .find(({ record }) => record.etcd.members.some(({ instanceId }) => instanceId === id));
    const voters = cluster?.record.etcd.members.filter(({ isLearner }) => !isLearner) ?? [];
    return voters.filter(({ instanceId }) => isMember(instanceId)).length > voters.length / 2;
  });

/** One of three says nothing for a while, and meanwhile another one is to go, or all are to be others. */
const silenceMember = async (scene: Scene) => {
  const { client, clock, draw, settled, world, wish } = scene;
  if (wish.controlPlanes !== 3) {
    wish.controlPlanes = 3;
    await client.scale('KubeadmControlPlane', controlPlane(scene), 3);
  }
  await settled(90);
  const running = runningOf(scene, controlPlanesOf(scene));
  const spare = running.length === 3 ? spareOf(scene, running) : [];
  if (spare.length === 0) return;
  const silent = draw.pick(spare);
  const guest = world.guests.guests().find(({ instance }) => instance.instanceId === silent.id);
  world.guests.halt(silent.id);
  await sleep(clock, draw.spread(22 * minute, 60 * minute));
  const [other] = running.filter(({ id }) => id !== silent.id);
  if (draw.chance(0.5)) await client.remove('Machine', other!.machine.metadata.name);
  else {
    const after = new Date(clock.now()).toISOString();
    await client.patch('KubeadmControlPlane', controlPlane(scene), { spec: { rollout: { after } } });
  }
  await sleep(clock, draw.spread(5 * minute, 40 * minute));
  if (guest && runningOf(scene, [silent.machine]).length > 0) world.guests.boot(guest.instance);
};

export const loseMember = async (scene: Scene) => {
  if (scene.life.wish && scene.draw.chance(0.5)) return silenceMember(scene);
  const running = runningOf(scene, controlPlanesOf(scene));
  const spare = running.length < 3 ? [] : spareOf(scene, running);
  if (spare.length > 0) await lose(scene, [scene.draw.pick(spare)]);
};

/** Nothing brings it back: its user deletes it. */
export const loseQuorum = async (scene: Scene) => {
  const running = runningOf(scene, controlPlanesOf(scene));
  if (running.length < 1 || !scene.life.wish) return;
  scene.life.wish = undefined;
  scene.life.isRuined = true;
  for (const { id } of running.slice(0, Math.floor(running.length / 2) + 1)) scene.world.account.terminate(id);
  await sleep(scene.clock, scene.draw.spread(1000, 40 * minute));
  await scene.client.remove('Cluster', scene.wish.name);
};

/** Tags that mean nothing to Capstan, and one that people read. */
export const editTags = async ({ world, draw }: Scene) => {
  const ours = world.account
    .list()
    .filter(({ tags, state }) => tags['capstan.dev/installation'] === 'here' && !/terminat|delet|shutting/.test(state))
    .filter(({ type }) => /^(instance|vpc|subnet|security-group)$/.test(type));
  if (ours.length === 0) return;
  const Tags = [
    { Key: 'Name', Value: 'renamed' },
    { Key: 'team', Value: 'somebody' },
  ];
  await world.account.call(region, 'CreateTags', { Resources: [draw.pick(ours).id], Tags }).catch(() => {});
};

/** What gives pods their addresses attaches interfaces in groups of its own, which nobody else is to change. */
const attachInterface = (scene: Scene): boolean => {
  const { draw, world, wish } = scene;
  const { uid } = world.mirror.get<Cluster>('Cluster', 'default', wish.name)?.metadata ?? {};
  const groups = world.account
    .list()
    .filter(({ type, tags }) => type === 'security-group' && uid && tags['capstan.dev/cluster-uid'] === uid);
  const running = runningOf(scene, [...controlPlanesOf(scene), ...workersOf(scene)]);
  if (groups.length === 0 || running.length === 0) return false;
  world.account.attach(draw.pick(running).id, [draw.pick(groups).id]);
  return true;
};

/** Tells whether what was changed is as it was. */
type IsMended = () => Promise<boolean>;

const openPort = async ({ draw, world: { account } }: Scene, groups: readonly ListedResource[]): Promise<IsMended> => {
  const GroupId = draw.pick(groups).id;
  const IpPermissions = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await account.call(region, 'AuthorizeSecurityGroupIngress', { GroupId, IpPermissions });
  return async () => {
    const { SecurityGroups } = await account.call(region, 'DescribeSecurityGroups', { GroupIds: [GroupId] });
    return !SecurityGroups[0]?.IpPermissions.some(({ FromPort }) => FromPort === 22);
  };
};

const leaveTable = async (
  { draw, world: { account } }: Scene,
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

/** Its address stays, and the routes that led through it lead nowhere. */
const deleteGateway = async (
  { draw, world: { account } }: Scene,
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

/** Somebody opens a port, or takes a subnet's way out, in the console: nobody is told of it. */
const changeNetwork = async (scene: Scene) => {
  const { clock, draw, life, world, wish } = scene;
  const { account, mirror } = world;
  if (life.wish && isServing(scene) && draw.chance(0.5)) {
    // Whoever looks in that hour sees nothing, and looks again when it is over: what comes after that, the next look shows.
    const { id } = account.faults.add({ action: 'DescribeSecurityGroups', code: 'InternalError' });
    await sleep(clock, 70 * minute);
    account.faults.clear(id);
    await sleep(clock, 30 * minute);
  }
  const { uid } = mirror.get<Cluster>('Cluster', 'default', wish.name)?.metadata ?? {};
  const ours = account.list().filter(({ tags }) => uid && tags['capstan.dev/cluster-uid'] === uid);
  const groups = ours.filter(({ type }) => type === 'security-group');
  const tables = ours.filter(({ type }) => type === 'route-table');
  const gateways = ours.filter(({ type, state }) => type === 'natgateway' && state === 'available');
  const change = async (): Promise<IsMended | undefined> => {
    if (tables.length > 0 && draw.chance(0.5)) return leaveTable(scene, tables);
    if (gateways.length > 0 && draw.chance(0.5)) return deleteGateway(scene, gateways, tables);
    return groups.length > 0 ? openPort(scene, groups) : undefined;
  };
  // What it is about may not be seen yet, or not be there any more.
  const isMended = await change().catch(() => undefined);
  if (!isMended || !isServing(scene)) return;
  const most = world.isDisturbed ? patience : looked;
  await comes(scene, 'the network as it was', () => isMended().catch(() => false), 'Available', most);
};

/** Perhaps with something in the account that is to stay as it is, however long one looks. */
export const changeByHand = async (scene: Scene) => {
  const isAttached = scene.draw.chance(0.5) && attachInterface(scene);
  await changeNetwork(scene);
  if (isAttached) await sleep(scene.clock, looked);
};
