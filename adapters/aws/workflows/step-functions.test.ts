import { SFNClient } from '@aws-sdk/client-sfn';
import { describe, expect, it } from 'vitest';
import type { Workflows } from '../../../machinery/ports.ts';
import { type Answer, answering, refusing, unconnected } from '../service/answers.fixture.ts';
import { executionArn, stepFunctions } from './step-functions.ts';

const arn = 'arn:aws-us-gov:states:us-gov-west-1:111122223333:stateMachine:capstan-create';
const id = { definition: 'create-cluster', name: 'uid-create-0' };

const over = (answer: Answer) => {
  const { config, sent } = answering(() => answer);
  const workflows = stepFunctions({ client: new SFNClient(config), arns: { 'create-cluster': arn } });
  return { workflows, sent };
};

const calls: Record<string, (workflows: Workflows) => Promise<unknown>> = {
  start: (workflows) => workflows.start({ ...id, input: { operation: 'x' } }),
  describe: (workflows) => workflows.describe(id),
  stop: (workflows) => workflows.stop({ ...id, error: 'Cancelled', cause: 'somebody said so' }),
  succeed: (workflows) => workflows.succeed('token', { policy: 'Hold' }),
  fail: (workflows) => workflows.fail('token', 'StepRefused', 'no quota'),
};

it('names executions after their state machine, in any partition', () => {
  expect(executionArn(arn, 'n')).toBe('arn:aws-us-gov:states:us-gov-west-1:111122223333:execution:capstan-create:n');
});

it.each([
  { call: 'start', is: 'ExecutionAlreadyExists', means: 'the execution was started before' },
  { call: 'stop', is: 'ExecutionDoesNotExist', means: 'there is nothing to stop' },
  { call: 'describe', is: 'ExecutionDoesNotExist', means: 'no such execution exists' },
  { call: 'succeed', is: 'TaskDoesNotExist', means: 'the task was answered before' },
  { call: 'succeed', is: 'TaskTimedOut', means: 'the task timed out' },
  { call: 'succeed', is: 'InvalidToken', means: 'the token was never valid' },
  { call: 'fail', is: 'TaskDoesNotExist', means: 'the task was answered before' },
  { call: 'fail', is: 'TaskTimedOut', means: 'the task timed out' },
  { call: 'fail', is: 'InvalidToken', means: 'the token was never valid' },
])('$call: ignores $is, because $means', async ({ call, is }) => {
  expect(await calls[call]!(over(refusing(is)).workflows)).toBeUndefined();
});

it.each([
  { call: 'start', is: 'StateMachineDoesNotExist' },
  { call: 'start', is: 'ExecutionLimitExceeded' },
  { call: 'start', is: 'ExecutionDoesNotExist' },
  { call: 'describe', is: 'InvalidArn' },
  { call: 'stop', is: 'TaskDoesNotExist' },
  { call: 'succeed', is: 'InvalidOutput' },
  { call: 'fail', is: 'AccessDeniedException' },
  { call: 'fail', is: 'ExecutionDoesNotExist' },
])('$call: $is is an error, and is retried', async ({ call, is }) => {
  await expect(calls[call]!(over(refusing(is)).workflows)).rejects.toMatchObject({ code: is, consequence: 'retry' });
});

it.each(Object.keys(calls))('%s: fails when the connection breaks', async (call) => {
  await expect(calls[call]!(over(unconnected('ECONNRESET')).workflows)).rejects.toMatchObject({ code: 'Unreachable' });
});

describe('a request', () => {
  it.each([
    { call: 'start', body: { stateMachineArn: arn, name: id.name, input: '{"operation":"x"}' } },
    { call: 'stop', body: { executionArn: executionArn(arn, id.name), error: 'Cancelled', cause: 'somebody said so' } },
    { call: 'succeed', body: { taskToken: 'token', output: '{"policy":"Hold"}' } },
    { call: 'fail', body: { taskToken: 'token', error: 'StepRefused', cause: 'no quota' } },
  ])('$call', async ({ call, body }) => {
    const { workflows, sent } = over({ body: { startDate: 1, stopDate: 1 } });
    await calls[call]!(workflows);
    expect(sent.map((request) => request.body)).toEqual([body]);
  });

  it('truncates error and cause to the limits of AWS', async () => {
    const { workflows, sent } = over({});
    await workflows.fail('token', 'E'.repeat(300), 'c'.repeat(40_000));
    expect(sent[0]!.body).toMatchObject({ error: 'E'.repeat(256), cause: 'c'.repeat(32_768) });
  });

  it.each(['a b', 'a/b', 'x'.repeat(81), ''])('is not sent for the invalid execution name %j', async (name) => {
    const { workflows, sent } = over({});
    await expect(workflows.start({ ...id, name, input: {} })).rejects.toThrow('cannot be the name');
    expect(sent).toEqual([]);
  });

  it('is not sent for an unknown workflow', async () => {
    const { workflows, sent } = over({});
    for (const definition of ['upgrade', 'constructor'])
      await expect(workflows.describe({ definition, name: 'n' })).rejects.toThrow('there is no workflow');
    expect(sent).toEqual([]);
  });
});

it.each([
  { status: 'RUNNING', means: 'RUNNING' },
  { status: 'PENDING_REDRIVE', means: 'RUNNING' },
  { status: 'SUCCEEDED', means: 'SUCCEEDED' },
  { status: 'FAILED', means: 'FAILED' },
  { status: 'TIMED_OUT', means: 'TIMED_OUT' },
  { status: 'ABORTED', means: 'ABORTED' },
])('describes an execution that is $status', async ({ status, means }) => {
  const { workflows } = over({ body: { status, error: 'Held', cause: 'why', startDate: 1 } });
  expect(await workflows.describe(id)).toEqual({ status: means, error: 'Held', cause: 'why' });
});

it.each([
  { status: 'ABORTED', outcome: 'done' },
  { status: 'RUNNING', outcome: 'refused' },
])('stops an execution that AWS refuses to stop and that is $status: $outcome', async ({ status, outcome }) => {
  const { config } = answering(({ operation }) =>
    operation === 'StopExecution' ? refusing('ValidationException') : { body: { status, startDate: 1 } },
  );
  const workflows = stepFunctions({ client: new SFNClient(config), arns: { 'create-cluster': arn } });
  const stopped = calls.stop!(workflows).then(
    () => 'done',
    () => 'refused',
  );
  expect(await stopped).toBe(outcome);
});
