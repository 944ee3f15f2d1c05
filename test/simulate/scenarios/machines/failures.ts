/** Instances fail, and a user reacts. */

import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { controlPlane, controlPlanesOf, type ScenarioContext, workersOf } from '../context.ts';
import { areGone, comes, promptly, resyncTimeout } from '../progress.ts';
import { busyWith } from '../requests.ts';
import { attached } from './volumes.ts';

const region = 'eu-central-1';
const minute = 60_000;

const instanceOf = ({ world }: ScenarioContext, { spec }: Machine): string | undefined => {
  const name = spec?.infrastructureRef?.name ?? '';
  return world.mirror.get<AWSMachine>('AWSMachine', 'default', name)?.spec?.instanceID;
};
/** The machines with their running instances. */
export const runningOf = (
  context: ScenarioContext,
  machines: readonly Machine[],
): { machine: Machine; id: string; zone: string }[] =>
  machines.flatMap((machine) => {
    const id = instanceOf(context, machine);
    const instance = context.world.account.list().find((one) => one.id === id && one.state === 'running');
    return instance ? [{ machine, id: instance.id, zone: instance.zone }] : [];
  });

/**
 * Terminates the instances. After a while a user deletes their Machines, as a health check would.
 */
const lose = async (context: ScenarioContext, lost: readonly { machine: Machine; id: string }[]) => {
  for (const { id } of lost) context.world.account.terminate(id);
  await sleep(context.clock, context.draw.spread(1000, 40 * minute));
  for (const { machine } of lost) await context.client.remove('Machine', machine.metadata.name);
};

/** A worker with pods falls silent for good, so how its pods end stays unknown. */
const silenceWorker = (context: ScenarioContext) =>
  busyWith(context, true, async (machine) => {
    const { client, clock, world } = context;
    const [silent] = runningOf(context, machine ? [machine] : []);
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
    await comes(context, what, areGone(context, [silent.machine]), 'RemoteConnectionProbe');
  });

export const interruptInstance = async (context: ScenarioContext) => {
  if (context.life.desired && context.draw.chance(0.5)) return silenceWorker(context);
  const running = runningOf(context, workersOf(context));
  if (running.length > 0) await lose(context, [context.draw.pick(running)]);
};

export const full = 'InsufficientInstanceCapacity';

/** Only one zone has capacity, and the workers must be created there. */
const leaveOneZone = async (context: ScenarioContext, lost: readonly { machine: Machine; id: string }[]) => {
  const { draw, desired, world } = context;
  const { faults } = world.account;
  const { failureDomains = [] } = world.mirror.get<Cluster>('Cluster', 'default', desired.name)?.status ?? {};
  if (failureDomains.length < 2) return lose(context, lost);
  const left = draw.pick(failureDomains.map(({ name }) => name));
  const others = failureDomains.filter(({ name }) => name !== left);
  const ids = others.map(({ name }) => faults.add({ action: 'RunInstances', code: full, zone: name }).id);
  // At first no zone has capacity, so that every zone is tried.
  const everywhere = draw.chance(0.5) ? faults.add({ action: 'RunInstances', code: full }).id : undefined;
  await lose(context, lost);
  if (everywhere) {
    await sleep(context.clock, draw.spread(minute, 20 * minute));
    faults.clear(everywhere);
  }
  const isMade = () => {
    const there = workersOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);
    return there.length >= desired.workers && there.every(({ status }) => status?.nodeRef !== undefined);
  };
  const most = () => (world.isHeldUp ? resyncTimeout : promptly);
  await comes(context, `workers in ${left}, the only zone with capacity,`, isMade, 'RemoteConnectionProbe', most);
  for (const id of ids) faults.clear(id);
};

/**
 * All workers of a zone terminate. For a while that zone, most zones or all zones lack capacity.
 */
export const loseZone = async (context: ScenarioContext) => {
  const running = runningOf(context, workersOf(context));
  if (running.length === 0) return;
  const { zone } = context.draw.pick(running);
  const { faults } = context.world.account;
  const lost = running.filter((one) => one.zone === zone);
  const isFree = context.life.desired && context.desired.instanceType !== 'x9.imagined';
  if (isFree && context.draw.chance(0.4)) return leaveOneZone(context, lost);
  const where = context.draw.chance(0.4) ? {} : { zone };
  const { id } = faults.add({ action: 'RunInstances', code: full, ...where });
  await lose(context, lost);
  await sleep(context.clock, context.draw.spread(minute, 60 * minute));
  faults.clear(id);
};

/**
 * Machines that etcd's quorum does not need. Etcd may have fewer voters than there are machines
 * during a replacement.
 */
export const expendableOf = ({ world: { guests } }: ScenarioContext, running: ReturnType<typeof runningOf>) =>
  running.filter(({ id }) => {
    const isMember = (instanceId: string) => running.some((other) => other.id === instanceId && other.id !== id);
    const cluster = guests.clusters
      .all()
      .find(({ record }) => record.etcd.members.some(({ instanceId }) => instanceId === id));
    const voters = cluster?.record.etcd.members.filter(({ isLearner }) => !isLearner) ?? [];
    return voters.filter(({ instanceId }) => isMember(instanceId)).length > voters.length / 2;
  });

/** One of three control plane machines falls silent for a while, during a deletion or a rollout. */
const silenceMember = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world, desired } = context;
  if (desired.controlPlanes !== 3) {
    desired.controlPlanes = 3;
    await client.scale('KubeadmControlPlane', controlPlane(context), 3);
  }
  await settled(90);
  const running = runningOf(context, controlPlanesOf(context));
  const expendable = running.length === 3 ? expendableOf(context, running) : [];
  if (expendable.length === 0) return;
  const silent = draw.pick(expendable);
  const guest = world.guests.guests().find(({ instance }) => instance.instanceId === silent.id);
  world.guests.halt(silent.id);
  await sleep(clock, draw.spread(22 * minute, 60 * minute));
  const [other] = running.filter(({ id }) => id !== silent.id);
  if (draw.chance(0.5)) await client.remove('Machine', other!.machine.metadata.name);
  else {
    const after = new Date(clock.now()).toISOString();
    await client.patch('KubeadmControlPlane', controlPlane(context), { spec: { rollout: { after } } });
  }
  await sleep(clock, draw.spread(5 * minute, 40 * minute));
  if (guest && runningOf(context, [silent.machine]).length > 0) world.guests.boot(guest.instance);
};

export const loseMember = async (context: ScenarioContext) => {
  if (context.life.desired && context.draw.chance(0.5)) return silenceMember(context);
  const running = runningOf(context, controlPlanesOf(context));
  const expendable = running.length < 3 ? [] : expendableOf(context, running);
  if (expendable.length > 0) await lose(context, [context.draw.pick(expendable)]);
};

/** The cluster is lost for good, so its user deletes it. */
export const loseQuorum = async (context: ScenarioContext) => {
  const running = runningOf(context, controlPlanesOf(context));
  if (running.length < 1 || !context.life.desired) return;
  context.life.desired = undefined;
  context.life.isRuined = true;
  for (const { id } of running.slice(0, Math.floor(running.length / 2) + 1)) context.world.account.terminate(id);
  await sleep(context.clock, context.draw.spread(1000, 40 * minute));
  await context.client.remove('Cluster', context.desired.name);
};

/** Tags without a meaning for Capstan, including the Name tag. */
export const editTags = async ({ world, draw }: ScenarioContext) => {
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
