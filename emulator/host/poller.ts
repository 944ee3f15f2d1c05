/**
 * Polls queues concurrently, because MiniStack delivers messages one by one and waits for each. Reports each message as
 * failed to MiniStack, so that it stays in flight; the host deletes it when it is handled, as Lambda's pollers do.
 * Receives further messages itself, up to the concurrency of the mapping.
 */
import { type LambdaClient, ListEventSourceMappingsCommand } from '@aws-sdk/client-lambda';
import {
  DeleteMessageBatchCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Functions } from './functions.ts';
import { whenFree } from './throttle.ts';

interface QueueRecord {
  messageId: string;
  receiptHandle: string;
  eventSource: string;
  eventSourceARN: string;
}

export interface PollerOptions {
  functions: Functions;
  queues: SQSClient;
  lambda: LambdaClient;
  region: string;
  /** Whether each message is delivered twice. */
  isDuplicating: () => boolean;
  onError: (name: string, error: unknown) => void;
}

export interface BatchAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

/** The messages of a queue event; undefined for other events. */
export const messagesOf = (event: unknown): QueueRecord[] | undefined => {
  const records = (event as { Records?: QueueRecord[] } | null)?.Records;
  return Array.isArray(records) && records[0]?.eventSource === 'aws:sqs' ? records : undefined;
};

const failedOf = (answer: unknown): Set<string> =>
  new Set((answer as BatchAnswer | null)?.batchItemFailures?.map(({ itemIdentifier }) => itemIdentifier));

const recordOf = (message: Message, arn: string, region: string) => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes ?? {},
  messageAttributes: {},
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: arn,
  awsRegion: region,
});

/** Milliseconds for which a mapping's settings are cached. */
const believed = 2_000;
const defaultConcurrency = 5;
/** Milliseconds: less than the visibility timeout, after which the queue delivers the message again. */
const throttledFor = 100_000;

const remembered = <T>(ms: number, ask: (key: string) => Promise<T>) => {
  const known = new Map<string, { at: number; value: Promise<T> }>();
  return (key: string): Promise<T> => {
    const last = known.get(key);
    if (last && Date.now() - last.at < ms) return last.value;
    const value = ask(key);
    known.set(key, { at: Date.now(), value });
    value.catch(() => known.delete(key));
    return value;
  };
};

export const createPoller = ({ functions, queues, lambda, region, isDuplicating, onError }: PollerOptions) => {
  const inFlight = new Map<string, number>();
  const draining = new Set<string>();

  const urlOf = remembered(Number.POSITIVE_INFINITY, async (arn) => {
    const { QueueUrl = '' } = await queues.send(new GetQueueUrlCommand({ QueueName: arn.split(':').at(-1) }));
    return QueueUrl;
  });
  /** The maximum of concurrent invocations for a queue, and of messages in each. */
  const limitsOf = remembered(believed, async (arn) => {
    const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({ EventSourceArn: arn }));
    const mapping = EventSourceMappings.find(({ State }) => State === 'Enabled');
    if (!mapping) return { invocations: 0, messages: 1 };
    const { ScalingConfig, BatchSize: messages = 1 } = mapping;
    return { invocations: ScalingConfig?.MaximumConcurrency ?? defaultConcurrency, messages };
  });

  /** Messages that the function has handled. */
  const handle = async (name: string, event: unknown, records: QueueRecord[]): Promise<QueueRecord[]> => {
    try {
      const failed = failedOf(await whenFree(() => functions.invoke(name, event), throttledFor));
      return records.filter(({ messageId }) => !failed.has(messageId));
    } catch (error) {
      onError(name, error);
      return [];
    }
  };
  const remove = async (arn: string, records: QueueRecord[]): Promise<void> => {
    if (records.length === 0) return;
    const Entries = records.map(({ messageId: Id, receiptHandle: ReceiptHandle }) => ({ Id, ReceiptHandle }));
    await queues.send(new DeleteMessageBatchCommand({ QueueUrl: await urlOf(arn), Entries }));
  };

  const begin = (name: string, event: unknown, records: QueueRecord[]): void => {
    const arn = records[0]!.eventSourceARN;
    const times = isDuplicating() ? 2 : 1;
    if (times > 1) functions.counts.add(name, 'duplicates');
    inFlight.set(arn, (inFlight.get(arn) ?? 0) + 1);
    // A failed copy returns after the visibility timeout; a successful one does not delete its twin.
    const copies = Array.from({ length: times }, () => handle(name, event, records));
    void Promise.all(copies)
      .then((handled) =>
        remove(
          arn,
          records.filter((one) => handled.every((copy) => copy.includes(one))),
        ),
      )
      .catch((error: unknown) => onError(name, error))
      .finally(() => {
        inFlight.set(arn, (inFlight.get(arn) ?? 1) - 1);
        drain(name, arn);
      });
  };

  const fetchMore = async (name: string, arn: string): Promise<void> => {
    const QueueUrl = await urlOf(arn);
    for (;;) {
      const { invocations, messages } = await limitsOf(arn);
      if ((inFlight.get(arn) ?? 0) >= invocations) return;
      const { Messages = [] } = await queues.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: messages,
          WaitTimeSeconds: 0,
          MessageSystemAttributeNames: ['All'],
        }),
      );
      if (Messages.length === 0) return;
      const Records = Messages.map((message) => recordOf(message, arn, region));
      begin(name, { Records }, Records);
    }
  };
  const drain = (name: string, arn: string): void => {
    if (draining.has(arn)) return;
    draining.add(arn);
    void fetchMore(name, arn)
      .catch((error: unknown) => onError(name, error))
      .finally(() => draining.delete(arn));
  };

  return (name: string, event: unknown, records: QueueRecord[]): BatchAnswer => {
    begin(name, event, records);
    drain(name, records[0]!.eventSourceARN);
    return { batchItemFailures: records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};
