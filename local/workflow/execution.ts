/** An execution as it is kept: one item, that says all that is needed to go on with it. */
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Execution, Item, ItemKey, Random } from '../../machinery/ports.ts';
import type { StateMachine } from '../../stepfunctions/asl.ts';

/** Where in its state an execution is. Times are milliseconds since the epoch. */
export type Position =
  | { at: 'enter' }
  /** `invoke` until the invocation has returned: it is repeated when that is not known. */
  | { at: 'invoke' | 'await'; token: string; payload: JsonValue; deadline?: number }
  | { at: 'retry' | 'wait'; until: number }
  /** `told` when who listens for ends was told. */
  | { at: 'end'; told: boolean };

export interface Running extends Execution {
  definition: string;
  name: string;
  input: JsonObject;
  started: number;
  ended?: number;
  output?: JsonValue;
  state: string;
  stateInput: JsonValue;
  entered: number;
  variables: JsonObject;
  /** Retries since the state was entered, by retrier. */
  retries: number[];
  position: Position;
}

/** One that was read or written, with what the next write compares. */
export interface Kept {
  running: Running;
  /** As it was when it started: a release in between changes nothing. */
  machine: StateMachine;
  version: number;
}

export interface ExecutionId {
  definition: string;
  name: string;
}

export const partition = 'executions';
/** How long a name stays used, in seconds, as on AWS. */
const retention = 90 * 86_400;

export const keyOfExecution = ({ definition, name }: ExecutionId): ItemKey => ({
  pk: partition,
  sk: `${definition}/${name}`,
});

const secondsOf = (ms: number) => Math.ceil(ms / 1000);

/** What changes from write to write. */
export const attributesOf = ({ running, version }: Pick<Kept, 'running' | 'version'>) => ({
  version,
  body: JSON.stringify(running),
  ...(running.position.at === 'end' && running.position.told && { ttl: secondsOf(running.ended!) + retention }),
});

export const itemOf = (kept: Kept): Item => ({
  ...keyOfExecution(kept.running),
  machine: JSON.stringify(kept.machine),
  ...attributesOf(kept),
});

/** Definitions are large, few, and read with every step. */
const machines = new Map<string, StateMachine>();
const mostMachines = 20;
const machineOf = (text: string): StateMachine => {
  const known = machines.get(text);
  if (known) return known;
  const machine = JSON.parse(text) as StateMachine;
  if (machines.size >= mostMachines) machines.clear();
  machines.set(text, machine);
  return machine;
};

export const keptOf = ({ machine, body, version }: Item): Kept => ({
  running: JSON.parse(String(body)) as Running,
  machine: machineOf(String(machine)),
  version: Number(version),
});

/** Names its execution, and is hard to guess. */
export const createToken = ({ definition, name }: ExecutionId, random: Random): string => {
  const secret = Buffer.from(random.bytes(24)).toString('base64url');
  return Buffer.from(JSON.stringify([definition, name, secret])).toString('base64url');
};

/** Undefined for what was never a token. */
export const executionOfToken = (token: string): ExecutionId | undefined => {
  try {
    const [definition, name] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    return typeof definition === 'string' && typeof name === 'string' ? { definition, name } : undefined;
  } catch {
    return undefined;
  }
};
