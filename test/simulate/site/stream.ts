/** The table's stream: changes of each partition in their order, in batches, again and again until they are taken. */
import { toDynamo } from '../../../adapters/aws/dynamodb/value.ts';
import type { StreamEvent } from '../../../adapters/aws/lambda/events.ts';
import type { StreamAnswer } from '../../../adapters/aws/lambda/log-entries.ts';
import { stream as limits } from '../../../cdk/limits.ts';
import { type Clock, type Item, sleep } from '../../../machinery/ports.ts';
import { isSeal, typeOfLogPartition } from '../../../machinery/store/items.ts';
import type { Dice } from '../dice.ts';
import type { Faults } from '../faults/index.ts';

export interface Stream {
  /** An item was put. */
  put(item: Item): void;
  /** Whether everything that was put was taken. */
  readonly isIdle: boolean;
}

export interface StreamOptions {
  clock: Clock;
  dice: Dice;
  faults: Faults;
  receive: (event: StreamEvent) => Promise<StreamAnswer>;
  onLate: (type: string, ms: number) => void;
  onDropped: (type: string, records: number) => void;
}

type Streamed = StreamEvent['Records'][number];

export const createStream = ({ clock, dice, faults, receive, onLate, onDropped }: StreamOptions): Stream => {
  const shards = new Map<string, Streamed[]>();
  let sequence = 0;

  const recordOf = ({ body: _, ...item }: Item): Streamed => ({
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(sequence++),
      NewImage: toDynamo(item as Item) as unknown as Record<string, Record<string, unknown>>,
    },
  });

  /** How many of them were taken. */
  const attempt = async (records: Streamed[]): Promise<number> => {
    try {
      const { batchItemFailures } = await receive({ Records: records });
      const [first] = batchItemFailures;
      if (!first) return records.length;
      return records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === first.itemIdentifier);
    } catch {
      return 0;
    }
  };

  /** Not for longer than there are faults: what comes hours after the last of them would hide what nobody woke. */
  const late = async (type: string) => {
    const ms = faults.dice('stream.late').spread(2000, 4 * 3600_000);
    onLate(type, ms);
    const until = clock.now() + ms;
    while (clock.now() < until && !faults.isCalm) await sleep(clock, Math.min(until - clock.now(), 60_000));
  };

  const run = async (type: string, waiting: Streamed[]): Promise<void> => {
    let attempts = 0;
    while (waiting.length > 0) {
      if (faults.strikes('stream.late', type)) await late(type);
      else await sleep(clock, 20 + dice.next() * 200);
      const records = waiting.slice(0, limits.batchSize);
      if (faults.strikes('stream.dropped', type)) {
        onDropped(type, waiting.splice(0, records.length).length);
        continue;
      }
      const taken = await attempt(records);
      attempts = taken === 0 ? attempts + 1 : 0;
      if (taken === 0 && attempts > limits.retryAttempts) onDropped(type, waiting.splice(0, 1).length);
      if (taken === 0) await sleep(clock, Math.min(60_000, 500 * 2 ** attempts));
      else if (faults.strikes('stream.partial', type)) waiting.splice(0, dice.whole(0, taken));
      else if (!faults.strikes('stream.duplicated', type)) waiting.splice(0, taken);
    }
  };

  return {
    get isIdle() {
      return [...shards.values()].every((waiting) => waiting.length === 0);
    },
    put: (item) => {
      const type = typeOfLogPartition(item.pk);
      if (type === undefined || isSeal(item)) return;
      const waiting = shards.get(type) ?? [];
      shards.set(type, waiting);
      waiting.push(recordOf(item));
      if (waiting.length === 1) void run(type, waiting);
    },
  };
};
