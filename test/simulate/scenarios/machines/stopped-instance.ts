/** A user stops an instance. The status reports it, and only a request replaces it. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { conditionIn, hostOf, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlanesOf, type Scene, workersOf } from '../context.ts';
import { areGone, comes, patience } from '../progress.ts';
import { runningOf, spareOf } from './failures.ts';

const minute = 60_000;
/** An event reports it immediately; otherwise the hourly scan of the account finds it. */
const heard = 70 * minute;

export const stopInstance = async (scene: Scene) => {
  const { client, clock, draw, settled, world } = scene;
  const { account, mirror } = world;
  await settled(60);
  const isUntold = draw.chance(0.4);
  // A new installation resyncs everything in its first hour. After that only the scan finds the
  // change.
  if (isUntold) await sleep(clock, draw.spread(65 * minute, 130 * minute));
  const masters = runningOf(scene, controlPlanesOf(scene));
  const spare = masters.length === 3 ? spareOf(scene, masters) : [];
  const chosen = spare.length > 0 && draw.chance(0.4) ? spare : runningOf(scene, workersOf(scene));
  const running = chosen.filter(({ machine }) => !machine.metadata.deletionTimestamp && machine.status?.nodeRef);
  if (running.length === 0) return;
  const { machine, id } = draw.pick(running);
  const { name, uid } = machine.metadata;
  const find = () => {
    const now = mirror.get<Machine>('Machine', 'default', name);
    return now?.metadata.uid === uid && !now?.metadata.deletionTimestamp ? now : undefined;
  };
  const host = () => hostOf(mirror, machine);
  const stateOf = () => account.list().find((one) => one.id === id)?.state;
  const most = () => (world.isHeldUp ? patience : heard);
  const become = (what: string, isSo: () => boolean) =>
    comes(scene, what, () => !find() || isSo(), 'RemoteConnectionProbe', most);
  account.halt(id, isUntold);
  await become(`that ${name} is reported as stopped`, () => {
    const isReady = conditionIn(host(), 'InstanceReady');
    const isTold = isReady?.status === 'False' && isReady.reason === 'InstanceStopped';
    return isTold && host()?.status?.instanceState === 'stopped' && host()?.status?.ready !== true;
  });
  await become(`that ${name} is not Ready`, () => verdictOf(find(), 'Ready') === 'False');
  await sleep(clock, draw.spread(minute, 40 * minute));
  if (find() && !world.isDisturbed && stateOf() !== 'stopped')
    throw new Violation('stopped', `${id} of ${name}, which a user stopped, is ${stateOf() ?? 'gone'}`);
  if (draw.chance(0.6)) {
    // The instance may be terminating by now.
    try {
      account.start(id);
    } catch {
      return;
    }
    await become(`that ${name} is Ready again`, () => verdictOf(find(), 'Ready') === 'True');
    return;
  }
  await client.remove('Machine', name);
  await comes(scene, `the end of ${name}, which is stopped`, areGone(scene, [machine]), 'RemoteConnectionProbe');
};
