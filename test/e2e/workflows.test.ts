/**
 * Capstan's definitions in Step Functions: each story without a wait ends as in the local interpreter. The
 * others take hours, or need an invocation to throw, which the function in place of Capstan's never does.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DescribeExecutionCommand, type HistoryEvent, paginateGetExecutionHistory } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { executionArn, stepFunctions } from '../../adapters/aws/workflows/step-functions.ts';
import type { JsonObject, JsonValue } from '../../machinery/api/object.ts';
import type { Execution } from '../../machinery/ports.ts';
import type { Retrier } from '../../stepfunctions/asl.ts';
import { type DefinitionName, definitionNames, definitions } from '../../stepfunctions/index.ts';
import { createCluster } from '../workflow/create-cluster.stories.ts';
import { deleteCluster } from '../workflow/delete-cluster.stories.ts';
import { restoreCluster } from '../workflow/restore-cluster.stories.ts';
import {
  endText,
  giveAnswer,
  omittedStates,
  operation,
  type Payload,
  type Stories,
  spelledOut,
  stateText,
  taskText,
  turnsOf,
} from '../workflow/story.ts';
import { upgradeCluster } from '../workflow/upgrade-cluster.stories.ts';
import { isMiniStack } from './contract/endpoint.ts';
import { type Operate, openOperate } from './contract/operate.fixture.ts';

const stories: Record<DefinitionName, Stories> = {
  'create-cluster': createCluster,
  'delete-cluster': deleteCluster,
  'restore-cluster': restoreCluster,
  'upgrade-cluster': upgradeCluster,
};
const needsWaiting = (story: string): boolean => /[*?]|\+\d/.test(spelledOut(story));

/**
 * MiniStack by default continues with the next retrier when the first matching one is used up, even with zero
 * attempts, so it would retry definite errors. No story here has an error for the last retrier.
 */
const forMiniStack = (definition: object): object =>
  JSON.parse(JSON.stringify(definition), (key, value) =>
    key === 'Retry' ? (value as Retrier[]).filter(({ ErrorEquals }) => !ErrorEquals.includes('States.ALL')) : value,
  );

let operate: Operate;
const arns: Record<string, string> = {};
beforeAll(async () => {
  operate = await openOperate();
  const isLeftToItself = inject('endpoint') === undefined && (await isMiniStack('SFN'));
  const here = isLeftToItself ? forMiniStack : (definition: object) => definition;
  for (const name of definitionNames) arns[name] = await operate.stateMachine(name, here(definitions[name]));
});
afterAll(() => operate?.close());

type Entered = { name: string; input: JsonValue };
const enteredOf = ({ stateEnteredEventDetails: details }: HistoryEvent): Entered[] =>
  details ? [{ name: details.name!, input: JSON.parse(details.input ?? 'null') as JsonValue }] : [];

const historyOf = async (arn: string): Promise<Entered[]> => {
  const states: Entered[] = [];
  for await (const { events = [] } of paginateGetExecutionHistory({ client: operate.sfn }, { executionArn: arn }))
    states.push(...events.flatMap(enteredOf));
  return states;
};

/** The actual course of a story, in the same notation. */
const play = async (definition: DefinitionName, story: string): Promise<string> => {
  const workflows = stepFunctions({ client: operate.sfn, arns });
  const name = randomUUID();
  const arn = executionArn(arns[definition]!, name);
  const turns = turnsOf(story);
  const tasks: string[] = [];
  await workflows.start({ definition, name, input: { operation } });
  const isRunning = async () => (await workflows.describe({ definition, name }))?.status === 'RUNNING';
  while (await isRunning()) {
    for (const sent of await operate.received(0)) {
      const payload = sent as Payload;
      const { task, answer } = turns[tasks.length] ?? {};
      tasks.push(taskText(payload, answer));
      if (payload.task !== task || !answer) return `${tasks.join(' ')} …`;
      await giveAnswer(workflows, payload.token, answer);
    }
    // The next task is invoked, or the end reached, a moment after a result.
    await delay(50);
  }
  const { output, ...ended } = await operate.sfn.send(new DescribeExecutionCommand({ executionArn: arn }));
  const states = (await historyOf(arn)).map((state) =>
    omittedStates.has(state.name) ? stateText(state.name, state.input) : (tasks.shift() ?? `<${state.name}>`),
  );
  const end = { ...(ended as Execution), ...(output && { output: JSON.parse(output) as JsonObject }) };
  return [...states, ...tasks, endText(end)].join(' ');
};

describe.each(definitionNames)('%s', (definition) => {
  it.each(stories[definition].filter(([, story]) => !needsWaiting(story)))('%s', async (_, story) =>
    expect(await play(definition, spelledOut(story))).toBe(spelledOut(story)));
});
