/**
 * The stream of the table: a shard for each type, with several concurrent batches as the mapping's
 * ParallelizationFactor allows. Batches are unordered. Each is retried until it succeeds.
 */
import { toDynamo } from '../../../adapters/aws/dynamodb/value.ts';
import type { StreamEvent } from '../../../adapters/aws/lambda/events.ts';
import type { StreamAnswer } from '../../../adapters/aws/lambda/log-entries.ts';
import { batchesPerShard } from '../../../cdk/concurrency.ts';
import { stream as limits } from '../../../cdk/limits.ts';
import { type Clock, type Item, sleep } from '../../../machinery/ports.ts';
import { isSeal, typeOfLogPartition } from '../../../machinery/store/items.ts';
import type { Dice } from '../dice.ts';
import type { Faults } from '../faults/index.ts';

export interface Stream {
  /** Takes a written item. */
  put(item: Item): void;
  /** Whether all records were processed. */
  readonly isIdle: boolean;
}

export interface StreamOptions {
  clock: Clock;
  dice: Dice;
  faults: Faults;
  receive: (event: StreamEvent) => Promise<StreamAnswer>;
  onDelay: (type: string, ms: number) => void;
  /**
   * `arrived` is the arrival of the last record as AWS reports it: milliseconds since the epoch, in
   * whole seconds.
   */
  onDropped: (type: string, records: number, arrived: number) => void;
}

type Streamed = StreamEvent['Records'][number];
interface Waiting {
  record: Streamed;
  /** Milliseconds since the epoch. */
  arrived: number;
}

export const createStream = ({ clock, dice, faults, receive, onDelay, onDropped }: StreamOptions): Stream => {
  /** Waiting records by type and lane. An item always uses the same lane. */
  const lanes = new Map<string, Waiting[]>();
  const perShard = dice.whole(...batchesPerShard.bounds);
  let sequence = 0;

  const recordOf = ({ body: _, ...item }: Item): Streamed => ({
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: String(sequence++),
      NewImage: toDynamo(item as Item) as unknown as Record<string, Record<string, unknown>>,
    },
  });

  const drop = (type: string, waiting: Waiting[], count: number) => {
    const dropped = waiting.splice(0, count);
    onDropped(type, dropped.length, Math.floor(dropped.at(-1)!.arrived / 1000) * 1000);
  };

  /** The number of records that were processed. */
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

  /** Ends with the faults: a record that arrives hours later would hide a missing notification. */
  const delayed = async (type: string) => {
    const ms = faults.dice('stream.late').spread(2000, 4 * 3600_000);
    onDelay(type, ms);
    const until = clock.now() + ms;
    while (clock.now() < until && !faults.isCalm) await sleep(clock, Math.min(until - clock.now(), 60_000));
  };

  const run = async (type: string, waiting: Waiting[]): Promise<void> => {
    let attempts = 0;
    while (waiting.length > 0) {
      if (faults.strikes('stream.late', type)) await delayed(type);
      else await sleep(clock, 20 + dice.next() * 200);
      const records = waiting.slice(0, limits.batchSize).map(({ record }) => record);
      if (faults.strikes('stream.dropped', type)) {
        drop(type, waiting, records.length);
        continue;
      }
      const taken = await attempt(records);
      attempts = taken === 0 ? attempts + 1 : 0;
      if (taken === 0 && attempts > limits.retryAttempts) drop(type, waiting, 1);
      if (taken === 0) await sleep(clock, Math.min(60_000, 500 * 2 ** attempts));
      else if (faults.strikes('stream.partial', type)) waiting.splice(0, dice.whole(0, taken));
      else if (!faults.strikes('stream.duplicated', type)) waiting.splice(0, taken);
    }
  };

  return {
    get isIdle() {
      return [...lanes.values()].every((waiting) => waiting.length === 0);
    },
    put: (item) => {
      const type = typeOfLogPartition(item.pk);
      if (type === undefined || isSeal(item)) return;
      const lane = `${type} ${(item.sk as number) % perShard}`;
      const waiting = lanes.get(lane) ?? [];
      lanes.set(lane, waiting);
      waiting.push({ record: recordOf(item), arrived: clock.now() });
      if (waiting.length === 1) void run(type, waiting);
    },
  };
};
