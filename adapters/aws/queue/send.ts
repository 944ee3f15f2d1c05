/** The Queue port on a standard SQS queue. */
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Queue } from '../../../machinery/ports.ts';
import { sent } from '../service/error.ts';

/** Seconds. */
const longestDelay = 900;

export interface SqsQueueOptions {
  client: Pick<SQSClient, 'send'>;
  url: string;
}

export const sqsQueue = ({ client, url: QueueUrl }: SqsQueueOptions): Queue => ({
  send: async (MessageBody, delaySeconds = 0) => {
    if (delaySeconds > longestDelay) throw new Error(`a message is delayed by at most ${longestDelay} s`);
    const DelaySeconds = Math.ceil(Math.max(0, delaySeconds));
    const request = new SendMessageCommand({ QueueUrl, MessageBody, DelaySeconds });
    await sent(client.send(request), { action: 'sqs:SendMessage', what: `the queue ${QueueUrl}` });
  },
});
