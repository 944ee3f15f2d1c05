/** Dispatches a change: creates its work items and makes sure that their queues are polled. */
import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import { createDispatcher } from '../../machinery/controller/index.ts';
import { createLedger } from '../../machinery/controller/ledger.ts';
import { namespaceRequests } from '../../machinery/gc/namespace.ts';
import { collectorRequests } from '../../machinery/gc/requests.ts';
import type { Log } from '../../machinery/ports.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { controllers as wiring } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';
import { notedWork } from './noted-work.ts';
import type { Switches } from './switches.ts';

export interface Dispatching {
  dispatch(entry: LogEntry): Promise<void>;
  /** Notes that these were dispatched: the sweep dispatches what is not noted. */
  note(entries: readonly LogEntry[]): Promise<void>;
  log: Log;
}

export const createDispatching = (foundation: Foundation, switches: Switches): Dispatching => {
  const { store, kinds, log } = foundation;
  const work = notedWork(foundation, switches);
  const extra = [collectorRequests({ kinds, store }), namespaceRequests];
  const dispatcher = createDispatcher({ wiring, kinds, store, extra, work });
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
