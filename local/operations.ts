/** Workflows in one process, bound to their operations. */
import type { Kinds, Work } from '../machinery/controller/index.ts';
import { type Awaits, createAwaits, createOperate } from '../machinery/operations/index.ts';
import type { Clock, Log, Random, Table, Workflows } from '../machinery/ports.ts';
import { definitions } from '../stepfunctions/index.ts';
import { createWorkflows, type EndedExecution, type LocalWorkflows } from './workflow/index.ts';

/** The controller that evaluates the steps' predicates. */
const controller = 'cluster-operation';

export interface OperationsOptions {
  /** Executions and waiting tasks. */
  table: Table;
  work: Pick<Work, 'request'>;
  kinds: Kinds;
  clock: Clock;
  random: Random;
  log: Log;
}

export interface Operations {
  workflows: LocalWorkflows;
  awaits: Awaits;
  /** The task function of every workflow state. */
  operate: (payload: unknown) => Promise<void>;
}

export const createOperations = ({ table, work, kinds, clock, random, log }: OperationsOptions): Operations => {
  const type = kinds.typeOf('ClusterOperation');
  const answers: Pick<Workflows, 'succeed' | 'fail'> = {
    succeed: (...answer) => workflows.succeed(...answer),
    fail: (...answer) => workflows.fail(...answer),
  };
  const awaits = createAwaits(table, answers);
  const operate = createOperate({ awaits, work, controller, type });
  /** The execution may have been stopped from outside, so requeue its operation. */
  const onEnd = async ({ input }: EndedExecution): Promise<void> => {
    const { namespace, name } = input.operation as { namespace: string; name: string };
    await awaits.forget(type, { namespace, name });
    await work.request({ controller, type, namespace, name }, { urgent: true });
  };
  const workflows = createWorkflows({
    table,
    clock,
    random,
    definitions,
    substitutions: { Operate: 'operate' },
    invoke: operate,
    onEnd,
    log,
  });
  return { workflows, awaits, operate };
};
