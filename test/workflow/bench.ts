/** One small definition in a separate interpreter. */
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createWorkflows, type EndedExecution, type LocalWorkflows } from '../../local/workflow/index.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import type { Table } from '../../machinery/ports.ts';
import { awaitedInvoke, type State } from '../../stepfunctions/asl.ts';

export const begin = Date.UTC(2026, 0, 1);
type Task = Extract<State, { Type: 'Task' }>;
export const task = (more: Partial<Task> = {}): State => ({
  Type: 'Task',
  Resource: awaitedInvoke,
  Arguments: { FunctionName: 'f', Payload: { token: '{% $states.context.Task.Token %}' } },
  ...(more.Next === undefined && { End: true }),
  ...more,
});
export const fail: State = { Type: 'Fail', Error: 'Caught' };
export const machineOf = (States: Record<string, State>): object => ({
  QueryLanguage: 'JSONata',
  StartAt: Object.keys(States)[0]!,
  States,
});

export interface Bench {
  workflows: LocalWorkflows;
  /** The seconds since the start and the payload of each invocation. */
  invoked: [number, JsonObject][];
  ends: EndedExecution[];
  errors: string[];
  tokens: string[];
  start(input?: JsonObject, name?: string): Promise<void>;
  /** Advances the clock by that many seconds. */
  pass(seconds: number): Promise<void>;
  only(): Promise<Awaited<ReturnType<LocalWorkflows['list']>>[number]>;
}
type Invoke = (payload: JsonObject, workflows: LocalWorkflows, nth: number) => Promise<void> | void;

export const bench = (
  definition: object,
  invoke: Invoke = () => {},
  { clock = virtualClock(begin), table = memoryTable({ clock }) as Table, random = seededRandom(1) } = {},
): Bench => {
  const started = clock.now();
  const invoked: Bench['invoked'] = [];
  const [ends, errors, tokens]: [EndedExecution[], string[], string[]] = [[], [], []];
  const workflows: LocalWorkflows = createWorkflows({
    table,
    clock,
    random,
    definitions: { made: definition },
    substitutions: { Operate: 'operate' },
    invoke: async (payload) => {
      const sent = payload as JsonObject;
      invoked.push([(clock.now() - started) / 1000, sent]);
      tokens.push(String(sent.token));
      await invoke(sent, workflows, invoked.length);
    },
    onEnd: async (end) => {
      ends.push(end);
    },
    log: { info: () => {}, error: (_, facts) => errors.push(String(facts?.error)) },
  });
  return {
    workflows,
    invoked,
    ends,
    errors,
    tokens,
    start: async (input = {}, name = 'one') => {
      await workflows.start({ definition: 'made', name, input });
      await clock.advance(0);
    },
    pass: (seconds) => clock.advance(seconds * 1000),
    only: async () => (await workflows.list())[0]!,
  };
};
export const named = (name: string) => Object.assign(new Error('why'), { name });
export const year = 365 * 86_400;
