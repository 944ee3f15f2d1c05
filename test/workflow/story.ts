/**
 * Stories: an execution, the result of each task, and the expected course, in one line of
 *   `Task`          invoked, and completed
 *   `Task=Policy`   completed with this policy
 *   `Task!Error`    failed with this error
 *   `Task*Error`    the invocation throws it
 *   `Task?`         the token is lost
 *   `Task(Error)`   it receives the error that led to it
 *   `+3601`         seconds that pass before the next invocation
 *   `State`         a state other than a task: a choice, or an end
 *   `→ STATUS Error` how it ends
 * and `Task*Error 9 times` for the retries of an unknown error, `Task? 5 times` for a task invoked five times.
 */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Execution, Workflows } from '../../machinery/ports.ts';

/** Each with the rule that it shows. */
export type Stories = readonly (readonly [rule: string, story: string])[];

export const operation = { namespace: 'team', name: 'blue-create-1', uid: 'b1f6' };
const causes: Record<string, string> = {
  TornDown: 'The cluster was not created, and nothing of it is left: its ClusterOperation says why.',
  RolledBack: 'The cluster was not upgraded: its ClusterOperation says why, and what was rolled back.',
  NotRestored: 'The cluster was not restored: its ClusterOperation says why, and nothing was changed.',
  Held: 'A user must decide how to continue: the ClusterOperation names the obstacle.',
  Cancelled: 'It was ended before its time, and nothing was undone.',
};
const unknownErrorAgain = ['+2', '+4', '+8', '+16', '+32', '+64', '+128', '+256'];
const lostTokenAgain = ['+3601', '+3601', '+3601', '+3601'];

const repeated = (turn: string, pauses: readonly string[]) =>
  [turn, ...pauses.flatMap((pause) => [pause, turn])].join(' ');

/** The same story without its abbreviations. */
export const spelledOut = (story: string): string =>
  story
    .trim()
    .replaceAll(/(\S+) 9 times/g, (_, turn: string) => repeated(turn, unknownErrorAgain))
    .replaceAll(/(\S+) 5 times/g, (_, turn: string) => repeated(turn, lostTokenAgain))
    .replaceAll(/\s+/g, ' ');

export type Answer = { kind: '' | '=' | '!' | '*' | '?'; value: string };
export interface Turn {
  task: string;
  answer: Answer;
}
/** The states that are not tasks and receive no result. */
export const omittedStates = new Set(['ByPolicy', 'Done', 'Undone', 'OnHold', 'Abandoned']);
export const turnsOf = (story: string): Turn[] =>
  story
    .split(' → ')[0]!
    .split(' ')
    .filter((word) => !word.startsWith('+') && !omittedStates.has(word))
    .map((word) => {
      const [, task, kind, value] = /^(\w+)(?:\(.*?\))?([=!*?]?)(.*)$/.exec(word)!;
      return { task: task!, answer: { kind: kind as Answer['kind'], value: value! } };
    });

/** The payload of a task. */
export interface Payload {
  task: string;
  token: string;
  operation: JsonValue;
  error?: string;
}
/** The payload, when it differs from what the function expects. */
const misshapen = (payload: Payload): string => {
  const { task, token, operation: sent, error, ...rest } = payload;
  const isGood =
    typeof task === 'string' &&
    typeof token === 'string' &&
    isDeepStrictEqual(sent, operation) &&
    Object.keys(rest).length === 0 &&
    (!('error' in payload) || typeof error === 'string');
  return isGood ? '' : `<${JSON.stringify({ ...payload, token: typeof token })}>`;
};

/** An invoked task, and its result. */
export const taskText = (payload: Payload, answer: Answer | undefined): string => {
  const { task, error } = payload;
  const because = error === undefined ? '' : `(${error})`;
  return `${task}${because}${answer ? answer.kind + answer.value : ''}${misshapen(payload)}`;
};

/** An entered state that is not a task. */
export const stateText = (state: string, input: JsonValue): string => {
  const { operation: given } = input as JsonObject;
  return isDeepStrictEqual(given, operation) ? state : `${state}<${JSON.stringify(input)}>`;
};

/** Throws the error of the invocation. */
export const giveAnswer = async (workflows: Workflows, token: string, { kind, value }: Answer): Promise<void> => {
  switch (kind) {
    case '':
      return workflows.succeed(token, {});
    case '=':
      return workflows.succeed(token, { policy: value });
    case '!':
      return workflows.fail(token, value, 'as told');
    case '*':
      throw Object.assign(new Error('as thrown'), { name: value });
    case '?':
      return;
  }
};

export const endText = ({ status, error, cause, output }: Execution & { output?: JsonValue }): string => {
  const isWhole = status !== 'SUCCEEDED' || isDeepStrictEqual(output, { operation });
  const end = error === undefined ? status : `${status} ${error}`;
  if (cause?.includes('as told') || cause?.includes('as thrown')) return `→ ${end}`;
  return `→ ${end}${isWhole && cause === causes[error ?? ''] ? '' : `<${cause} ${JSON.stringify(output)}>`}`;
};
