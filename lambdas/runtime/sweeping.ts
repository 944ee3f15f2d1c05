/** What fires at intervals: finds what was lost, has everything looked at again, and puts the installation to sleep. */
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import { resourceOf } from '../../machinery/api/kind.ts';
import { hoursBetween, type Worker } from '../../machinery/controller/index.ts';
import type { Log } from '../../machinery/ports.ts';
import { existsAny } from '../../machinery/store/index.ts';
import { everything } from './everything.ts';
import type { Foundation } from './foundation.ts';
import type { Switches } from './switches.ts';

export type Sweeping = Pick<Worker, 'sweep' | 'resync'> & { log: Log };

/** While there is one of these, something may have to be found by looking again. */
const looked = ['Cluster', 'AWSCluster', 'AWSMachine', 'ClusterOperation'];
/** Milliseconds. What a resync asked for and is not done by then is found by the sweep, on the hot queues. */
const resyncing = 480_000;
const resynced = { pk: 'awake', sk: 'resync' };
/** In milliseconds since the epoch: when the last resync began, and when the last one that came to its end did. */
interface Resynced {
  at?: number;
  done?: number;
}

export const createSweeping = (foundation: Foundation, switches: Switches): Sweeping => {
  const { kinds, store, objects, work, clock, log } = foundation;
  const { sweep, resync, rests } = everything(foundation);
  const awake = createAwake({ table: work, ...switches, clock });
  const isQuiet = async () => !(await existsAny(objects, looked.map(kinds.typeOf))) && (await rests());
  const lastResync = async () => ((await work.get(resynced, { consistent: true })) ?? {}) as Resynced;
  const note = (times: Resynced) => work.write({ put: { ...resynced, ...times } });
  const endResync = async () => {
    const { at = 0 } = await lastResync();
    if (clock.now() - at >= resyncing) await switches.slow.keep(false);
  };
  const settle = async () => {
    const wakefulness = await awake.settle(isQuiet);
    if (wakefulness === 'awake') await endResync();
    return wakefulness;
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
  return {
    log,
    sweep: () =>
      whatever(settle(), async (wakefulness) => {
        if (wakefulness === 'asleep') return log.info('Fell asleep');
        await sweep();
        // Whoever reads a type's position settles it: types that nobody reads stay cheap to begin with.
        for (const kind of kinds.all()) await store.position(resourceOf(kind));
      }),
    resync: async () => {
      const at = clock.now();
      const { done } = await lastResync();
      await whatever(beginResync({ at, ...(done !== undefined && { done }) }), async () => {
        await resync(hoursBetween(done, at));
        await note({ at, done: at });
      });
    },
  };
};
