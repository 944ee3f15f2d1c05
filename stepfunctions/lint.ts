/** Rules for definitions beyond AWS's own: the portable subset of the language, and Capstan's contract. */
import { isDeepStrictEqual } from 'node:util';
import validate from 'asl-validator';
import type { JsonObject, JsonValue } from '../machinery/api/object.ts';
import { taskTimeout } from '../machinery/operations/awaits.ts';
import { awaitedInvoke, type Catcher, type State, type StateMachine, type TaskState } from './asl.ts';
import { lastResort, payloadOf, retry } from './complete.ts';
import { faultsIn, readsOf } from './expressions.ts';

const longestName = 80;
/** An execution keeps a copy, so definitions are bounded. */
const largestDefinition = 256 * 1024;

const fields: Record<State['Type'], string[]> = {
  Task: ['Resource', 'Arguments', 'TimeoutSeconds', 'Retry', 'Catch', 'Output', 'Assign', 'Next'],
  Pass: ['Output', 'Assign', 'Next'],
  Wait: ['Seconds', 'Timestamp', 'Output', 'Assign', 'Next'],
  Choice: ['Choices', 'Default'],
  Succeed: ['Output'],
  Fail: ['Error', 'Cause'],
};

const knownFields = (name: string, state: State): string[] => {
  const allowed = fields[state.Type];
  if (!allowed) return [`${name}: there is no type ${state.Type}`];
  const unknown = Object.keys(state).filter((field) => !['Comment', 'Type', ...allowed].includes(field));
  return unknown.map((field) => `${name}: a ${state.Type} has no ${field}`);
};

const catchFaults = (name: string, catchers: readonly Catcher[]): string[] => {
  if (name === lastResort) return catchers.length > 0 ? [`${name}: nothing catches its errors`] : [];
  const { ErrorEquals, Next } = catchers.at(-1) ?? {};
  const catchesAll = isDeepStrictEqual(ErrorEquals, ['States.ALL']) && Next === lastResort;
  return catchesAll ? [] : [`${name}: unknown errors do not lead to ${lastResort}`];
};

const taskFaults = (name: string, state: TaskState): string[] => {
  const faults: [boolean, string][] = [
    [state.Resource === awaitedInvoke, 'its resource is not the awaited invocation'],
    [
      isDeepStrictEqual(state.Arguments, { FunctionName: '${Operate}', Payload: payloadOf(name) }),
      'it does not send what operate takes',
    ],
    [state.TimeoutSeconds === taskTimeout, `its timeout is not ${taskTimeout} s`],
    [isDeepStrictEqual(state.Retry, retry), 'it does not retry as all tasks do'],
    [state.Next !== undefined, 'it ends the execution, which only Succeed and Fail do'],
  ];
  return [
    ...faults.filter(([isKept]) => !isKept).map(([, fault]) => `${name}: ${fault}`),
    ...catchFaults(name, state.Catch ?? []),
  ];
};

interface Transition {
  from: string;
  to: string;
  /** Input fields that the next state gets; undefined = all of them. */
  gives: string[] | undefined;
}

const keysOf = (output: JsonValue | undefined): string[] => Object.keys((output ?? {}) as JsonObject);

const transitionsOf = (from: string, state: State): Transition[] => {
  switch (state.Type) {
    case 'Task':
      return [
        ...(state.Next === undefined ? [] : [{ from, to: state.Next, gives: keysOf(state.Output) }]),
        ...(state.Catch ?? []).map(({ Next, Output }) => ({ from, to: Next, gives: keysOf(Output) })),
      ];
    case 'Pass':
    case 'Wait':
      return state.Next === undefined
        ? []
        : [{ from, to: state.Next, gives: state.Output === undefined ? undefined : keysOf(state.Output) }];
    case 'Choice':
      return [...state.Choices.map(({ Next }) => Next), ...(state.Default === undefined ? [] : [state.Default])].map(
        (to) => ({ from, to, gives: undefined }),
      );
    // The type itself is not permitted.
    default:
      return [];
  }
};

/** Input fields that each reachable state finds on every path to it. */
const inputsOf = ({ StartAt, States }: StateMachine): Map<string, Set<string>> => {
  const inputs = new Map([[StartAt, new Set(['operation'])]]);
  const open = [StartAt];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    const input = inputs.get(from)!;
    for (const { to, gives } of transitionsOf(from, States[from]!)) {
      const known = inputs.get(to);
      const given = new Set(gives ?? input);
      const both = known ? known.intersection(given) : given;
      if (known?.size === both.size || !States[to]) continue;
      inputs.set(to, both);
      open.push(to);
    }
  }
  return inputs;
};

/** On AWS, an expression without a value is an error. */
const unreadable = (name: string, state: State, input: ReadonlySet<string>): string[] =>
  readsOf(state as unknown as JsonObject)
    .map((path) => path.split('.'))
    .filter(([root, what, field]) => root === '$states' && what === 'input' && field !== undefined && !input.has(field))
    .map((path) => `${name}: ${path.join('.')} is not given on every way to it`);

/** Violations of our own rules, one sentence each. */
export const brokenRules = (definition: object): string[] => {
  const text = JSON.stringify(definition);
  const machine = definition as StateMachine;
  const inputs = inputsOf(machine);
  const unknown = Object.keys(machine).filter(
    (field) => !['Comment', 'QueryLanguage', 'StartAt', 'States'].includes(field),
  );
  return [
    ...unknown.map((field) => `a definition has no ${field}`),
    ...(machine.QueryLanguage === 'JSONata' ? [] : ['its query language is not JSONata']),
    ...(Buffer.byteLength(text) > largestDefinition ? ['it is too large for an execution to keep'] : []),
    ...Object.entries(machine.States).flatMap(([name, state]) => [
      ...(name.length > longestName ? [`${name}: the name is too long`] : []),
      ...(state.Comment ? [] : [`${name}: nothing says why it is there`]),
      ...(inputs.has(name) ? unreadable(name, state, inputs.get(name)!) : [`${name}: nothing leads to it`]),
      ...knownFields(name, state),
      ...(state.Type === 'Task' ? taskFaults(name, state) : []),
      ...(state.Type === 'Fail' && readsOf([state.Error ?? '', state.Cause ?? '']).length > 0
        ? [`${name}: not everywhere are the words of a failure evaluated`]
        : []),
      ...faultsIn(state as unknown as JsonObject).map((fault) => `${name}: ${fault}`),
    ]),
  ];
};

/** All violations, one sentence each. */
export const lint = (definition: object): string[] => {
  const { isValid, errorsText } = validate(structuredClone(definition));
  return isValid ? brokenRules(definition) : [errorsText('; ')];
};
