/** An execution as one stored item, with everything needed to resume it. */
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Execution, Item, ItemKey, Random } from '../../machinery/ports.ts';
import type { StateMachine } from '../../stepfunctions/asl.ts';

/** The position within a state. Times are milliseconds since the epoch. */
export type Position =
  | { at: 'enter' }
  /** `invoke` until the invocation has returned; after a crash it is repeated. */
  | { at: 'invoke' | 'await'; token: string; payload: JsonValue; deadline?: number }
  | { at: 'retry' | 'wait'; until: number }
  /** `told` once `onEnd` was called. */
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

/** An execution as read or written, with the version for the next conditional write. */
export interface Kept {
  running: Running;
  /** The definition of its start, even if a release has changed it since. */
  machine: StateMachine;
  version: number;
}

export interface ExecutionId {
  definition: string;
  name: string;
}

export const partition = 'executions';
/** Seconds until an execution's name may be reused, as on AWS. */
const retention = 90 * 86_400;

export const keyOfExecution = ({ definition, name }: ExecutionId): ItemKey => ({
  pk: partition,
  sk: `${definition}/${name}`,
});

const secondsOf = (ms: number) => Math.ceil(ms / 1000);

/** Attributes that change with every write. */
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

/** Definitions are large and few, and every step reads one: cache them. */
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

/** Contains the execution's name and an unguessable part. */
export const createToken = ({ definition, name }: ExecutionId, random: Random): string => {
  const secret = Buffer.from(random.bytes(24)).toString('base64url');
  return Buffer.from(JSON.stringify([definition, name, secret])).toString('base64url');
};

/** Undefined for an invalid token. */
export const executionOfToken = (token: string): ExecutionId | undefined => {
  try {
    const [definition, name] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
    return typeof definition === 'string' && typeof name === 'string' ? { definition, name } : undefined;
  } catch {
    return undefined;
  }
};
