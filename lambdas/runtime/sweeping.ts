/**
 * The sweep: finds lost work, resyncs, and puts the installation to sleep. Runs on schedules and for
 * discarded changes.
 */
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import type { ChangesWatch } from '../../adapters/aws/timers/changes.ts';
import { hoursBetween, type Sweeper } from '../../machinery/controller/index.ts';
import { createSkippedReports } from '../../machinery/controller/skipped.ts';
import { onDemand } from '../../machinery/once.ts';
import type { Log } from '../../machinery/ports.ts';
import { existsAny } from '../../machinery/store/index.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { composeSweep } from '../../runtime/sweep.ts';
import type { Switches } from './switches.ts';

export interface Sweeping extends Pick<Sweeper, 'sweep'> {
  log: Log;
  resync(): Promise<void>;
  /**
   * Recovers changes that the stream discarded: resyncs everything unless a resync since then covers them,
   * and wakes the installation. `arrived`: when the last of them arrived, in milliseconds since the epoch.
   */
  recover(arrived: number): Promise<void>;
}

/** While objects of these kinds exist, the installation stays awake. */
const looked = ['Cluster', 'AWSCluster', 'AWSMachine', 'ClusterOperation'];
/**
 * Milliseconds. Work that a resync requested and that is not done by then is requeued by the sweep on the hot
 * queues.
 */
const resyncing = 480_000;
/** Milliseconds of clock skew and of rounding in arrival times. */
const doubtful = 60_000;
/** An alarm of cdk/monitoring counts entries with these words. */
export const undispatched = 'Changes are not dispatched';
const resynced = { pk: 'awake', sk: 'resync' };
/**
 * In milliseconds since the epoch: start of the last resync, start of the last completed one, and start of
 * the last complete one. `late`: the start of the last one of a controller whose resync failed since.
 */
interface Resynced {
  at?: number;
  done?: number;
  all?: number;
  late?: Record<string, number>;
}

/** `changes`: the mapping of the stream; undefined where another function enables it. */
export const createSweeping = (foundation: Foundation, switches: Switches, changes?: ChangesWatch): Sweeping => {
  const { kinds, objects, work, clock, log } = foundation;
  const lostDispatch = onDemand(async () => (await import('./lost-dispatch.ts')).createLostDispatch(foundation));
  const { sweep, resync, isIdle } = composeSweep(foundation);
  const skippedReports = createSkippedReports({ table: work, clock, log });
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
  /** A failed switch is logged and retried. It must not keep the sweep from finding lost work. */
  const whatever = async <T>(switching: Promise<T>, then: (value: T | undefined) => Promise<void>): Promise<void> => {
    const [result] = await Promise.allSettled([switching]);
    await then(result.status === 'fulfilled' ? result.value : undefined);
    if (result.status === 'rejected') throw result.reason;
  };
  const lookAgain = async (isWhole: boolean) => {
    const at = clock.now();
    const before = await lastResync();
    await whatever(beginResync({ at }), async () => {
      const ends = isWhole ? await (await lostDispatch()).ends() : undefined;
      const since = (controller: string) => before.late?.[controller] ?? before.done;
      const failed = await resync(isWhole ? undefined : (controller) => hoursBetween(since(controller), at));
      const failedSince = Object.fromEntries(failed.map((controller) => [controller, since(controller) ?? 0]));
      if (failed.length === 0 && ends) await (await lostDispatch()).cover(ends);
      await note({ done: at, late: failedSince, ...(failed.length === 0 && isWhole && { all: at }) });
      if (failed.length > 0) throw new Error(`the resync failed of ${failed.join(', ')}`);
    });
  };
  const watchChanges = async () => {
    const fault = await changes?.keep();
    if (fault !== undefined) log.error(undispatched, { fault, remedy: 'see docs/restore.md' });
  };
  const settle = async () => {
    let isUnseen = false;
    const wakefulness = await awake.settle(async (last) => {
      if ((await existsAny(objects, looked.map(kinds.typeOf))) || !(await isIdle())) return false;
      // A discarded change created no work item, so a resync must find its work before the installation
      // sleeps.
      isUnseen = ((await lastResync()).all ?? Number.NEGATIVE_INFINITY) < last;
      return !isUnseen;
    });
    if (isUnseen) await lookAgain(true);
    else if (wakefulness === 'awake') await endResync();
    return wakefulness;
  };
  const findLost = async () => {
    const { dispatched, isUnclear, failed, skipped } = await (await lostDispatch()).find(async (entry) => {
      const { createDispatching } = await import('./dispatching.ts');
      await createDispatching(foundation, switches).dispatch(entry);
    });
    if (dispatched > 0 || isUnclear) log.error(undispatched, { dispatched, isUnclear });
    await skippedReports.report('dispatch', skipped);
    if (isUnclear) await lookAgain(true);
    if (failed) throw failed.error;
  };
  return {
    log,
    sweep: () =>
      whatever(watchChanges(), () =>
        whatever(settle(), async (wakefulness) => {
          if (wakefulness !== 'asleep') await sweep();
          // Also while it falls asleep: the next sweep checks what comes after this one.
          await findLost();
          if (wakefulness === 'asleep') log.info('Fell asleep');
        }),
      ),
    // A sweep may have put the installation to sleep during the resync.
    resync: () => whatever(lookAgain(false), () => awake.note()),
    recover: async (arrived) => {
      const { all = Number.NEGATIVE_INFINITY } = await lastResync();
      // One resync covers all changes that were discarded before it. Every source of work reports it, again
      // after a failure.
      const isFound = all - doubtful > arrived;
      await whatever(isFound ? Promise.resolve() : lookAgain(true), () => awake.note());
    },
  };
};
