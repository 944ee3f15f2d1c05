/**
 * Queue messages, many at a time: MiniStack hands over one after the other and waits for each. It is told at once that the
 * message was not handled, so that the message stays hidden; who is done with it deletes it here, as Lambda's pollers do.
 */
import { DeleteMessageBatchCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { Functions } from './functions.ts';

interface QueueRecord {
  messageId: string;
  receiptHandle: string;
  eventSource: string;
  eventSourceARN: string;
}

export interface PollerOptions {
  functions: Functions;
  client: SQSClient;
  /** Whether every message is handed over twice. */
  isDuplicating: () => boolean;
  onError: (name: string, error: unknown) => void;
}

export interface BatchAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

/** The messages, if the event is of a queue. */
export const messagesOf = (event: unknown): QueueRecord[] | undefined => {
  const records = (event as { Records?: QueueRecord[] } | null)?.Records;
  return Array.isArray(records) && records[0]?.eventSource === 'aws:sqs' ? records : undefined;
};

const failedOf = (answer: unknown): Set<string> =>
  new Set((answer as BatchAnswer | null)?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));

export const createPoller = ({ functions, client, isDuplicating, onError }: PollerOptions) => {
  const urls = new Map<string, Promise<string>>();
  const urlOf = (arn: string): Promise<string> => {
    const known = urls.get(arn);
    if (known) return known;
    const name = arn.split(':').at(-1) ?? '';
    const url = client.send(new GetQueueUrlCommand({ QueueName: name })).then(({ QueueUrl = '' }) => QueueUrl);
    urls.set(arn, url);
    url.catch(() => urls.delete(arn));
    return url;
  };

  const handle = async (name: string, event: unknown, records: QueueRecord[]): Promise<void> => {
    const failed = failedOf(await functions.invoke(name, event));
    const Entries = records
      .filter(({ messageId }) => !failed.has(messageId))
      .map(({ messageId: Id, receiptHandle: ReceiptHandle }) => ({ Id, ReceiptHandle }));
    if (Entries.length === 0) return;
    const QueueUrl = await urlOf(records[0]!.eventSourceARN);
    await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  };

  return (name: string, event: unknown, records: QueueRecord[]): BatchAnswer => {
    const times = isDuplicating() ? 2 : 1;
    if (times > 1) functions.counts.add(name, 'duplicates');
    // Failed ones come back when they are visible again.
    for (let n = 0; n < times; n++) void handle(name, event, records).catch((error: unknown) => onError(name, error));
    return { batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};
