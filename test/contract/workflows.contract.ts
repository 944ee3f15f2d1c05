/** What Capstan relies on in any workflow engine. These tests only use the port. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonValue } from '../../machinery/api/object.ts';
import type { Execution, Workflows } from '../../machinery/ports.ts';
import { type Deviations, expectDeviations } from './deviations.ts';

/** The payload of an invoked task. */
export interface Invocation {
  task: string;
  token: string;
  operation: JsonValue;
  error?: string;
}

export interface WorkflowsUnderTest {
  workflows: Workflows;
  /** The next invoked task. */
  invocation(): Promise<Invocation>;
  /** Whether a task is invoked within some seconds. */
  isInvoked(): Promise<boolean>;
  /** Advances time until the read returns something. */
  until<T>(read: () => Promise<T | undefined>): Promise<T>;
  close(): Promise<void>;
}

const task = (name: string, Next: string, TimeoutSeconds = 600) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
  Arguments: {
    FunctionName: '${Operate}',
    Payload: {
      task: name,
      token: '{% $states.context.Task.Token %}',
      operation: '{% $states.input.operation %}',
    },
  },
  TimeoutSeconds,
  Catch: [
    {
      ErrorEquals: ['StepRefused'],
      Output: { operation: '{% $states.input.operation %}' },
      Next: 'Undo',
    },
    {
      ErrorEquals: ['States.ALL'],
      Output: { operation: '{% $states.input.operation %}' },
      Next: 'OnHold',
    },
  ],
  Output: { operation: '{% $states.input.operation %}' },
  Next,
});

/** Two steps; a refused step is undone, and any other error holds. `${Operate}` is the resource of tasks. */
export const contractDefinition = {
  Comment: 'Two steps, and what becomes of their errors.',
  QueryLanguage: 'JSONata',
  StartAt: 'First',
  States: {
    First: task('First', 'Second'),
    Second: task('Second', 'Done', 3),
    Undo: task('Undo', 'Undone'),
    Done: { Type: 'Succeed' },
    Undone: { Type: 'Fail', Error: 'TornDown', Cause: 'nothing is left' },
    OnHold: { Type: 'Fail', Error: 'Held', Cause: 'somebody must look' },
  },
};
export const contractDefinitionName = 'contract';

export const workflowsContract = (name: string, open: () => Promise<WorkflowsUnderTest>, deviations: Deviations = {}) =>
  describe(`Workflows: ${name}`, () => {
    expectDeviations(deviations);
    let under: WorkflowsUnderTest;
    let workflows: Workflows;
    let id: { definition: string; name: string };
    beforeEach(async () => {
      under = await open();
      workflows = under.workflows;
      id = { definition: contractDefinitionName, name: randomUUID() };
    });
    afterEach(() => under.close());

    const operation = { namespace: 'team', name: 'blue', uid: 'b1f6' };
    const start = () => workflows.start({ ...id, input: { operation } });
    const invoked = async (expected: string): Promise<string> => {
      const { token, ...rest } = await under.invocation();
      expect(rest).toEqual({ task: expected, operation });
      return token;
    };
    const end = (): Promise<Execution> =>
      under.until(async () => {
        const found = await workflows.describe(id);
        return found && found.status !== 'RUNNING' ? found : undefined;
      });

    it('runs an execution as its tasks complete', async () => {
      await start();
      const first = await invoked('First');
      expect(await workflows.describe(id)).toEqual({ status: 'RUNNING' });
      await workflows.succeed(first, {});
      await workflows.succeed(await invoked('Second'), { policy: 'Hold' });
      expect(await end()).toEqual({ status: 'SUCCEEDED' });
    });

    it('starts a name once, while it runs and after it has ended, whatever the input', async () => {
      await start();
      const first = await invoked('First');
      await start();
      await workflows.start({ ...id, input: { operation: 'another' } });
      await workflows.succeed(first, {});
      await workflows.succeed(await invoked('Second'), {});
      await end();
      await start();
      expect(await workflows.describe(id)).toEqual({ status: 'SUCCEEDED' });
      expect(await under.isInvoked()).toBe(false);
    });

    it.each([
      { error: 'StepRefused', undone: true, ends: { status: 'FAILED', error: 'TornDown', cause: 'nothing is left' } },
      { error: 'Elsewise', undone: false, ends: { status: 'FAILED', error: 'Held', cause: 'somebody must look' } },
    ])('follows the transition for the error $error of a task', async ({ error, undone, ends }) => {
      await start();
      await workflows.fail(await invoked('First'), error, 'the quota is used up');
      if (undone) await workflows.succeed(await invoked('Undo'), {});
      expect(await end()).toEqual(ends);
    });

    it('accepts the first result of a task only', async () => {
      await start();
      const first = await invoked('First');
      await workflows.succeed(first, {});
      const second = await invoked('Second');
      await workflows.fail(first, 'StepRefused', 'too late');
      await workflows.succeed(first, {});
      await workflows.succeed(second, {});
      expect(await end()).toEqual({ status: 'SUCCEEDED' });
      await workflows.succeed(second, {});
      await workflows.fail(second, 'StepRefused', 'too late');
      expect(await workflows.describe(id)).toEqual({ status: 'SUCCEEDED' });
    });

    it('treats an invalid token as completed', async () => {
      await workflows.succeed('never', {});
      await workflows.fail('never', 'StepRefused', 'nobody waits');
    });

    it('times out a task without a result', async () => {
      await start();
      await workflows.succeed(await invoked('First'), {});
      const second = await invoked('Second');
      expect(await end()).toMatchObject({ status: 'FAILED', error: 'Held' });
      await workflows.succeed(second, {});
      expect(await end()).toMatchObject({ status: 'FAILED', error: 'Held' });
    });

    it('stops a running execution', async () => {
      await start();
      const first = await invoked('First');
      await workflows.stop({ ...id, error: 'Superseded', cause: 'the spec changed' });
      expect(await workflows.describe(id)).toMatchObject({ status: 'ABORTED' });
      await workflows.succeed(first, {});
      expect(await under.isInvoked()).toBe(false);
      expect(await workflows.describe(id)).toMatchObject({ status: 'ABORTED' });
    });

    it('reports why an execution was stopped', async () => {
      await start();
      await invoked('First');
      const why = { error: 'Superseded', cause: 'the spec changed' };
      await workflows.stop({ ...id, ...why });
      expect(await workflows.describe(id)).toEqual({ status: 'ABORTED', ...why });
    });

    it('ignores a stop of an execution that has ended or never existed', async () => {
      await workflows.stop({ ...id, error: 'Superseded', cause: 'never was' });
      expect(await workflows.describe(id)).toBeUndefined();
      await start();
      await workflows.fail(await invoked('First'), 'Elsewise', 'why');
      const ended = await end();
      await workflows.stop({ ...id, error: 'Superseded', cause: 'too late' });
      expect(await workflows.describe(id)).toEqual(ended);
    });

    it('keeps executions apart', async () => {
      await start();
      const token = await invoked('First');
      const other = { ...id, name: `${id.name}-other` };
      await workflows.start({ ...other, input: { operation } });
      const otherToken = await invoked('First');
      expect(otherToken).not.toBe(token);
      await workflows.stop({ ...other, error: 'Superseded', cause: 'the other' });
      expect(await workflows.describe(id)).toEqual({ status: 'RUNNING' });
      await workflows.stop({ ...id, error: 'Superseded', cause: 'both' });
    });

    it('refuses a name that is too long, and an unknown workflow', async () => {
      await expect(workflows.start({ ...id, name: 'x'.repeat(81), input: {} })).rejects.toThrow();
      await expect(workflows.start({ ...id, definition: 'nowhere', input: {} })).rejects.toThrow('nowhere');
    });
  });
