/** Queues on SQS: both ends of them. */

export type { ConsumeOptions, Received, SqsAnswer, SqsEvent, UrlOf } from './receive.ts';
export { consume, hideOnSqs, receivedOf } from './receive.ts';
export type { SqsQueueOptions } from './send.ts';
export { sqsQueue } from './send.ts';
