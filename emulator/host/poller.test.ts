import { setTimeout as delay } from 'node:timers/promises';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { answering } from '../../adapters/aws/service/answers.fixture.ts';
import { createCounts } from './counts.ts';
import type { Functions } from './functions.ts';
import { createPoller, messagesOf } from './poller.ts';

const arn = 'arn:aws:sqs:eu-central-1:000000000000:work';
const eventOf = (id: string) => ({
  Records: [{ messageId: id, receiptHandle: `handle-${id}`, eventSource: 'aws:sqs', eventSourceARN: arn }],
});

interface Given {
  /** The messages that remain in the queue. */
  waiting?: string[];
  mapping?: { State: string; BatchSize?: number; ScalingConfig?: { MaximumConcurrency: number } };
  duplicating?: boolean;
  /** The IDs of messages that the function cannot handle. */
  failing?: string[];
  throwing?: boolean;
  /** The first time that a message is handled. */
  failingOnce?: boolean;
}

const play = async (
  { waiting = [], mapping = { State: 'Enabled' }, duplicating = false, ...given }: Given,
  expected: { handled: number; deleted: number },
) => {
  const left = [...waiting];
  const deleted: string[] = [];
  const handled: string[] = [];
  let atOnce = 0;
  let most = 0;
  let invocations = 0;
  const queue = answering(({ operation, body }) => {
    switch (operation) {
      case 'GetQueueUrl':
        return { body: { QueueUrl: 'https://queues/work' } };
      case 'ReceiveMessage': {
        const ids = left.splice(0, body.MaxNumberOfMessages as number);
        return { body: { Messages: ids.map((id) => ({ MessageId: id, ReceiptHandle: `handle-${id}`, Body: '' })) } };
      }
      default:
        deleted.push(...(body.Entries as { Id: string }[]).map(({ Id }) => Id));
        return { body: { Successful: [], Failed: [] } };
    }
  });
  const lambda = answering(() => ({ body: { EventSourceMappings: [mapping] } }));
  const functions = {
    counts: createCounts(),
    invoke: async (_: string, event: unknown) => {
      const ids = (messagesOf(event) ?? []).map(({ messageId }) => messageId);
      const isFirst = ++invocations === 1;
      most = Math.max(most, ++atOnce);
      await delay(20);
      atOnce--;
      handled.push(...ids);
      if (given.throwing) throw new Error('it broke');
      const failed = ids.filter((id) => given.failing?.includes(id) || (given.failingOnce && isFirst));
      return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
    },
  } as unknown as Functions;
  const poll = createPoller({
    functions,
    queues: new SQSClient({ ...queue.config, md5: false }),
    lambda: new LambdaClient(lambda.config),
    region: 'eu-central-1',
    isDuplicating: () => duplicating,
    onError: () => undefined,
  });
  const event = eventOf('first');
  const answer = poll('f', event, messagesOf(event)!);
  for (
    let waited = 0;
    waited < 10_000 && (handled.length < expected.handled || deleted.length < expected.deleted);
    waited += 50
  )
    await delay(50);
  // Enough time for unexpected extra calls.
  await delay(400);
  return { answer, handled, deleted: deleted.sort(), most, left, invocations };
};

it.each([
  { rule: 'deletes handled messages', given: {}, handled: ['first'], deleted: ['first'] },
  {
    rule: 'keeps messages that were reported as failed',
    given: { failing: ['first'] },
    handled: ['first'],
    deleted: [],
  },
  { rule: 'keeps messages of a failed invocation', given: { throwing: true }, handled: ['first'], deleted: [] },
  {
    rule: 'delivers twice when duplicates are configured',
    given: { duplicating: true },
    handled: ['first', 'first'],
    deleted: ['first'],
  },
  {
    rule: 'keeps a message of which only one copy was handled',
    given: { duplicating: true, failingOnce: true },
    handled: ['first', 'first'],
    deleted: [],
  },
  {
    rule: 'keeps receiving while there are messages, up to the concurrency of the mapping',
    given: { waiting: ['a', 'b', 'c'], mapping: { State: 'Enabled', ScalingConfig: { MaximumConcurrency: 2 } } },
    handled: ['first', 'a', 'b', 'c'],
    deleted: ['a', 'b', 'c', 'first'],
    most: 2,
  },
  {
    rule: 'receives as many messages at once as the mapping allows',
    given: { waiting: ['a', 'b', 'c'], mapping: { State: 'Enabled', BatchSize: 2 } },
    handled: ['first', 'a', 'b', 'c'],
    deleted: ['a', 'b', 'c', 'first'],
    invocations: 3,
  },
  {
    rule: 'receives nothing for a disabled mapping',
    given: { waiting: ['a'], mapping: { State: 'Disabled' } },
    handled: ['first'],
    deleted: ['first'],
    left: ['a'],
  },
])('$rule', async ({ given, handled, deleted, most, left, invocations }) => {
  const came = await play(given, { handled: handled.length, deleted: deleted.length });
  expect(came.answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'first' }] });
  expect(came.handled.sort()).toEqual(handled.sort());
  expect(came.deleted).toEqual(deleted);
  if (most !== undefined) expect(came.most).toBe(most);
  if (invocations !== undefined) expect(came.invocations).toBe(invocations);
  expect(came.left).toEqual(left ?? []);
});
