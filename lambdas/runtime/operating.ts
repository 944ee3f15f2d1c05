/**
 * Events from workflows. The cluster-operation controller answers their tasks elsewhere. An execution may
 * continue while the installation sleeps, so every event wakes it.
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
  /** A task has started to wait. */
  operate(payload: unknown): Promise<void>;
  /** An execution ended, perhaps because a user stopped it: requeues its operation. */
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
