/** What an event of a queue's mapping says, and what its answer must be. One message an event, partial failures reported. */
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Verdict } from '../../../machinery/controller/work.ts';
import type { Log } from '../../../machinery/ports.ts';
import { sent } from '../service/error.ts';

/** The part of a Lambda event that is read. */
export interface SqsEvent {
  Records: {
    messageId: string;
    receiptHandle: string;
    body: string;
    attributes: { ApproximateReceiveCount: string };
    eventSourceARN: string;
  }[];
}
export interface SqsAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

export interface Received {
  id: string;
  message: string;
  /** 1 for a first delivery. */
  deliveries: number;
  receipt: string;
  /** The queue's ARN. */
  queue: string;
}

/** Seconds that a message may stay hidden, counted from its delivery; some are left for those that passed since. */
const longestHidden = 43_200 - 900;

export const receivedOf = ({ Records }: SqsEvent): Received[] =>
  Records.map(({ messageId, receiptHandle, body, attributes, eventSourceARN }) => ({
    id: messageId,
    message: body,
    deliveries: Number(attributes.ApproximateReceiveCount) || 1,
    receipt: receiptHandle,
    queue: eventSourceARN,
  }));

export const hiddenSeconds = (ms: number): number => Math.min(longestHidden, Math.max(0, Math.ceil(ms / 1000)));

/** What is not named here is deleted by the mapping; what is comes back when its visibility timeout has passed. */
export const answerOf = (back: readonly Received[]): SqsAnswer => ({
  batchItemFailures: back.map(({ id }) => ({ itemIdentifier: id })),
});

export interface ConsumeOptions {
  receive: (message: string, deliveries: number) => Promise<Verdict>;
  /** Hides it for so many seconds from now. */
  hide: (received: Received, seconds: number) => Promise<void>;
  log: Log;
}

/**
 * Hands each message to `receive`. One that is put back is hidden for that long and reported as failed; what throws is
 * reported as failed, and comes back with the visibility timeout of its queue. Throws when all of them did: that is what
 * CloudWatch counts as an error of the function, and all come back as well.
 */
export const consume = async (event: SqsEvent, { receive, hide, log }: ConsumeOptions): Promise<SqsAnswer> => {
  const back: Received[] = [];
  let failed = 0;
  for (const received of receivedOf(event)) {
    try {
      const verdict = await receive(received.message, received.deliveries);
      if (verdict.do === 'acknowledge') continue;
      await hide(received, hiddenSeconds(verdict.ms));
    } catch (error) {
      failed++;
      log.error('Message not handled', { message: received.id, deliveries: received.deliveries, error });
    }
    back.push(received);
  }
  if (failed && failed === event.Records.length) throw new Error('nothing was handled');
  return answerOf(back);
};

/** `arn:aws:sqs:<region>:<account>:<name>`, as the address that SQS gave the queue. */
export type UrlOf = (arn: string) => string;

export const hideOnSqs =
  (client: Pick<SQSClient, 'send'>, urlOf: UrlOf): ConsumeOptions['hide'] =>
  async ({ receipt, queue }, seconds) => {
    const QueueUrl = urlOf(queue);
    const request = new ChangeMessageVisibilityCommand({
      QueueUrl,
      ReceiptHandle: receipt,
      VisibilityTimeout: seconds,
    });
    await sent(client.send(request), { action: 'sqs:ChangeMessageVisibility', what: `the queue ${QueueUrl}` });
  };
