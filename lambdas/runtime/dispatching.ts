/** Dispatches a change: creates its work items and makes sure that their queues are polled. */
import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import { createLedger } from '../../machinery/controller/ledger.ts';
import type { Clock, Log } from '../../machinery/ports.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { composeDispatch } from '../../runtime/dispatch.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { awakeningWork } from './awakening-work.ts';
import type { Switches } from './switches.ts';

export interface Dispatching {
  dispatch(entry: LogEntry): Promise<void>;
  /** Notes that these were dispatched: the sweep dispatches what is not noted. */
  note(entries: readonly LogEntry[]): Promise<void>;
  /** Leaves a change that cannot be dispatched to the sweep, which it keeps running. */
  leave(entry: LogEntry): Promise<void>;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

export const createDispatching = (foundation: Foundation, switches: Switches): Dispatching => {
  const { log, clock, work: table } = foundation;
  const dispatcher = composeDispatch(foundation, awakeningWork(foundation, switches));
  const ledger = createLedger({ table, clock });
  const awake = createAwake({ table, ...switches, clock });
  return {
    log,
    clock,
    leave: () => awake.note(),
    note: ledger.note,
    dispatch: (entry) => {
      const { type, namespace, name, position } = entry;
      return withLogKeys({ type, namespace, name, position }, () => dispatcher.dispatch(entry));
    },
  };
};
