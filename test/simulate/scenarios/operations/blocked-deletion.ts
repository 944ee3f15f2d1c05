/**
 * A deletion is blocked by something that only a user may delete. Capstan reports it and continues
 * afterwards.
 */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { type ScenarioContext, workersOf } from '../context.ts';
import { resyncTimeout } from '../progress.ts';

const region = 'eu-central-1';
const minute = 60_000;
/** A step of a deletion may take half an hour, and other steps come before it. */
const stopped = 150 * minute;

interface Obstacle {
  name: string;
  /** Whether it is reported only after the step has timed out. */
  isPatient?: boolean;
  remove: () => Promise<unknown>;
}

/** A user created a security group in the network of a cluster. */
const inNetwork = async ({
  draw,
  world: { account, mirror },
  desired,
}: ScenarioContext): Promise<Obstacle | undefined> => {
  const uid = mirror.get<Cluster>('Cluster', 'default', desired.name)?.metadata.uid;
  const vpc = account.list().find(({ type, tags }) => type === 'vpc' && uid && tags['capstan.dev/cluster-uid'] === uid);
  if (!vpc) return undefined;
  const GroupName = `unmanaged-${draw.whole(1, 1_000_000)}`;
  const input = { VpcId: vpc.id, GroupName, Description: 'in the way', TagSpecifications: [] };
  const { GroupId } = await account.call(region, 'CreateSecurityGroup', input);
  return { name: GroupId, remove: () => account.call(region, 'DeleteSecurityGroup', { GroupId }) };
};

/** A user set a hook on a machine and forgot to remove it. */
const onMachine = async (context: ScenarioContext): Promise<Obstacle | undefined> => {
  const { client, draw } = context;
  const machines = workersOf(context).filter(({ metadata }) => !metadata.deletionTimestamp);
  if (machines.length === 0) return undefined;
  const { name } = draw.pick(machines).metadata;
  const hook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/user';
  const write = (value: string | null) =>
    client.patch('Machine', name, { metadata: { annotations: { [hook]: value } } });
  await write('waits');
  return { name, isPatient: true, remove: () => write(null) };
};

/** A pause stops the clock: afterwards the step has its full half hour again. */
const pauseMeanwhile = async ({ client, clock, draw, desired, world }: ScenarioContext, isOver: () => boolean) => {
  const pause = (paused: boolean) => client.patch('Cluster', desired.name, { spec: { paused } });
  await sleep(clock, draw.spread(minute, 10 * minute));
  if (isOver() || (await pause(true)).code >= 300) return;
  await sleep(clock, draw.spread(20 * minute, 120 * minute));
  const wasOver = isOver();
  await pause(false);
  const until = clock.now() + 25 * minute;
  for (; !wasOver && clock.now() < until && !world.isDisturbed; await sleep(clock, minute))
    if (isOver())
      throw new Violation('operations end', `the deletion of ${desired.name} resumes and stops immediately`);
};

export const deleteBlocked = async (context: ScenarioContext) => {
  const { client, clock, draw, life, settled, desired, world } = context;
  await settled(60);
  const obstacle = await draw
    .pick([inNetwork, onMachine])(context)
    .catch(() => undefined);
  if (!obstacle) return;
  life.desired = undefined;
  await client.remove('Cluster', desired.name);
  const uid = world.mirror.get('Cluster', 'default', desired.name)?.metadata.uid;
  const isGone = () => world.mirror.get('Cluster', 'default', desired.name)?.metadata.uid !== uid;
  const isOwn = ({ metadata, spec }: ClusterOperation) =>
    spec?.type === 'delete' && metadata.ownerReferences?.some((owner) => owner.uid === uid);
  /** The Cluster or its operation names the obstacle. */
  const isReported = () => {
    const operations = world.mirror.all<ClusterOperation>('ClusterOperation').filter(isOwn);
    const held = operations.filter(({ status }) => status?.phase === 'Held');
    const cluster = world.mirror.get<Cluster>('Cluster', 'default', desired.name);
    const report = JSON.stringify([held, cluster?.status?.conditions]);
    return held.length > 0 && report.includes(obstacle.name);
  };
  if (obstacle.isPatient && draw.chance(0.5)) await pauseMeanwhile(context, () => isGone() || isReported());
  const limit = clock.now() + (world.isDisturbed ? resyncTimeout : stopped);
  for (; !isGone() && !isReported(); await sleep(clock, minute))
    if (clock.now() > limit)
      throw new Violation(
        'operations end',
        `${obstacle.name} blocks the deletion of ${desired.name}, but no status reports it`,
      );
  await sleep(clock, draw.spread(minute, 60 * minute));
  const isRemoved = () =>
    obstacle.remove().then(
      () => true,
      () => false,
    );
  for (let tries = 0; tries < 10 && !(await isRemoved()); tries++) await sleep(clock, minute);
};
