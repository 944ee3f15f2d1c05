/**
 * What workflows tell the control plane. It answers them elsewhere: whoever finds that a step is done. An execution may go on
 * when nothing else is left, so that everybody sleeps.
 */
import { createAwaits, createOperate } from '../../machinery/operations/index.ts';
import type { Log } from '../../machinery/ports.ts';
import type { ControllerName } from '../../wiring.ts';
import type { Foundation } from './foundation.ts';
import { notedWork } from './noted-work.ts';
import type { Switches } from './switches.ts';

const controller: ControllerName = 'cluster-operation';

export interface Operating {
  log: Log;
  /** A task has begun to wait. */
  operate(payload: unknown): Promise<void>;
  /** Nobody waits any more, and somebody should know: it may have been stopped from outside. */
  ended(operation: { namespace: string; name: string }): Promise<void>;
}

const answersNobody = () => Promise.reject(new Error('steps are answered by the workers'));

export const createOperating = (foundation: Foundation, switches: Switches): Operating => {
  const { work: table, kinds, log } = foundation;
  const work = notedWork(foundation, switches);
  const type = kinds.typeOf('ClusterOperation');
  const awaits = createAwaits(table, { succeed: answersNobody, fail: answersNobody });
  return {
    log,
    operate: createOperate({ awaits, work, controller, type }),
    ended: async ({ namespace, name }) => {
      await awaits.forget(type, { namespace, name });
      await work.request({ controller, type, namespace, name }, { urgent: true });
    },
  };
};
