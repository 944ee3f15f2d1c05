/** From a change to the work it makes, and to somebody who polls for it. */
import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import { createAwake } from '../../adapters/aws/timers/awake.ts';
import { createDispatcher, type Work } from '../../machinery/controller/index.ts';
import { namespaceRequests } from '../../machinery/gc/namespace.ts';
import { collectorRequests } from '../../machinery/gc/requests.ts';
import type { Log } from '../../machinery/ports.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { controllers as wiring } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';
import type { Switches } from './switches.ts';

export interface Dispatching {
  dispatch(entry: LogEntry): Promise<void>;
  log: Log;
}

export const createDispatching = (
  { store, work: table, kinds, workItems, clock, log }: Foundation,
  switches: Switches,
): Dispatching => {
  const awake = createAwake({ table, ...switches, clock });
  const work: Pick<Work, 'request'> = {
    request: async (...request) => {
      await workItems.request(...request);
      await awake.note();
    },
  };
  const extra = [collectorRequests({ kinds, store }), namespaceRequests];
  const dispatcher = createDispatcher({ wiring, kinds, store, extra, work });
  return {
    log,
    dispatch: (entry) => {
      const { type, namespace, name, position } = entry;
      return withLogKeys({ type, namespace, name, position }, () => dispatcher.dispatch(entry));
    },
  };
};
