/** Instances fail, and a user reacts. */

import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { controlPlane, controlPlanesOf, type Scene, workersOf } from '../context.ts';
import { areGone, comes, patience, promptly } from '../progress.ts';
import { busyWith } from '../requests.ts';
import { attached } from './volumes.ts';

const region = 'eu-central-1';
const minute = 60_000;

const instanceOf = ({ world }: Scene, { spec }: Machine): string | undefined => {
  const name = spec?.infrastructureRef?.name ?? '';
  return world.mirror.get<AWSMachine>('AWSMachine', 'default', name)?.spec?.instanceID;
};
/** The machines with their running instances. */
export const runningOf = (
  scene: Scene,
  machines: readonly Machine[],
): { machine: Machine; id: string; zone: string }[] =>
  machines.flatMap((machine) => {
    const id = instanceOf(scene, machine);
    const instance = scene.world.account.list().find((one) => one.id === id && one.state === 'running');
    return instance ? [{ machine, id: instance.id, zone: instance.zone }] : [];
  });

/**
 * Terminates the instances. After a while a user deletes their Machines, as a health check would.
 */
const lose = async (scene: Scene, lost: readonly { machine: Machine; id: string }[]) => {
  for (const { id } of lost) scene.world.account.terminate(id);
  await sleep(scene.clock, scene.draw.spread(1000, 40 * minute));
  for (const { machine } of lost) await scene.client.remove('Machine', machine.metadata.name);
};

/** A worker with pods falls silent for good, so how its pods end stays unknown. */
const silenceWorker = (scene: Scene) =>
  busyWith(scene, true, async (machine) => {
    const { client, clock, world } = scene;
    const [silent] = runningOf(scene, machine ? [machine] : []);
    if (!silent) return;
    const { name } = silent.machine.metadata;
    const node = silent.machine.status?.nodeRef?.name ?? '';
    // No driver can detach the volume from an unreachable Node, so the deletion must not wait for
    // it.
    for (const cluster of world.guests.clusters.all())
      if ((await cluster.list('nodes')).some(({ metadata }) => metadata.name === node))
        for (const object of attached(`held-by-${name}`, node)) await cluster.create(object);
    world.guests.halt(silent.id);
    await sleep(clock, 10 * minute);
    await client.remove('Machine', name);
    const what = `the end of ${name}, which is unreachable`;
    await comes(scene, what, areGone(scene, [silent.machine]), 'RemoteConnectionProbe');
  });

export const interruptInstance = async (scene: Scene) => {
  if (scene.life.wish && scene.draw.chance(0.5)) return silenceWorker(scene);
  const running = runningOf(scene, workersOf(scene));
  if (running.length > 0) await lose(scene, [scene.draw.pick(running)]);
};

export const full = 'InsufficientInstanceCapacity';

/** Only one zone has capacity, and the workers must be created there. */
const leaveOneZone = async (scene: Scene, lost: readonly { machine: Machine; id: string }[]) => {
  const { draw, wish, world } = scene;
  const { faults } = world.account;
  const { failureDomains = [] } = world.mirror.get<Cluster>('Cluster', 'default', wish.name)?.status ?? {};
  if (failureDomains.length < 2) return lose(scene, lost);
  const left = draw.pick(failureDomains.map(({ name }) => name));
  const others = failureDomains.filter(({ name }) => name !== left);
  const ids = others.map(({ name }) => faults.add({ action: 'RunInstances', code: full, zone: name }).id);
  // At first no zone has capacity, so that every zone is tried.
  const everywhere = draw.chance(0.5) ? faults.add({ action: 'RunInstances', code: full }).id : undefined;
  await lose(scene, lost);
  if (everywhere) {
    await sleep(scene.clock, draw.spread(minute, 20 * minute));
    faults.clear(everywhere);
  }
  const isMade = () => {
    const there = workersOf(scene).filter(({ metadata }) => !metadata.deletionTimestamp);
    return there.length >= wish.workers && there.every(({ status }) => status?.nodeRef !== undefined);
  };
  const most = () => (world.isHeldUp ? patience : promptly);
  await comes(scene, `workers in ${left}, the only zone with capacity,`, isMade, 'RemoteConnectionProbe', most);
  for (const id of ids) faults.clear(id);
};

/**
 * All workers of a zone terminate. For a while that zone, most zones or all zones lack capacity.
 */
export const loseZone = async (scene: Scene) => {
  const running = runningOf(scene, workersOf(scene));
  if (running.length === 0) return;
  const { zone } = scene.draw.pick(running);
  const { faults } = scene.world.account;
  const lost = running.filter((one) => one.zone === zone);
  const isFree = scene.life.wish && scene.wish.instanceType !== 'x9.imagined';
  if (isFree && scene.draw.chance(0.4)) return leaveOneZone(scene, lost);
  const where = scene.draw.chance(0.4) ? {} : { zone };
  const { id } = faults.add({ action: 'RunInstances', code: full, ...where });
  await lose(scene, lost);
  await sleep(scene.clock, scene.draw.spread(minute, 60 * minute));
  faults.clear(id);
};

/**
 * Machines that etcd's quorum does not need. Etcd may have fewer voters than there are machines
 * during a replacement.
 */
export const spareOf = ({ world: { guests } }: Scene, running: ReturnType<typeof runningOf>) =>
  running.filter(({ id }) => {
    const isMember = (instanceId: string) => running.some((other) => other.id === instanceId && other.id !== id);
    const cluster = guests.clusters
      .all()
      .find(({ record }) => record.etcd.members.some(({ instanceId }) => instanceId === id));
    const voters = cluster?.record.etcd.members.filter(({ isLearner }) => !isLearner) ?? [];
    return voters.filter(({ instanceId }) => isMember(instanceId)).length > voters.length / 2;
  });

/** One of three control plane machines falls silent for a while, during a deletion or a rollout. */
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

/** The cluster is lost for good, so its user deletes it. */
export const loseQuorum = async (scene: Scene) => {
  const running = runningOf(scene, controlPlanesOf(scene));
  if (running.length < 1 || !scene.life.wish) return;
  scene.life.wish = undefined;
  scene.life.isRuined = true;
  for (const { id } of running.slice(0, Math.floor(running.length / 2) + 1)) scene.world.account.terminate(id);
  await sleep(scene.clock, scene.draw.spread(1000, 40 * minute));
  await scene.client.remove('Cluster', scene.wish.name);
};

/** Tags without a meaning for Capstan, including the Name tag. */
export const editTags = async ({ world, draw }: Scene) => {
  const ours = world.account
    .list()
    .filter(({ tags, state }) => tags['capstan.dev/installation'] === 'here' && !/terminat|delet|shutting/.test(state))
    .filter(({ type }) => /^(instance|vpc|subnet|security-group)$/.test(type));
  if (ours.length === 0) return;
  const Tags = [
    { Key: 'Name', Value: 'renamed' },
    { Key: 'team', Value: 'user' },
  ];
  await world.account.call(region, 'CreateTags', { Resources: [draw.pick(ours).id], Tags }).catch(() => {});
};
