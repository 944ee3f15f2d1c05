/** The transitions of an execution, one function per event. */
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import {
  awaitedInvoke,
  type ChoiceState,
  type FailState,
  type StateMachine,
  type TaskState,
  type WaitState,
} from '../../stepfunctions/asl.ts';
import { catcherOf, retryAfter, StateError } from './errors.ts';
import type { Running } from './execution.ts';
import { evaluate, evaluateFields, type Scope } from './query.ts';

/** Inputs of a transition besides the execution. */
export interface Moment {
  machine: StateMachine;
  /** Milliseconds since the epoch. */
  now: number;
  /** Creates a task token. */
  token: () => string;
}

/** Maximum bytes of a state's output. */
const largestOutput = 256 * 1024;

const timeOf = (ms: number) => new Date(ms).toISOString();
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
const runtimeError = (cause: string) => new StateError('States.Runtime', cause);

const stateOf = (running: Running, machine: StateMachine) => machine.States[running.state];

const scopeOf = (running: Running, extra: JsonObject = {}, token?: string): Scope => {
  const { definition, name, input, started, state, stateInput, entered, retries, variables } = running;
  const context: JsonObject = {
    Execution: {
      Id: `arn:aws:states:local:000000000000:execution:${definition}:${name}`,
      Input: input,
      Name: name,
      StartTime: timeOf(started),
    },
    State: { Name: state, EnteredTime: timeOf(entered), RetryCount: sum(retries) },
    StateMachine: { Id: `arn:aws:states:local:000000000000:stateMachine:${definition}`, Name: definition },
    ...(token !== undefined && { Task: { Token: token } }),
  };
  return { variables, states: { input: stateInput, context, ...extra } };
};

const succeeded = (running: Running, output: JsonValue, now: number): Running => ({
  ...running,
  status: 'SUCCEEDED',
  output,
  ended: now,
  position: { at: 'end', told: false },
});

export const ended = (
  running: Running,
  status: 'FAILED' | 'ABORTED',
  error: string | undefined,
  cause: string | undefined,
  now: number,
): Running => ({
  ...running,
  status,
  ...(error !== undefined && { error }),
  ...(cause !== undefined && { cause }),
  ended: now,
  position: { at: 'end', told: false },
});

interface Onward {
  Next?: string;
  End?: true;
  Output?: JsonValue;
  Assign?: { [variable: string]: JsonValue };
}

/** Leaves the state: evaluates its output and variables. */
const left = async (
  running: Running,
  { Next, End, Output, Assign }: Onward,
  byDefault: JsonValue,
  scope: Scope,
  { machine, now }: Moment,
): Promise<Running> => {
  const output = Output === undefined ? byDefault : await evaluate(Output, scope);
  const variables = { ...running.variables, ...(Assign && (await evaluateFields(Assign, scope))) };
  if (Buffer.byteLength(JSON.stringify(output)) > largestOutput)
    throw new StateError('States.DataLimitExceeded', `The output of state '${running.state}' is too large`);
  if (End) return succeeded({ ...running, variables }, output, now);
  if (Next === undefined || !Object.hasOwn(machine.States, Next))
    throw runtimeError(`State '${running.state}' leads to '${Next}', which is not there`);
  return {
    ...running,
    variables,
    state: Next,
    stateInput: output,
    entered: now,
    retries: [],
    position: { at: 'enter' },
  };
};

const failedForGood = (running: Running, { error, errorCause }: StateError, now: number): Running =>
  ended(running, 'FAILED', error, errorCause, now);

/** Any other error is a defect of the interpreter. */
const stateErrorOf = (error: unknown): StateError =>
  error instanceof StateError ? error : runtimeError((error as Error).message);

/** A transition whose errors end the execution. */
const orFail = async (running: Running, { now }: Moment, step: () => Promise<Running>): Promise<Running> => {
  try {
    return await step();
  } catch (error) {
    return failedForGood(running, stateErrorOf(error), now);
  }
};

/** After a failed task: retries, catches, or fails the execution. */
const taskFailed = (running: Running, state: TaskState, failure: StateError, moment: Moment): Promise<Running> =>
  orFail(running, moment, async () => {
    const { error, errorCause } = failure;
    const retry = retryAfter(state.Retry ?? [], error, running.retries);
    if (retry) {
      const retries = (state.Retry ?? []).map(
        (_, index) => (running.retries[index] ?? 0) + Number(index === retry.index),
      );
      return { ...running, retries, position: { at: 'retry', until: moment.now + retry.seconds * 1000 } };
    }
    const catcher = catcherOf(state.Catch ?? [], error);
    if (!catcher) return failedForGood(running, failure, moment.now);
    const errorOutput = { Error: error, Cause: errorCause };
    return left(running, catcher, errorOutput, scopeOf(running, { errorOutput }), moment);
  });

/** A transition of a task, to whose errors Retry and Catch apply. */
const orFailTask = async (
  running: Running,
  state: TaskState,
  moment: Moment,
  step: () => Promise<Running>,
): Promise<Running> => {
  try {
    return await step();
  } catch (error) {
    return taskFailed(running, state, stateErrorOf(error), moment);
  }
};

const secondsOf = async (value: number | string, scope: Scope, what: string): Promise<number> => {
  const seconds = await evaluate(value, scope);
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw new StateError('States.QueryEvaluationError', `${what} is no whole number of seconds`);
};

const enterTask = (running: Running, state: TaskState, moment: Moment): Promise<Running> =>
  orFailTask(running, state, moment, async () => {
    if (state.Resource !== awaitedInvoke) throw runtimeError(`There is no resource '${state.Resource}'`);
    const token = moment.token();
    const scope = scopeOf(running, {}, token);
    const { Payload: payload } = await evaluateFields((state.Arguments ?? {}) as JsonObject, scope);
    if (payload === undefined) throw runtimeError(`State '${running.state}' has no payload`);
    const { TimeoutSeconds: timeout } = state;
    const deadline = timeout !== undefined && moment.now + 1000 * (await secondsOf(timeout, scope, 'TimeoutSeconds'));
    return { ...running, position: { at: 'invoke', token, payload, ...(deadline !== false && { deadline }) } };
  });

const enterChoice = async (running: Running, state: ChoiceState, moment: Moment): Promise<Running> => {
  const scope = scopeOf(running);
  for (const { Condition, Next } of state.Choices) {
    const isTrue = await evaluate(Condition, scope);
    if (typeof isTrue !== 'boolean')
      throw new StateError('States.QueryEvaluationError', `The condition '${Condition}' is neither true nor false`);
    if (isTrue) return left(running, { Next }, running.stateInput, scope, moment);
  }
  if (state.Default === undefined)
    throw new StateError('States.NoChoiceMatched', `No choice of state '${running.state}' matched`);
  return left(running, { Next: state.Default }, running.stateInput, scope, moment);
};

const untilOf = async ({ Seconds, Timestamp }: WaitState, scope: Scope, now: number): Promise<number> => {
  if (Seconds !== undefined) return now + 1000 * (await secondsOf(Seconds, scope, 'Seconds'));
  const time = Date.parse(String(await evaluate(Timestamp ?? null, scope)));
  if (Number.isFinite(time)) return time;
  throw new StateError('States.QueryEvaluationError', 'Timestamp is no time');
};

const textOf = async (value: string | undefined, scope: Scope): Promise<string | undefined> => {
  if (value === undefined) return undefined;
  const text = await evaluate(value, scope);
  if (typeof text === 'string') return text;
  throw new StateError('States.QueryEvaluationError', `'${value}' is no text`);
};

const enterFail = async (running: Running, { Error: error, Cause }: FailState, now: number): Promise<Running> => {
  const scope = scopeOf(running);
  return ended(running, 'FAILED', await textOf(error, scope), await textOf(Cause, scope), now);
};

/** Executes the current state. */
export const entered = (running: Running, moment: Moment): Promise<Running> =>
  orFail(running, moment, async () => {
    const state = stateOf(running, moment.machine);
    if (!state) throw runtimeError(`There is no state '${running.state}'`);
    switch (state.Type) {
      case 'Task':
        return enterTask(running, state, moment);
      case 'Choice':
        return enterChoice(running, state, moment);
      case 'Pass':
        return left(running, state, running.stateInput, scopeOf(running), moment);
      case 'Wait':
        return {
          ...running,
          position: { at: 'wait', until: await untilOf(state, scopeOf(running), moment.now) },
        };
      case 'Succeed': {
        const { Output } = state;
        const output = Output === undefined ? running.stateInput : await evaluate(Output, scopeOf(running));
        return succeeded(running, output, moment.now);
      }
      case 'Fail':
        return enterFail(running, state, moment.now);
      default:
        throw runtimeError(`State '${running.state}' is of a type that is not there`);
    }
  });

/** The time of a Wait or of a retry has come. */
export const waited = (running: Running, moment: Moment): Promise<Running> =>
  orFail(running, moment, async () => {
    const state = stateOf(running, moment.machine);
    if (state?.Type !== 'Wait') return { ...running, position: { at: 'enter' } };
    return left(running, state, running.stateInput, scopeOf(running), moment);
  });

const taskOf = (running: Running, machine: StateMachine): TaskState => {
  const state = stateOf(running, machine);
  if (state?.Type === 'Task') return state;
  throw runtimeError(`State '${running.state}' is no task`);
};

/** The task succeeded. */
export const answered = (running: Running, result: JsonValue, moment: Moment): Promise<Running> => {
  const state = taskOf(running, moment.machine);
  return orFailTask(running, state, moment, () => left(running, state, result, scopeOf(running, { result }), moment));
};

/** The task failed. */
export const failed = (running: Running, error: string, cause: string, moment: Moment): Promise<Running> =>
  taskFailed(running, taskOf(running, moment.machine), new StateError(error, cause), moment);
