import { createHash } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { type Answer, answering, refusing } from '../../adapters/aws/service/answers.fixture.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { messageOf } from '../../machinery/controller/index.ts';
import { countOf, listLetters, purgeLetters, redriveLetters, urlOf } from './queue.ts';

const url = 'https://sqs.eu-central-1.amazonaws.com/111122223333/capstan-dead';
const arn = 'arn:aws:sqs:eu-central-1:111122223333:capstan-dead';
const key = { controller: 'machine', type: 'machines.cluster.x-k8s.io', namespace: 'default', name: 'a' };
const message = (id: string, body: string) => ({
  MessageId: id,
  ReceiptHandle: id,
  Body: body,
  MD5OfBody: createHash('md5').update(body).digest('hex'),
  Attributes: { SentTimestamp: '1795662000000', ApproximateReceiveCount: '101' },
});

const open = (answer: (operation: string, call: number) => Answer) => {
  let call = 0;
  const answered = answering(({ operation }) => answer(operation, call++));
  return { queues: new SQSClient(answered.config), sent: answered.sent };
};

it('lists the subject of each message once, and nothing else of its content', async () => {
  const given = JSON.stringify({ DDBStreamBatchInfo: { shardId: 's' }, secret: 'x' });
  const event = JSON.stringify({
    'detail-type': 'EC2 Instance State-change Notification',
    detail: { 'instance-id': 'i-1' },
  });
  const { queues, sent } = open((_, call) => ({
    body: {
      Messages:
        call === 0 ? [message('1', messageOf(key)), message('2', given)] : [message('2', given), message('3', event)],
    },
  }));
  const letters = await listLetters(queues, url, 3);
  expect(letters.map(({ id, from, about }) => [id, from, about])).toEqual([
    ['1', 'worker machine', 'machines.cluster.x-k8s.io default/a'],
    ['2', 'stream', expect.any(String)],
    ['3', 'EC2 Instance State-change Notification', 'i-1'],
  ]);
  expect(JSON.stringify(letters)).not.toContain('secret');
  expect(sent.every(({ operation }) => operation === 'ReceiveMessage')).toBe(true);
});

it('stops when a receive returns nothing new', async () => {
  const { queues, sent } = open(() => ({ body: {} }));
  expect(await listLetters(queues, url, 100)).toEqual([]);
  expect(sent).toHaveLength(1);
});

it('includes messages that another reader has in flight', async () => {
  const Attributes = { ApproximateNumberOfMessages: '2', ApproximateNumberOfMessagesNotVisible: '3' };
  expect(await countOf(open(() => ({ body: { Attributes } })).queues, url)).toBe(5);
});

describe('a redrive', () => {
  const attributes: Answer = { body: { Attributes: { QueueArn: arn } } };
  const task = (Status: string, moved: number, more: object = {}): Answer => ({
    body: { Results: [{ Status, ApproximateNumberOfMessagesMoved: moved, ...more }] },
  });
  /** Redrives with these responses to the polls after the start; the last response repeats. */
  const redrive = async (...states: Answer[]) => {
    const clock = virtualClock(0);
    let asked = 0;
    const { queues, sent } = open((operation) => {
      if (operation === 'GetQueueAttributes') return attributes;
      if (operation === 'StartMessageMoveTask') return { body: { TaskHandle: 't' } };
      return states[Math.min(asked++, states.length - 1)]!;
    });
    let isOver = false;
    const redriving = redriveLetters(queues, url, clock).finally(() => {
      isOver = true;
    });
    redriving.catch(() => undefined);
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      await clock.advance(1000);
    }
    return { redriving, sent };
  };

  it('has SQS move all messages to their source queues, and waits until it is done', async () => {
    const running = task('RUNNING', 1, { ApproximateNumberOfMessagesToMove: 3 });
    const { redriving, sent } = await redrive(
      { body: { Results: [] } },
      running,
      task('COMPLETED', 3, { ApproximateNumberOfMessagesToMove: 3 }),
    );
    expect(await redriving).toEqual({ moved: 3, of: 3 });
    expect(sent.map(({ operation }) => operation)).toEqual([
      'GetQueueAttributes',
      'StartMessageMoveTask',
      ...Array.from({ length: 3 }, () => 'ListMessageMoveTasks'),
    ]);
    expect(sent[1]).toMatchObject({ body: { SourceArn: arn } });
    expect(sent[1]!.body).not.toHaveProperty('DestinationArn');
    expect(sent.at(-1)).toMatchObject({ body: { SourceArn: arn, MaxResults: 1 } });
  });

  it.each([
    {
      status: 'FAILED',
      more: { FailureReason: 'CouldNotDetermineMessageSource' },
      says: /FAILED \(CouldNotDet.*after 1/,
    },
    { status: 'CANCELLED', more: {}, says: /CANCELLED, after 1 messages/ },
  ])('reports that SQS ended the move as $status', async ({ status, more, says }) => {
    const { redriving } = await redrive(task(status, 1, more));
    await expect(redriving).rejects.toThrow(says);
  });

  it('stops waiting after ten minutes', async () => {
    const { redriving } = await redrive(task('RUNNING', 5, { ApproximateNumberOfMessagesToMove: 900 }));
    await expect(redriving).rejects.toThrow(/still moves.*5 of about 900/);
  });
});

it('purges the queue', async () => {
  const { queues, sent } = open(() => ({ body: {} }));
  await purgeLetters(queues, url);
  expect(sent).toMatchObject([{ operation: 'PurgeQueue', body: { QueueUrl: url } }]);
});

it('says what to do when the queue does not exist', async () => {
  const { queues } = open(() => refusing('QueueDoesNotExist'));
  await expect(urlOf(queues, 'capstan-dead')).rejects.toThrow(/deployed in part, or in another account or region/);
});
