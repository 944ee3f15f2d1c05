/** Step Functions as the site runs it, and the faults of its tasks. */
import { createWorkflows, type EndedExecution, type LocalWorkflows } from '../../../local/workflow/index.ts';
import { type Clock, type Log, type Random, sleep, type Table } from '../../../machinery/ports.ts';
import { definitions } from '../../../stepfunctions/index.ts';
import { InvocationLost } from './pool.ts';

export interface TasksOptions {
  clock: Clock;
  random: Random;
  /** The table of executions. */
  table: Table;
  invoke: (payload: unknown) => Promise<void>;
  onEnd: (execution: EndedExecution) => void;
  log: Log;
}

export interface Tasks {
  readonly executions: LocalWorkflows;
  /** The tokens of all tasks started so far. */
  readonly tokens: ReadonlySet<string>;
  /** Whether no task waits to be invoked. */
  readonly isIdle: boolean;
  /** Starts the latest task once more. */
  repeat(): Promise<void>;
  /** Makes this many of the next tasks fail. */
  crash(count: number): void;
}

const starting = 50;

export const createTasks = ({ clock, random, table, invoke, onEnd, log }: TasksOptions): Tasks => {
  const tokens = new Set<string>();
  let beginning = 0;
  let crashing = 0;
  let last: unknown;
  const executions = createWorkflows({
    table,
    clock,
    random,
    definitions,
    substitutions: { Operate: 'operate' },
    invoke: async (payload) => {
      beginning += 1;
      await sleep(clock, starting);
      beginning -= 1;
      last = payload;
      const { token } = payload as { token?: string };
      if (token) tokens.add(token);
      if (crashing > 0) {
        crashing -= 1;
        throw new InvocationLost('operate: crashed');
      }
      await invoke(payload);
    },
    onEnd: async (execution) => onEnd(execution),
    log,
  });
  return {
    executions,
    tokens,
    get isIdle() {
      return beginning === 0;
    },
    repeat: async () => {
      if (last !== undefined) await invoke(last).catch(() => {});
    },
    crash: (count) => {
      crashing = count;
    },
  };
};
