/** Instances fail, and a person reacts. */

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
/** With the instances on which they run. */
export const runningOf = (
  scene: Scene,
  machines: readonly Machine[],
): { machine: Machine; id: string; zone: string }[] =>
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
    const node = silent.machine.status?.nodeRef?.name ?? '';
    // Nobody can take it off who has no answer from there: it is not waited for.
    for (const cluster of world.guests.clusters.all())
      if ((await cluster.list('nodes')).some(({ metadata }) => metadata.name === node))
        for (const object of attached(`held-by-${name}`, node)) await cluster.create(object);
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

export const full = 'InsufficientInstanceCapacity';

/** Of the zones one alone has room, and in that one the workers come that are wanted. */
const leaveOneZone = async (scene: Scene, lost: readonly { machine: Machine; id: string }[]) => {
  const { draw, wish, world } = scene;
  const { faults } = world.account;
  const { failureDomains = [] } = world.mirror.get<Cluster>('Cluster', 'default', wish.name)?.status ?? {};
  if (failureDomains.length < 2) return lose(scene, lost);
  const left = draw.pick(failureDomains.map(({ name }) => name));
  const others = failureDomains.filter(({ name }) => name !== left);
  const ids = others.map(({ name }) => faults.add({ action: 'RunInstances', code: full, zone: name }).id);
  // For a while there is none anywhere, so that each has been tried.
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
  await comes(scene, `workers in ${left}, where alone there is room,`, isMade, 'RemoteConnectionProbe', most);
  for (const id of ids) faults.clear(id);
};

/** Everything of the workers in it ends at once, and for a while nothing begins there, in most zones, or in any. */
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

/** Those without which etcd still has a quorum: it may have fewer voters than machines while these come and go. */
export const spareOf = ({ world: { guests } }: Scene, running: ReturnType<typeof runningOf>) =>
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
