/** From a change to the work it makes, and to whether anything need fire at intervals. */

import { withLogKeys } from '../../adapters/aws/lambda/log.ts';
import type { Timers } from '../../adapters/aws/timers/schedules.ts';
import { createDispatcher } from '../../machinery/controller/index.ts';
import { collectorRequests } from '../../machinery/gc/collector.ts';
import { expiryRequests } from '../../machinery/gc/expiry.ts';
import { namespaceRequests } from '../../machinery/gc/namespace.ts';
import type { Log } from '../../machinery/ports.ts';
import type { LogEntry } from '../../machinery/store/index.ts';
import { controllers as wiring } from '../../wiring.ts';
import { existsAny } from './existing.ts';
import type { Foundation } from './foundation.ts';

export interface Dispatching {
  dispatch(entry: LogEntry): Promise<void>;
  log: Log;
}

/** While there is one of these, something may have to be found by looking again. */
const looked = ['Cluster', 'AWSCluster', 'AWSMachine'];

export const createDispatching = (
  { store, objects, kinds, workItems, log }: Foundation,
  timers: Timers,
): Dispatching => {
  const extra = [collectorRequests(kinds), namespaceRequests, expiryRequests];
  const dispatcher = createDispatcher({ wiring, kinds, store, extra, work: workItems });
  const types = looked.map(kinds.typeOf);
  const isEmpty = async () => !(await existsAny(objects, types));
  const switchTimers = async ({ type, event }: LogEntry): Promise<void> => {
    if (!types.includes(type)) return;
    if (event === 'ADDED' && type === types[0]) return timers.enable();
    if (event !== 'DELETED' || !(await isEmpty())) return;
    await timers.disable();
    // One that came in between has switched them on before they were switched off.
    if (!(await isEmpty())) await timers.enable();
  };
  return {
    log,
    dispatch: (entry) => {
      const { type, namespace, name, position } = entry;
      return withLogKeys({ type, namespace, name, position }, async () => {
        await dispatcher.dispatch(entry);
        await switchTimers(entry);
      });
    },
  };
};
