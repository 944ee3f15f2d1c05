/** A creation that misses its deadline, which does not run during pauses. */
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import type { ScenarioContext } from '../context.ts';
import { full } from '../machines/failures.ts';
import { deleteAndCreateAgain } from './deletions.ts';

const minute = 60_000;
const hour = 60 * minute;
/** The time in which workers notice a pause or a deadline. */
const heard = 2 * minute;

const within = (time: string) => ({ 'capstan.dev/create-deadline': time });

/** Measures the unpaused time of a creation in milliseconds, until it is on hold. */
const stopwatch = ({ clock, world, desired }: ScenarioContext) => {
  let ran = 0;
  let since: number | undefined;
  let isBegun = false;
  let isHeld = false;
  const count = (isRunning: boolean) => {
    if (since !== undefined) ran += clock.now() - since;
    since = isRunning ? clock.now() : undefined;
  };
  world.mirror.onCommit(({ object }) => {
    if (isHeld || object?.metadata.namespace !== 'default') return;
    if (object.kind === 'Cluster' && object.metadata.name === desired.name)
      count(isBegun && (object as Cluster).spec?.paused !== true);
    const { spec, status } = object as ClusterOperation;
    if (object.kind !== 'ClusterOperation' || spec?.clusterName !== desired.name || spec.type !== 'create') return;
    if (!isBegun && status?.phase === 'Running') {
      isBegun = true;
      count(true);
    }
    isHeld = status?.phase === 'Held';
    if (isHeld) count(false);
  });
  return { isHeld: () => isHeld, ran: () => ran };
};

/**
 * Recreates the cluster without EC2 capacity, until `makeRoom`; undefined when its users want no
 * cluster.
 */
const createWithoutRoom = async (context: ScenarioContext) => {
  const { client, life, settled, desired, world } = context;
  await settled(60);
  if (!life.desired) return undefined;
  const { faults } = world.account;
  const { id } = faults.add({ action: 'RunInstances', code: full });
  desired.onFailure = 'Hold';
  await deleteAndCreateAgain(context);
  return {
    patch: (body: object) => client.patch('Cluster', desired.name, body),
    makeRoom: () => faults.clear(id),
  };
};

export const missDeadline = async (context: ScenarioContext) => {
  const { clock, draw, desired, world } = context;
  const limit = draw.whole(25, 45);
  const created = await createWithoutRoom(context);
  if (!created) return;
  const { patch, makeRoom } = created;
  const watch = stopwatch(context);
  await patch({ metadata: { annotations: within(`${limit}m`) } });
  for (let pauses = draw.whole(1, 2); pauses > 0; pauses--) {
    await sleep(clock, draw.spread(minute, 10 * minute));
    await patch({ spec: { paused: true } });
    await sleep(clock, draw.spread(5 * minute, 3 * hour));
    await patch({ spec: { paused: false } });
  }
  const end = clock.now() + 4 * hour;
  while (!watch.isHeld() && clock.now() < end) await sleep(clock, minute);
  const off = watch.isHeld() ? Math.abs(watch.ran() - limit * minute) : Number.POSITIVE_INFINITY;
  if (!world.isDisturbed && off > heard)
    throw new Violation(
      'limits',
      `${desired.name} has a deadline of ${limit} minutes, but ${watch.isHeld() ? 'is on hold' : 'continues'} after ${watch.ran() / minute}`,
    );
  makeRoom();
  await patch({ metadata: { annotations: { ...within('2h'), 'capstan.dev/retry': 'there is room' } } });
};

/**
 * The deadline passes while no worker runs. The operation gets some extra time instead of failing.
 */
export const sleepThroughDeadline = async (context: ScenarioContext) => {
  const { clock, draw, desired, world } = context;
  const created = await createWithoutRoom(context);
  if (!created) return;
  const { patch, makeRoom } = created;
  await patch({ metadata: { annotations: within(`${draw.whole(25, 45)}m`) } });
  await sleep(clock, draw.spread(2 * minute, 10 * minute));
  const find = () =>
    world.mirror
      .all<ClusterOperation>('ClusterOperation')
      .find(
        ({ metadata, spec, status }) =>
          metadata.namespace === 'default' &&
          spec?.clusterName === desired.name &&
          spec.type === 'create' &&
          status?.phase === 'Running' &&
          status.deadline !== undefined,
      );
  const end = Date.parse(find()?.status?.deadline ?? '');
  await sleep(clock, Math.max(0, end - clock.now() - draw.spread(minute, 5 * minute)) || 0);
  const { metadata } = find() ?? {};
  if (metadata) {
    world.standStill(end - clock.now() + draw.spread(5 * minute, 3 * hour));
    while (clock.now() < end + 5 * minute) await sleep(clock, minute);
  }
  makeRoom();
  let isBack = false;
  world.mirror.onCommit(({ object }) => {
    const { status } = (object ?? {}) as ClusterOperation;
    if (isBack || !metadata || object?.metadata.uid !== metadata.uid) return;
    isBack = true;
    // The first worker to run notices that no worker checked the deadline in time.
    if (status?.phase === 'Held' || status?.steps?.some(({ verdict }) => verdict === 'DeadlineExceeded'))
      throw new Violation('limits', `${metadata.name} fails at a deadline that passed while no worker ran`);
  });
  await sleep(clock, 4 * hour);
  isBack = true;
  await patch({ metadata: { annotations: { ...within('2h'), 'capstan.dev/retry': 'there is room' } } });
};
