/** Finds what was lost, has everything looked at again, and puts the installation to sleep: at intervals, and when changes were given up. */
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import type { ChangesWatch } from '../../adapters/aws/timers/changes.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import { hoursBetween, type Worker } from '../../machinery/controller/index.ts';
import type { Log } from '../../machinery/ports.ts';
import { existsAny } from '../../machinery/store/index.ts';
import { everything } from './everything.ts';
import type { Foundation } from './foundation.ts';
import type { Switches } from './switches.ts';

export interface Sweeping extends Pick<Worker, 'sweep' | 'resync'> {
  log: Log;
  /**
   * After changes that made no work, since their stream gave them up: has everything looked at, if that was not done since, and
   * wakes. `arrived`: when the last of them came, in milliseconds since the epoch.
   */
  recover(arrived: number): Promise<void>;
}

/** While there is one of these, something may have to be found by looking again. */
const looked = ['Cluster', 'AWSCluster', 'AWSMachine', 'ClusterOperation'];
/** Milliseconds. What a resync asked for and is not done by then is found by the sweep, on the hot queues. */
const resyncing = 480_000;
/** Milliseconds by which clocks may differ, and arrivals are rounded. */
const doubtful = 60_000;
const resynced = { pk: 'awake', sk: 'resync' };
/**
 * In milliseconds since the epoch: when the last resync began, when the last one that came to its end did, and the last one
 * of everything.
 */
interface Resynced {
  at?: number;
  done?: number;
  all?: number;
}

/** `changes`: the mapping that turns changes of objects into work; undefined where another process looks after it. */
export const createSweeping = (foundation: Foundation, switches: Switches, changes?: ChangesWatch): Sweeping => {
  const { kinds, store, objects, work, clock, log } = foundation;
  const { sweep, resync, rests } = everything(foundation);
  const awake = createAwake({ table: work, ...switches, clock });
  const lastResync = async () => ((await work.get(resynced, { consistent: true })) ?? {}) as Resynced;
  const note = (times: Resynced) => work.write({ update: resynced, set: { ...times } });
  const endResync = async () => {
    const { at = 0 } = await lastResync();
    if (clock.now() - at >= resyncing) await switches.slow.keep(false);
  };
  const beginResync = async (times: Resynced) => {
    await note(times);
    await switches.slow.enable();
  };
  /** What cannot be switched is told, and tried again; it must not keep anybody from looking for what was lost. */
  const whatever = async <T>(switching: Promise<T>, then: (value: T | undefined) => Promise<void>): Promise<void> => {
    const [result] = await Promise.allSettled([switching]);
    await then(result.status === 'fulfilled' ? result.value : undefined);
    if (result.status === 'rejected') throw result.reason;
  };
  const lookAgain = async (isWhole: boolean) => {
    const at = clock.now();
    const before = await lastResync();
    await whatever(beginResync({ at }), async () => {
      await resync(isWhole ? undefined : hoursBetween(before.done, at));
      await note({ done: at, ...(isWhole && { all: at }) });
    });
  };
  const watchChanges = async () => {
    const fault = await changes?.keep();
    if (fault !== undefined) log.error('Changes are not dispatched', { fault, remedy: 'see docs/restore.md' });
  };
  const settle = async () => {
    let isUnseen = false;
    const wakefulness = await awake.settle(async (last) => {
      if ((await existsAny(objects, looked.map(kinds.typeOf))) || !(await rests())) return false;
      // A change that its stream gave up made no work, and nobody would look for what it left once all is off.
      isUnseen = ((await lastResync()).all ?? Number.NEGATIVE_INFINITY) < last;
      return !isUnseen;
    });
    if (isUnseen) await lookAgain(true);
    else if (wakefulness === 'awake') await endResync();
    return wakefulness;
  };
  return {
    log,
    sweep: () =>
      whatever(watchChanges(), () =>
        whatever(settle(), async (wakefulness) => {
          if (wakefulness === 'asleep') return log.info('Fell asleep');
          await sweep();
          // Reading the position of a type settles it: types that no client reads stay cheap to begin with.
          for (const kind of kinds.all()) await store.position(resourceOf(kind));
        }),
      ),
    // A sweep may put everybody to sleep meanwhile.
    resync: () => whatever(lookAgain(false), () => awake.note()),
    recover: async (arrived) => {
      const { all = Number.NEGATIVE_INFINITY } = await lastResync();
      // One look finds all that was given up before it. Whoever has made work tells of it, again when that failed.
      const isFound = all - doubtful > arrived;
      await whatever(isFound ? Promise.resolve() : lookAgain(true), () => awake.note());
    },
  };
};
