/** MiniStack with the settings of this repository: a failed function is retried as on AWS. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DescribeExecutionCommand, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Operate, openOperate } from './contract/operate.fixture.ts';

const endpoint = inject('endpoint');

describe.runIf(endpoint)('a function that fails', () => {
  let operate: Operate;
  beforeAll(async () => {
    operate = await openOperate();
  });
  afterAll(() => operate?.close());

  /** EventBridge has no client among the dependencies, because Capstan sends no events. */
  const callEvents = async (action: string, input: object): Promise<void> => {
    const scope = '20260101/us-east-1/events/aws4_request';
    const { ok, status } = await fetch(endpoint!, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': `AWSEvents.${action}`,
        authorization: `AWS4-HMAC-SHA256 Credential=test/${scope}, SignedHeaders=host, Signature=none`,
      },
      body: JSON.stringify(input),
    });
    expect([action, ok, status]).toEqual([action, true, 200]);
  };

  /** How often it was called, once it has not been called for this many seconds. */
  const callsUntilQuiet = async (seconds: number): Promise<number> => {
    let calls = 0;
    for (let quiet = 0; quiet < seconds; quiet++) {
      const more = (await operate.received(0)).length;
      calls += more;
      if (more > 0) quiet = 0;
      await delay(1000);
    }
    return calls;
  };

  it('is retried by its task as the first matching retrier says, and no more', async () => {
    const of = async (Retry: object[]) => {
      const stateMachineArn = await operate.stateMachine(randomUUID().slice(0, 8), {
        QueryLanguage: 'JSONata',
        StartAt: 'It',
        States: {
          It: {
            Type: 'Task',
            Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
            Arguments: {
              FunctionName: operate.functionArn,
              Payload: { fails: true, token: '{% $states.context.Task.Token %}' },
            },
            TimeoutSeconds: 600,
            Retry,
            End: true,
          },
        },
      });
      const { executionArn } = await operate.sfn.send(new StartExecutionCommand({ stateMachineArn }));
      const calls = await callsUntilQuiet(4);
      const { status } = await operate.sfn.send(new DescribeExecutionCommand({ executionArn }));
      return [calls, status];
    };
    const all = { ErrorEquals: ['States.ALL'], IntervalSeconds: 1, MaxAttempts: 2 };
    expect(await of([all])).toEqual([3, 'FAILED']);
    // The error shape of a function that throws.
    const named = 'Runtime.HandlerError';
    expect(await of([{ ErrorEquals: [named], MaxAttempts: 0 }, all])).toEqual([1, 'FAILED']);
  });

  it('is called three times for an event', async () => {
    const source = `test.${randomUUID()}`;
    await callEvents('PutRule', { Name: source, EventPattern: JSON.stringify({ source: [source] }) });
    await callEvents('PutTargets', { Rule: source, Targets: [{ Id: 'it', Arn: operate.functionArn }] });
    const Detail = JSON.stringify({ fails: true });
    await callEvents('PutEvents', { Entries: [{ Source: source, DetailType: 'Test', Detail }] });
    expect(await callsUntilQuiet(6)).toBe(3);
  });
});
