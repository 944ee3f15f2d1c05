/** Queue events and their responses, with partial failures. */
import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Verdict } from '../../../machinery/controller/work.ts';
import type { Log } from '../../../machinery/ports.ts';
import { sent } from '../service/error.ts';

/** The used part of the event. */
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

/** Maximum visibility timeout in seconds, counted from delivery, with a reserve for the elapsed time. */
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

/** The mapping deletes messages that the response omits; the others return after their visibility timeout. */
export const answerOf = (back: readonly Received[]): SqsAnswer => ({
  batchItemFailures: back.map(({ id }) => ({ itemIdentifier: id })),
});

export interface ConsumeOptions {
  receive: (message: string, deliveries: number) => Promise<Verdict>;
  /** Hides a message for some seconds from now. */
  hide: (received: Received, seconds: number) => Promise<void>;
  log: Log;
}

/**
 * Passes the messages to `receive`, all at once. A message that is put back is hidden for that long and reported as
 * failed; so is one whose handler throws, for its queue's visibility timeout. Throws if all handlers threw,
 * which CloudWatch counts as an error of the function.
 */
export const consume = async (event: SqsEvent, { receive, hide, log }: ConsumeOptions): Promise<SqsAnswer> => {
  let failed = 0;
  const isAcknowledged = async (received: Received): Promise<boolean> => {
    try {
      const verdict = await receive(received.message, received.deliveries);
      if (verdict.do === 'acknowledge') return true;
      await hide(received, hiddenSeconds(verdict.ms));
    } catch (error) {
      failed++;
      log.error('Message not handled', { message: received.id, deliveries: received.deliveries, error });
    }
    return false;
  };
  const messages = receivedOf(event);
  const acknowledged = await Promise.all(messages.map(isAcknowledged));
  if (failed && failed === messages.length) throw new Error('nothing was handled');
  return answerOf(messages.filter((_, index) => !acknowledged[index]));
};

/** Maps `arn:aws:sqs:<region>:<account>:<name>` to the queue's URL. */
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
