/**
 * Executions over a table. Each step is written, conditioned on the version it was decided on, before its
 * effect. So any process that reads an execution can resume it, and a task is invoked at least once.
 */
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import {
  type Cancel,
  type Clock,
  type Execution,
  type Item,
  type Log,
  type Random,
  Refused,
  type Table,
  type Workflows,
} from '../../machinery/ports.ts';
import type { StateMachine } from '../../stepfunctions/asl.ts';
import { createRetries } from '../retries.ts';
import {
  attributesOf,
  createToken,
  type ExecutionId,
  executionOfToken,
  itemOf,
  type Kept,
  keptOf,
  keyOfExecution,
  partition,
  type Running,
} from './execution.ts';
import { answered, ended, entered, failed, type Moment, waited } from './step.ts';

/** An execution that has ended. */
export interface EndedExecution extends ExecutionId {
  input: JsonObject;
  status: Exclude<Execution['status'], 'RUNNING'>;
}

export interface ListedExecution extends ExecutionId, Execution {
  input: JsonObject;
  /** Only after success. */
  output?: JsonValue;
  /** The current or the last state. */
  state: string;
  /** Milliseconds since the epoch. */
  started: number;
  ended?: number;
}

export interface WorkflowsOptions {
  table: Table;
  clock: Clock;
  random: Random;
  /** By name, with `${…}` for substitutions. */
  definitions: Record<string, object>;
  substitutions: Record<string, string>;
  /** The task function; an error's name is the error of the task. */
  invoke: (payload: JsonValue) => Promise<void>;
  /** Called at least once after an execution has ended, whatever its outcome. */
  onEnd: (execution: EndedExecution) => Promise<void>;
  log: Log;
}

export interface LocalWorkflows extends Workflows {
  /** Resumes all running executions; for a process that runs alone. */
  resume(): Promise<void>;
  /**
   * Stops this process, and resolves when the running steps have ended; another process can resume
   * the executions.
   */
  suspend(): Promise<void>;
  list(): Promise<ListedExecution[]>;
}

/** AWS's rule: no whitespace, brackets, wildcards or special characters. */
const allowedName = /^[^\s<>{}[\]?*"#%\\^|~`$&,;:/\p{Cc}]{1,80}$/u;

const substituted = (definition: object, substitutions: Record<string, string>): StateMachine => {
  const text = JSON.stringify(definition).replaceAll(/\$\{(\w+)\}/g, (placeholder, name: string) => {
    const value = substitutions[name];
    if (value === undefined) throw new Error(`nothing is substituted for ${placeholder}`);
    return JSON.stringify(value).slice(1, -1);
  });
  return JSON.parse(text) as StateMachine;
};

const executionOf = ({ status, error, cause }: Execution): Execution => ({
  status,
  ...(error !== undefined && { error }),
  ...(cause !== undefined && { cause }),
});

const listedOf = (running: Running): ListedExecution => {
  const { definition, name, input, output, state, started, ended } = running;
  return {
    definition,
    name,
    input,
    ...executionOf(running),
    ...(output !== undefined && { output }),
    state,
    started,
    ...(ended !== undefined && { ended }),
  };
};

const awaits = ({ position }: Running, token: string): boolean =>
  (position.at === 'invoke' || position.at === 'await') && position.token === token;

/** The next state of an execution; undefined if it has moved on. */
type Change = (running: Running, moment: Moment) => Promise<Running> | undefined;

export const createWorkflows = (options: WorkflowsOptions): LocalWorkflows => {
  const { table, clock, random, invoke, onEnd, log } = options;
  const machines = new Map(
    Object.entries(options.definitions).map(([name, definition]) => [
      name,
      substituted(definition, options.substitutions),
    ]),
  );
  const timers = new Map<string, Cancel>();
  /** The newest version of each execution that this process follows. */
  const followed = new Map<string, number>();
  let isSuspended = false;
  const retries = createRetries(clock, (error) => log.error('A step of a workflow failed', { error }));

  const nameOf = (id: ExecutionId) => String(keyOfExecution(id).sk);
  const load = async (id: ExecutionId): Promise<Kept | undefined> => {
    const item = await table.get(keyOfExecution(id), { consistent: true });
    return item && keptOf(item);
  };
  const momentOf = (kept: Kept): Moment => ({
    machine: kept.machine,
    now: clock.now(),
    token: () => createToken(kept.running, random),
  });

  /** The execution after the write; after a conflict, as the other writer left it. */
  const written = async ({ machine, version }: Kept, running: Running): Promise<Kept | undefined> => {
    const next: Kept = { machine, running, version: version + 1 };
    try {
      await table.write({
        update: keyOfExecution(running),
        set: attributesOf(next),
        when: { attribute: 'version', is: '=', value: version },
      });
      return next;
    } catch (error) {
      if (error instanceof Refused) return error.item && keptOf(error.item);
      throw error;
    }
  };

  /** Changes the current execution, and retries on conflict. */
  const change = async (id: ExecutionId, decide: Change): Promise<void> => {
    let kept = await load(id);
    while (kept) {
      const running = await decide(kept.running, momentOf(kept));
      // An earlier write with an unknown outcome may have succeeded.
      if (!running) return follow(kept);
      const next = await written(kept, running);
      if (next?.running === running) return follow(next);
      kept = next;
    }
  };

  /** The next step after `kept`, unless another writer was first. */
  const advance = async (kept: Kept, step: (running: Running, moment: Moment) => Promise<Running>): Promise<void> => {
    const next = await written(kept, await step(kept.running, momentOf(kept)));
    if (next) follow(next);
  };

  const arm = (kept: Kept, until: number, step: (running: Running, moment: Moment) => Promise<Running>) => {
    const wake = () => {
      timers.delete(nameOf(kept.running));
      attempt(kept.running, () => advance(kept, step));
    };
    timers.set(nameOf(kept.running), clock.after(Math.max(0, until - clock.now()), wake));
  };

  const timedOut = (running: Running, moment: Moment) =>
    failed(running, 'States.Timeout', `The task of state '${running.state}' was not answered in time`, moment);

  const runTask = async (kept: Kept, payload: JsonValue): Promise<void> => {
    try {
      await invoke(payload);
    } catch (error) {
      const { name, message } = error as Error;
      const cause = JSON.stringify({ errorType: name, errorMessage: message });
      return advance(kept, (running, moment) => failed(running, name, cause, moment));
    }
    const { position } = kept.running;
    if (position.at === 'invoke')
      return advance(kept, async (running) => ({ ...running, position: { ...position, at: 'await' } }));
  };

  const end = async (kept: Kept): Promise<void> => {
    const { definition, name, input, status } = kept.running;
    if (status === 'RUNNING') return;
    await onEnd({ definition, name, input, status });
    const reported: Running = { ...kept.running, position: { at: 'end', told: true } };
    await written(kept, reported);
    followed.delete(nameOf(kept.running));
  };

  const act = async (kept: Kept): Promise<void> => {
    const { position } = kept.running;
    switch (position.at) {
      case 'enter':
        return advance(kept, entered);
      case 'invoke':
        if (position.deadline !== undefined) arm(kept, position.deadline, timedOut);
        return runTask(kept, position.payload);
      case 'await':
        if (position.deadline !== undefined) arm(kept, position.deadline, timedOut);
        return;
      case 'retry':
      case 'wait':
        return arm(kept, position.until, waited);
      case 'end':
        return position.told ? undefined : end(kept);
    }
  };

  /** Runs the effect, and on failure repeats it from the stored execution. */
  const attempt = (id: ExecutionId, first: () => Promise<void>) => {
    let isFirst = true;
    retries.run(async () => {
      if (isFirst) {
        isFirst = false;
        return first();
      }
      const kept = await load(id);
      if (kept && !isSuspended) await restart(kept);
    });
  };
  const restart = (kept: Kept): Promise<void> => {
    const name = nameOf(kept.running);
    timers.get(name)?.();
    timers.delete(name);
    followed.set(name, kept.version);
    return act(kept);
  };
  const follow = (kept: Kept) => {
    const { position } = kept.running;
    if (
      isSuspended ||
      (position.at === 'end' && position.told) ||
      (followed.get(nameOf(kept.running)) ?? 0) >= kept.version
    )
      return;
    attempt(kept.running, () => restart(kept));
  };
  const followAnew = (id: ExecutionId) =>
    attempt(id, async () => {
      const kept = await load(id);
      if (kept) follow(kept);
    });

  const answer = async (token: string, decide: (running: Running, moment: Moment) => Promise<Running>) => {
    const id = executionOfToken(token);
    if (id) await change(id, (running, moment) => (awaits(running, token) ? decide(running, moment) : undefined));
  };

  const start: Workflows['start'] = async ({ definition, name, input }) => {
    const machine = machines.get(definition);
    if (!machine) throw new Error(`there is no workflow ${definition}`);
    if (!allowedName.test(name)) throw new Error(`${JSON.stringify(name)} cannot be the name of an execution`);
    const now = clock.now();
    const kept: Kept = {
      machine,
      version: 1,
      running: {
        definition,
        name,
        input,
        status: 'RUNNING',
        started: now,
        state: machine.StartAt,
        stateInput: input,
        entered: now,
        variables: {},
        retries: [],
        position: { at: 'enter' },
      },
    };
    try {
      await table.write({ put: itemOf(kept), when: { exists: false } });
      follow(kept);
    } catch (error) {
      // An earlier start may have been written with an unknown outcome.
      followAnew(kept.running);
      if (!(error instanceof Refused)) throw error;
    }
  };

  const allKept = async (): Promise<Kept[]> => {
    const items: Item[] = [];
    let page = await table.query({ pk: partition, consistent: true });
    for (;;) {
      items.push(...page.items);
      if (!page.next) return items.map(keptOf);
      page = await table.query({ pk: partition, consistent: true, after: page.next });
    }
  };

  return {
    start,
    describe: async (id) => {
      const kept = await load(id);
      return kept && executionOf(kept.running);
    },
    stop: ({ error, cause, ...id }) =>
      change(id, (running, { now }) =>
        running.status === 'RUNNING' ? Promise.resolve(ended(running, 'ABORTED', error, cause, now)) : undefined,
      ),
    succeed: (token, output) => answer(token, (running, moment) => answered(running, output, moment)),
    fail: (token, error, cause) => answer(token, (running, moment) => failed(running, error, cause, moment)),
    resume: async () => {
      for (const kept of await allKept()) follow(kept);
    },
    suspend: () => {
      isSuspended = true;
      for (const cancel of timers.values()) cancel();
      timers.clear();
      return retries.stop();
    },
    list: async () => (await allKept()).map(({ running }) => listedOf(running)),
  };
};
