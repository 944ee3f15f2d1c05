/** A user stops an instance. The status reports it, and only a request replaces it. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { conditionIn, hostOf, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlanesOf, type ScenarioContext, workersOf } from '../context.ts';
import { areGone, comes, resyncTimeout } from '../progress.ts';
import { expendableOf, runningOf } from './failures.ts';

const minute = 60_000;
/** An event reports it immediately; otherwise the hourly scan of the account finds it. */
const heard = 70 * minute;

export const stopInstance = async (context: ScenarioContext) => {
  const { client, clock, draw, settled, world } = context;
  const { account, mirror } = world;
  await settled(60);
  const losesEvents = draw.chance(0.4);
  // A new installation resyncs everything in its first hour. After that only the scan finds the
  // change.
  if (losesEvents) await sleep(clock, draw.spread(65 * minute, 130 * minute));
  const masters = runningOf(context, controlPlanesOf(context));
  const expendable = masters.length === 3 ? expendableOf(context, masters) : [];
  const chosen = expendable.length > 0 && draw.chance(0.4) ? expendable : runningOf(context, workersOf(context));
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
  const most = () => (world.isHeldUp ? resyncTimeout : heard);
  const become = (what: string, isSo: () => boolean) =>
    comes(context, what, () => !find() || isSo(), 'RemoteConnectionProbe', most);
  account.halt(id, losesEvents);
  await become(`that ${name} is reported as stopped`, () => {
    const isReady = conditionIn(host(), 'InstanceReady');
    const isReported = isReady?.status === 'False' && isReady.reason === 'InstanceStopped';
    return isReported && host()?.status?.instanceState === 'stopped' && host()?.status?.ready !== true;
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
  await comes(context, `the end of ${name}, which is stopped`, areGone(context, [machine]), 'RemoteConnectionProbe');
};
