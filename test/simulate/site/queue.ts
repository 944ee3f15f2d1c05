/**
 * An SQS standard queue: at-least-once delivery in no order, with some duplicates. Unlike SQS it
 * may lose messages.
 */

import type { SqsAnswer, SqsEvent } from '../../../adapters/aws/queue/index.ts';
import { type Clock, type Queue, sleep } from '../../../machinery/ports.ts';
import type { Dice } from '../dice.ts';
import type { Faults } from '../faults/index.ts';
import type { SiteSwitch } from './switch.ts';

export interface SiteQueue extends Queue {
  /** Changes the visibility timeout of a message to this many seconds from now. */
  hide(receipt: string, seconds: number): void;
  /** The messages that are not acknowledged yet. */
  waiting(): Message[];
}

export interface Message {
  body: string;
  /** Milliseconds since the epoch at which it is delivered next. */
  at: number;
}

export interface QueueOptions {
  name: string;
  clock: Clock;
  dice: Dice;
  faults: Faults;
  /** The event source mapping that polls the queue. */
  mapping: Pick<SiteSwitch, 'isOn' | 'onEnable'>;
  /** The visibility timeout in milliseconds. */
  visibility: number;
  /** Deliveries before the message moves to the dead-letter queue. */
  most: number;
  /** Messages in one invocation. */
  atOnce: number;
  receive: (event: SqsEvent) => Promise<SqsAnswer>;
  onLost: (message: string) => void;
  /** The messages of the queue that this one continues. */
  messages?: readonly Message[] | undefined;
}

type QueueRecord = SqsEvent['Records'][number];

const longestDelay = 900;
/** Milliseconds. */
const gathering = 20;

export const createQueue = (options: QueueOptions): SiteQueue => {
  const { name, clock, dice, faults, mapping, visibility, most, atOnce, receive, onLost } = options;
  const hidden = new Map<string, number>();
  const waiting = new Map<string, Message>();
  let sent = 0;

  const recordOf = (messageId: string, body: string, deliveries: number): QueueRecord => ({
    messageId,
    receiptHandle: messageId,
    body,
    attributes: { ApproximateReceiveCount: String(deliveries) },
    eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${name}`,
  });

  /** The invocation that takes the next messages; resolves to those that return. */
  let gathered: { records: QueueRecord[]; failed: Promise<ReadonlySet<string>> } | undefined;
  const gather = () => {
    const records: QueueRecord[] = [];
    const invoke = async (): Promise<ReadonlySet<string>> => {
      await sleep(clock, dice.next() * gathering);
      if (gathered?.records === records) gathered = undefined;
      const { batchItemFailures } = await receive({ Records: records });
      return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    };
    return { records, failed: invoke() };
  };
  /** Whether the message was handled. An invocation takes what arrives at about the same time. */
  const isHandled = async (record: QueueRecord): Promise<boolean> => {
    if (atOnce === 1) return (await receive({ Records: [record] })).batchItemFailures.length === 0;
    gathered ??= gather();
    const { records, failed } = gathered;
    if (records.push(record) === atOnce) gathered = undefined;
    return !(await failed).has(record.messageId);
  };

  const unpolled: (() => void)[] = [];
  mapping.onEnable(() => {
    for (const poll of unpolled.splice(0)) poll();
  });
  const polled = async () => {
    while (!mapping.isOn) await new Promise<void>((resolve) => void unpolled.push(resolve));
  };

  const deliver = async (id: string, message: string): Promise<void> => {
    for (let deliveries = 1; deliveries <= most; deliveries++) {
      await polled();
      const since = clock.now();
      try {
        if (await isHandled(recordOf(id, message, deliveries))) {
          hidden.delete(id);
          waiting.delete(id);
          return;
        }
      } catch {
        // The worker failed, so the message becomes visible again.
      }
      const until = hidden.get(id) ?? since + visibility;
      hidden.delete(id);
      waiting.set(id, { body: message, at: until });
      await sleep(clock, Math.max(0, until - clock.now()));
    }
    waiting.delete(id);
    onLost(message);
  };

  const put = (message: string, wait: number) => {
    const id = `${name}-${sent++}`;
    waiting.set(id, { body: message, at: clock.now() + wait });
    clock.after(wait, () => void deliver(id, message));
  };
  for (const { body, at } of options.messages ?? []) put(body, Math.max(0, at - clock.now()));

  return {
    waiting: () => [...waiting.values()],
    hide: (receipt, seconds) => void hidden.set(receipt, clock.now() + seconds * 1000),
    send: async (message, delaySeconds = 0) => {
      if (delaySeconds > longestDelay) throw new Error(`a message can be delayed by at most ${longestDelay} s`);
      if (faults.strikes('queue.lost', message)) return onLost(message);
      const copies = faults.strikes('queue.duplicated', message) ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const delay = faults.strikes('queue.delayed') ? faults.dice('queue.delayed').spread(1000, 30 * 60_000) : 0;
        const more = copy === 0 ? 0 : dice.spread(1, 600_000);
        const wait = delaySeconds * 1000 + delay + more + dice.next() * 30;
        put(message, wait);
      }
    },
  };
};
