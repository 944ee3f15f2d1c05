/**
 * Tasks of workflows: a state's task waits for its operation, whose controller answers it. The end
 * of an execution requeues the operation, because it may have been stopped from outside.
 */
import type { Work } from '../machinery/controller/index.ts';
import { type Awaits, createAwaits, createOperate } from '../machinery/operations/index.ts';
import type { Workflows } from '../machinery/ports.ts';
import type { Foundation } from './foundation.ts';

/** Evaluates the steps and answers their tasks. */
const controller = 'cluster-operation';

export interface Operations {
  awaits: Awaits;
  /** The task function of every workflow state. */
  operate(payload: unknown): Promise<void>;
  ended(operation: { namespace: string; name: string }): Promise<void>;
}

export const composeOperations = (
  { work: table, clock, kinds, workItems }: Foundation,
  workflows: Pick<Workflows, 'succeed' | 'fail'>,
  work: Pick<Work, 'request'> = workItems,
): Operations => {
  const type = kinds.typeOf('ClusterOperation');
  const awaits = createAwaits({ table, workflows, clock });
  return {
    awaits,
    operate: createOperate({ awaits, work, controller, type }),
    ended: async ({ namespace, name }) => {
      await awaits.forget(type, { namespace, name });
      await work.request({ controller, type, namespace, name }, { urgent: true });
    },
  };
};
