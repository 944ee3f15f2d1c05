import { createHash } from 'node:crypto';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../../machinery/controller/work.ts';
import { systemClock } from '../../memory/clock.ts';
import { answering, refusing } from '../service/answers.fixture.ts';
import { consume, hideOnSqs, type Received, type SqsEvent, sqsQueue } from './index.ts';

const url = 'https://sqs.eu-central-1.amazonaws.com/111122223333/capstan-hot';
const queue = 'arn:aws:sqs:eu-central-1:111122223333:capstan-hot';

const record = (messageId: string, count = '1'): SqsEvent['Records'][number] => ({
  messageId,
  receiptHandle: `receipt of ${messageId}`,
  body: `body of ${messageId}`,
  attributes: { ApproximateReceiveCount: count },
  eventSourceARN: queue,
});
const silent = { info: () => {}, error: () => {} };

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

describe('sending', () => {
  type Config = ReturnType<typeof answering>['config'];
  const open = (config: Config) => sqsQueue({ client: new SQSClient(config), url, clock: systemClock });
  interface Entry {
    Id: string;
    MessageBody: string;
    DelaySeconds: number;
  }
  /** Accepts all messages but those that are refused. */
  const acceptingBut = (refused: readonly string[], sumOf = md5) =>
    answering(({ body }) => {
      const entries = body.Entries as Entry[];
      const isRefused = ({ MessageBody }: Entry) => refused.includes(MessageBody);
      return {
        body: {
          Successful: entries
            .filter((entry) => !isRefused(entry))
            .map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: sumOf(MessageBody) })),
          Failed: entries
            .filter(isRefused)
            .map(({ Id }) => ({ Id, Code: 'InternalError', Message: 'Try again.', SenderFault: false })),
        },
      };
    });
  const accepting = acceptingBut([]);

  it.each([
    { delay: undefined, seconds: 0 },
    { delay: 0.2, seconds: 1 },
    { delay: -3, seconds: 0 },
    { delay: 900, seconds: 900 },
  ])('rounds a delay of $delay ms to $seconds s', async ({ delay, seconds }) => {
    await open(accepting.config).send('wake', delay);
    expect(accepting.sent.at(-1)).toMatchObject({
      operation: 'SendMessageBatch',
      body: { QueueUrl: url, Entries: [{ Id: '0', MessageBody: 'wake', DelaySeconds: seconds }] },
    });
  });

  it('sends messages together that are sent at the same time, ten at most', async () => {
    const { config, sent } = acceptingBut([]);
    const queue = open(config);
    await Promise.all(Array.from({ length: 13 }, (_, index) => queue.send(`m${index}`, index)));
    await queue.send('later');
    const bodies = sent.map(({ body }) => (body.Entries as Entry[]).map(({ MessageBody }) => MessageBody));
    expect(bodies.map(({ length }) => length)).toEqual([10, 3, 1]);
    expect(bodies.flat()).toEqual([...Array.from({ length: 13 }, (_, index) => `m${index}`), 'later']);
    expect((sent[1]!.body.Entries as Entry[])[2]).toMatchObject({ MessageBody: 'm12', DelaySeconds: 12 });
  });

  it('fails for each message that SQS does not accept, and only for it', async () => {
    const { config } = acceptingBut(['b']);
    const queue = open(config);
    const sent = await Promise.allSettled(['a', 'b', 'c'].map((message) => queue.send(message)));
    expect(sent.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((sent[1] as PromiseRejectedResult).reason).toMatchObject({
      code: 'InternalError',
      consequence: 'retry',
      message: expect.stringContaining('Try again.'),
    });
  });

  it('refuses a delay that SQS does not support', async () => {
    const { config, sent } = answering(() => ({}));
    await expect(open(config).send('wake', 901)).rejects.toThrow('900 s');
    expect(sent).toEqual([]);
  });

  it('fails when SQS reports another checksum than that of the message', async () => {
    const { config } = acceptingBut([], () => md5('else'));
    await expect(open(config).send('wake')).rejects.toMatchObject({
      code: 'Unreadable',
    });
  });

  it('says what to do when the queue does not exist', async () => {
    const { config } = answering(() => refusing('QueueDoesNotExist'));
    await expect(open(config).send('wake')).rejects.toMatchObject({
      code: 'QueueDoesNotExist',
      consequence: 'retry',
      message: expect.stringContaining('deploy it again'),
    });
  });
});

describe('receiving', () => {
  const handled = async (verdict: () => Promise<Verdict>, hide?: () => Promise<void>) => {
    const hidden: [Received, number][] = [];
    const received: [string, number][] = [];
    const answer = await consume(
      { Records: [record('m', '3')] },
      {
        receive: (message, deliveries) => {
          received.push([message, deliveries]);
          return verdict();
        },
        hide: async (which, seconds) => {
          hidden.push([which, seconds]);
          await hide?.();
        },
        log: silent,
      },
    );
    return { received, hidden: hidden.map(([{ id }, seconds]) => [id, seconds]), answer };
  };
  const failed = { batchItemFailures: [{ itemIdentifier: 'm' }] };

  it('passes on the message and its receive count, and deletes acknowledged messages', async () => {
    expect(await handled(async () => ({ do: 'acknowledge' }))).toEqual({
      received: [['body of m', 3]],
      hidden: [],
      answer: { batchItemFailures: [] },
    });
  });

  it.each([
    { ms: 1500, seconds: 2 },
    { ms: 0, seconds: 0 },
    { ms: -5, seconds: 0 },
    { ms: 1e9, seconds: 42_300 },
  ])('hides a message that is put back for $ms ms', async ({ ms, seconds }) => {
    expect(await handled(async () => ({ do: 'putBack', ms }))).toMatchObject({
      hidden: [['m', seconds]],
      answer: failed,
    });
  });

  // Reporting every message as a batch item failure counts as a successful invocation, so no alarm would fire.
  it('fails when no message could be hidden, so that the failure is counted and nothing is deleted', async () => {
    const refused = async () => {
      throw new Error('no');
    };
    await expect(handled(async () => ({ do: 'putBack', ms: 1000 }), refused)).rejects.toThrow('nothing was handled');
  });

  it('fails when no message could be handled, so that the failure is counted and nothing is deleted', async () => {
    const crashed = async () => {
      throw new Error('no');
    };
    await expect(handled(crashed)).rejects.toThrow('nothing was handled');
  });

  it('handles the messages of a batch at the same time', async () => {
    let isSecondHandled = () => {};
    const second = new Promise<void>((resolve) => {
      isSecondHandled = resolve;
    });
    const answer = await consume(
      { Records: [record('a'), record('b')] },
      {
        receive: async (message) => {
          if (message.endsWith('a')) await second;
          else isSecondHandled();
          return { do: 'acknowledge' };
        },
        hide: async () => {},
        log: silent,
      },
    );
    expect(answer).toEqual({ batchItemFailures: [] });
  });

  it('reports only the messages of a batch that failed', async () => {
    const answer = await consume(
      { Records: [record('a'), record('b'), record('c')] },
      {
        receive: async (message) => {
          if (message.endsWith('c')) throw new Error('no');
          return message.endsWith('b') ? { do: 'putBack', ms: 1 } : { do: 'acknowledge' };
        },
        hide: async () => {},
        log: silent,
      },
    );
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'b' }, { itemIdentifier: 'c' }] });
  });

  it('hides a message by its receipt handle, on the queue that it came from', async () => {
    const { config, sent } = answering(() => ({}));
    const hide = hideOnSqs(new SQSClient(config), (arn) => (arn === queue ? url : 'nowhere'));
    await hide({ id: 'm', message: '', deliveries: 2, receipt: 'the receipt', queue }, 7);
    expect(sent).toMatchObject([
      {
        operation: 'ChangeMessageVisibility',
        body: { QueueUrl: url, ReceiptHandle: 'the receipt', VisibilityTimeout: 7 },
      },
    ]);
  });
});
