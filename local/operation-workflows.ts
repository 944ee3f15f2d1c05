/** The workflows of operations, interpreted in this process. */
import type { Clock, Log, Random, Table } from '../machinery/ports.ts';
import type { Operations } from '../runtime/operations.ts';
import { definitions } from '../stepfunctions/index.ts';
import { createWorkflows, type LocalWorkflows } from './workflow/index.ts';

export interface OperationWorkflowsOptions {
  /** Executions. */
  table: Table;
  clock: Clock;
  random: Random;
  log: Log;
  /** Runs the tasks of their states, and requeues the operations of ended executions. */
  operations: () => Pick<Operations, 'operate' | 'ended'>;
}

export const operationWorkflows = ({ operations, ...options }: OperationWorkflowsOptions): LocalWorkflows =>
  createWorkflows({
    ...options,
    definitions,
    substitutions: { Operate: 'operate' },
    invoke: (payload) => operations().operate(payload),
    onEnd: ({ input }) => operations().ended(input.operation as { namespace: string; name: string }),
  });
