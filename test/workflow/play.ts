/**
 * Plays a story: an execution, the answer to each task, and what must come of it, in one line of
 *   `Task`          invoked, and answered with success
 *   `Task=Policy`   answered with this policy
 *   `Task!Error`    answered with this error
 *   `Task*Error`    the invocation throws it
 *   `Task?`         the token is lost
 *   `Task(Error)`   it is told the error that led to it
 *   `+3601`         seconds that pass before the next invocation
 *   `State`         one that is no task: choices, and the ends
 *   `→ STATUS Error` how it ends
 * and `Task*Error 9 times` for the retries of an error that nobody knows, `Task? 5 times` for a task asked five times.
 */
import { isDeepStrictEqual } from 'node:util';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Running } from '../../local/workflow/execution.ts';
import { createWorkflows, type ListedExecution } from '../../local/workflow/index.ts';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';

const operation = { namespace: 'team', name: 'blue-create-1', uid: 'b1f6' };
const causes: Record<string, string> = {
  TornDown: 'The cluster was not created, and nothing of it is left: its ClusterOperation says why.',
  Held: 'It needs somebody: the ClusterOperation says what stands in the way.',
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

type Answer = { kind: '' | '=' | '!' | '*' | '?'; value: string };
interface Turn {
  task: string;
  answer: Answer;
}
/** States that are no tasks; nobody answers them. */
const untold = new Set(['ByPolicy', 'Done', 'Undone', 'OnHold', 'Abandoned']);
const turnsOf = (story: string): Turn[] =>
  story
    .split(' → ')[0]!
    .split(' ')
    .filter((word) => !word.startsWith('+') && !untold.has(word))
    .map((word) => {
      const [, task, kind, value] = /^(\w+)(?:\(.*?\))?([=!*?]?)(.*)$/.exec(word)!;
      return { task: task!, answer: { kind: kind as Answer['kind'], value: value! } };
    });

interface Payload {
  task: string;
  token: string;
  operation: JsonValue;
  error?: string;
}
/** What is sent, when it is not exactly what the function takes. */
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

const endOf = ({ status, error, cause, output }: ListedExecution): string => {
  const isWhole = status !== 'SUCCEEDED' || isDeepStrictEqual(output, { operation });
  const end = error === undefined ? status : `${status} ${error}`;
  if (cause?.includes('as told') || cause?.includes('as thrown')) return `→ ${end}`;
  return `→ ${end}${isWhole && cause === causes[error ?? ''] ? '' : `<${cause} ${JSON.stringify(output)}>`}`;
};

/** What happens instead, in the same words; it ends where it leaves the story. */
export const play = async (definition: object, story: string): Promise<string> => {
  const turns = turnsOf(story);
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const table = memoryTable({ clock });
  const told: string[] = [];
  const ends: string[] = [];
  let last = clock.now();
  let isElsewhere = false;
  let turn = 0;

  const invoke = async (sent: JsonValue) => {
    const payload = sent as unknown as Payload;
    const { task, token, error } = payload;
    const seconds = (clock.now() - last) / 1000;
    last = clock.now();
    if (seconds > 0) told.push(`+${seconds}`);
    const { task: expected, answer } = turns[turn++] ?? {};
    told.push(
      `${task}${error === undefined ? '' : `(${error})`}${answer ? answer.kind + answer.value : ''}${misshapen(payload)}`,
    );
    if (task !== expected || !answer || typeof token !== 'string') {
      isElsewhere = true;
      return;
    }
    switch (answer.kind) {
      case '':
        return workflows.succeed(token, {});
      case '=':
        return workflows.succeed(token, { policy: answer.value });
      case '!':
        return workflows.fail(token, answer.value, 'as told');
      case '*':
        throw Object.assign(new Error('as thrown'), { name: answer.value });
      case '?':
        return;
    }
  };
  const workflows = createWorkflows({
    table: {
      ...table,
      write: async (write) => {
        const item = await table.write(write);
        const { state, stateInput, position } = JSON.parse(String(item?.body)) as Running;
        if (position.at === 'enter' && untold.has(state)) {
          const { operation: given } = stateInput as JsonObject;
          told.push(isDeepStrictEqual(given, operation) ? state : `${state}<${JSON.stringify(stateInput)}>`);
        }
        return item;
      },
    },
    clock,
    random: seededRandom(1),
    definitions: { played: definition },
    substitutions: { Operate: 'operate' },
    invoke,
    onEnd: async ({ status }) => {
      ends.push(status);
    },
    log: { info: () => {}, error: (message) => told.push(`<${message}>`) },
  });
  await workflows.start({ definition: 'played', name: 'play', input: { operation } });
  await clock.run(() => isElsewhere || ends.length > 0);
  workflows.suspend();
  if (isElsewhere) return told.join(' ');

  const [execution] = await workflows.list();
  return [...told, endOf(execution!)].join(' ');
};

/** Each with the rule that it shows. */
export type Stories = readonly (readonly [rule: string, story: string])[];
