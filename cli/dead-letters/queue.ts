/** The dead-letter queue of an installation: messages that no worker could handle, and failed stream batches. */
import {
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { type Clock, sleep } from '../../machinery/ports.ts';
import { asking } from '../aws/explain.ts';
import { CliError } from '../errors.ts';

export type Queues = Pick<SQSClient, 'send'>;

export interface DeadLetter {
  id: string;
  sent: string;
  /** The receive count, including this command. */
  received: number;
  /** The source: a worker's message, a change that the stream dropped, or an AWS event. */
  from: string;
  about: string;
}

/** Seconds for which a listed message is hidden from other readers. */
const hidden = 30;
const mostAtOnce = 10;

export const urlOf = async (queues: Queues, QueueName: string): Promise<string> => {
  const request = queues.send(new GetQueueUrlCommand({ QueueName }));
  const { QueueUrl = '' } = await asking(request, { action: 'sqs:GetQueueUrl', what: `the queue ${QueueName}` });
  return QueueUrl;
};

export const countOf = async (queues: Queues, QueueUrl: string): Promise<number> => {
  const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await asking(
    queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] })),
    { action: 'sqs:GetQueueAttributes', what: `the queue ${QueueUrl}` },
  );
  return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
};

const fieldsOf = (body: string): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

/** Extracts only names from the body, which may be an AWS event with other data. */
const sourceOf = (body: string): Pick<DeadLetter, 'from' | 'about'> => {
  const fields = fieldsOf(body);
  const { controller, type, namespace, name, DDBStreamBatchInfo, detail } = fields;
  if (typeof controller === 'string')
    return { from: `worker ${controller}`, about: `${type} ${[namespace, name].filter(Boolean).join('/')}` };
  if (DDBStreamBatchInfo)
    return { from: 'stream', about: 'changes that dispatch could not handle; a sweep has requeued all objects since' };
  if (typeof fields['detail-type'] === 'string')
    return {
      from: String(fields['detail-type']),
      about: String((detail as { 'instance-id'?: string })?.['instance-id'] ?? ''),
    };
  return { from: 'unknown', about: '' };
};

const letterOf = ({ MessageId = '', Body = '', Attributes = {} }: Message): DeadLetter => ({
  id: MessageId,
  sent: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
  received: Number(Attributes.ApproximateReceiveCount ?? 0),
  ...sourceOf(Body),
});

/** The first messages, by their IDs. They stay, and can be read again half a minute later. */
export const listLetters = async (queues: Queues, QueueUrl: string, most: number): Promise<DeadLetter[]> => {
  const found = new Map<string, DeadLetter>();
  while (found.size < most) {
    const { Messages = [] } = await asking(
      queues.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: Math.min(mostAtOnce, most - found.size),
          VisibilityTimeout: hidden,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount'],
        }),
      ),
      { action: 'sqs:ReceiveMessage', what: `the queue ${QueueUrl}` },
    );
    const before = found.size;
    for (const message of Messages) found.set(message.MessageId ?? '', letterOf(message));
    if (found.size === before) break;
  }
  return [...found.values()];
};

/** The result of a move: SQS counts the moved messages. */
export interface Redriven {
  moved: number;
  /** Messages at the start of the move, if SQS says so. */
  of: number | undefined;
}

/** Milliseconds between two polls, and until polling stops. */
const poll = 2000;
const longestMove = 10 * 60_000;
const ended = new Set(['COMPLETED', 'CANCELLED', 'FAILED']);

/** Waits for the newest move of this queue; throws CliError if SQS failed or cancelled it, or on a timeout. */
const waitForMove = async (queues: Queues, SourceArn: string, what: string, clock: Clock): Promise<Redriven> => {
  const started = clock.now();
  for (;;) {
    const { Results: [task] = [] } = await asking(
      queues.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 })),
      { action: 'sqs:ListMessageMoveTasks', what },
    );
    const moved = Number(task?.ApproximateNumberOfMessagesMoved ?? 0);
    const count = task?.ApproximateNumberOfMessagesToMove;
    const of = count === undefined ? undefined : Number(count);
    const { Status: status = '', FailureReason: reason } = task ?? {};
    if (status === 'COMPLETED') return { moved, of };
    const progress = of === undefined ? `${moved} messages` : `${moved} of about ${of} messages`;
    if (ended.has(status))
      throw new CliError(
        `SQS ended the move of ${what} as ${status}${reason ? ` (${reason})` : ''}, after ${progress}: the others stay there, list them with capstan dead-letters list`,
      );
    if (clock.now() - started > longestMove)
      throw new CliError(`SQS still moves messages of ${what}, ${progress} so far: list what is left later`);
    await sleep(clock, poll);
  }
};

/**
 * Has SQS move worker messages back to their queues, and waits until it has. Changes and events have no source
 * queue: SQS ends a move that meets one as failed.
 */
export const redriveLetters = async (queues: Queues, QueueUrl: string, clock: Clock): Promise<Redriven> => {
  const what = `the queue ${QueueUrl}`;
  const { Attributes } = await asking(
    queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] })),
    { action: 'sqs:GetQueueAttributes', what },
  );
  const SourceArn = Attributes?.QueueArn ?? '';
  await asking(queues.send(new StartMessageMoveTaskCommand({ SourceArn })), {
    action: 'sqs:StartMessageMoveTask',
    what,
  });
  return waitForMove(queues, SourceArn, what, clock);
};

/** Deletes all messages permanently. */
export const purgeLetters = async (queues: Queues, QueueUrl: string): Promise<void> => {
  await asking(queues.send(new PurgeQueueCommand({ QueueUrl })), {
    action: 'sqs:PurgeQueue',
    what: `the queue ${QueueUrl}`,
  });
};
