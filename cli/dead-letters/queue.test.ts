import { createHash } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { type Answer, answering, refusing } from '../../adapters/aws/service/answers.fixture.ts';
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

it('lists what messages are about, each once, and shows nothing else of them', async () => {
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

it('ends when a look finds nothing new', async () => {
  const { queues, sent } = open(() => ({ body: {} }));
  expect(await listLetters(queues, url, 100)).toEqual([]);
  expect(sent).toHaveLength(1);
});

it('counts those that another reader hides, too', async () => {
  const Attributes = { ApproximateNumberOfMessages: '2', ApproximateNumberOfMessagesNotVisible: '3' };
  expect(await countOf(open(() => ({ body: { Attributes } })).queues, url)).toBe(5);
});

it('has SQS move all of them back to where they came from', async () => {
  const { queues, sent } = open(() => ({ body: { Attributes: { QueueArn: arn }, TaskHandle: 't' } }));
  await redriveLetters(queues, url);
  expect(sent.at(-1)).toMatchObject({ operation: 'StartMessageMoveTask', body: { SourceArn: arn } });
  expect(sent.at(-1)!.body).not.toHaveProperty('DestinationArn');
});

it('deletes all of them', async () => {
  const { queues, sent } = open(() => ({ body: {} }));
  await purgeLetters(queues, url);
  expect(sent).toMatchObject([{ operation: 'PurgeQueue', body: { QueueUrl: url } }]);
});

it('says what to do when there is no such queue', async () => {
  const { queues } = open(() => refusing('QueueDoesNotExist'));
  await expect(urlOf(queues, 'capstan-dead')).rejects.toThrow(/deployed in part, or in another account or region/);
});
