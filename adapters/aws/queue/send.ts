/** The Queue port on a standard SQS queue. */
import { SendMessageBatchCommand, type SendMessageBatchRequestEntry, type SQSClient } from '@aws-sdk/client-sqs';
import { type Clock, type Queue, sleep } from '../../../machinery/ports.ts';
import { ServiceError, sent } from '../service/error.ts';

/** Seconds. */
const longestDelay = 900;
/** Messages in one request, which SQS charges as one. */
const most = 10;
/** Milliseconds that a message waits for others: the work items of one change are counted at about the same time. */
const gathering = 5;

export interface SqsQueueOptions {
  client: Pick<SQSClient, 'send'>;
  url: string;
  clock: Clock;
}

type Entry = Omit<SendMessageBatchRequestEntry, 'Id'>;
interface Batch {
  entries: Entry[];
  /** By index: the messages that SQS did not accept. */
  refused: Promise<ReadonlyMap<number, ServiceError>>;
}

/** Sends messages together that are sent at about the same time; each fails alone. */
export const sqsQueue = ({ client, url: QueueUrl, clock }: SqsQueueOptions): Queue => {
  const attempt = { action: 'sqs:SendMessage', what: `the queue ${QueueUrl}` };
  let open: Batch | undefined;

  const sendAll = async (entries: readonly Entry[]): Promise<ReadonlyMap<number, ServiceError>> => {
    const Entries = entries.map((entry, index) => ({ Id: String(index), ...entry }));
    const { Failed = [] } = await sent(client.send(new SendMessageBatchCommand({ QueueUrl, Entries })), attempt);
    return new Map(
      Failed.map(({ Id, Code = 'Unknown', Message = '' }) => [
        Number(Id),
        new ServiceError(Code, `${attempt.what} refused a message: ${Code}: ${Message}`, 'refused'),
      ]),
    );
  };
  const begin = (): Batch => {
    const entries: Entry[] = [];
    const refused = sleep(clock, gathering).then(() => {
      if (open?.entries === entries) open = undefined;
      return sendAll(entries);
    });
    return { entries, refused };
  };

  return {
    send: async (MessageBody, delaySeconds = 0) => {
      if (delaySeconds > longestDelay) throw new Error(`a message is delayed by at most ${longestDelay} s`);
      open ??= begin();
      const batch = open;
      const index = batch.entries.push({ MessageBody, DelaySeconds: Math.ceil(Math.max(0, delaySeconds)) }) - 1;
      if (batch.entries.length === most) open = undefined;
      const error = (await batch.refused).get(index);
      if (error) throw error;
    },
  };
};
