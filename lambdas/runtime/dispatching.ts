/** Dispatches a change: creates its work items and makes sure that their queues are polled. */
import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import { createLedger } from '../../machinery/controller/ledger.ts';
import type { Log } from '../../machinery/ports.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { composeDispatch } from '../../runtime/dispatch.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { awakeningWork } from './awakening-work.ts';
import type { Switches } from './switches.ts';

export interface Dispatching {
  dispatch(entry: LogEntry): Promise<void>;
  /** Notes that these were dispatched: the sweep dispatches what is not noted. */
  note(entries: readonly LogEntry[]): Promise<void>;
  log: Log;
}

export const createDispatching = (foundation: Foundation, switches: Switches): Dispatching => {
  const { log } = foundation;
  const dispatcher = composeDispatch(foundation, awakeningWork(foundation, switches));
  const ledger = createLedger({ table: foundation.work, clock: foundation.clock });
  return {
    log,
    note: ledger.note,
    dispatch: (entry) => {
      const { type, namespace, name, position } = entry;
      return withLogKeys({ type, namespace, name, position }, () => dispatcher.dispatch(entry));
    },
  };
};
