/**
 * A stream shard dispatches several batches concurrently and in no order. Which work there is, how
 * urgent it is, and when its first message arrives must not depend on that order. How many reasons
 * share a message does.
 */
import { beforeAll, expect, it } from 'vitest';
import { toDynamo } from '../../adapters/aws/dynamodb/value.ts';
import type { StreamEvent } from '../../adapters/aws/lambda/events.ts';
import { lambdaLog } from '../../adapters/aws/lambda/log.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { batchesPerShard } from '../../cdk/concurrency.ts';
import { dispatches } from '../../lambdas/dispatch.ts';
import { createDispatching } from '../../lambdas/runtime/dispatching.ts';
import { recordedSwitches } from '../../lambdas/switches.fixture.ts';
import type { Item } from '../../machinery/ports.ts';
import { isSeal, typeOfLogPartition } from '../../machinery/store/items.ts';
import { composeFoundation } from '../../runtime/foundation.ts';
import { beginningOf } from './beginnings.ts';
import { type Dice, dice } from './dice.ts';

type Streamed = StreamEvent['Records'][number];

let now: number;
let objects: Item[];
/** The stream records of a cluster creation, in order. */
let records: Streamed[];

const recordOf = ({ body: _, ...item }: Item, index: number): Streamed => ({
  eventName: 'INSERT',
  dynamodb: {
    SequenceNumber: String(index),
    NewImage: toDynamo(item as Item) as unknown as Record<string, Record<string, unknown>>,
  },
});

beforeAll(async () => {
  const { moment } = await beginningOf('a cluster in its own network');
  now = moment.now;
  objects = moment.objects;
  const slots = objects.filter((item) => typeOfLogPartition(item.pk) !== undefined && !isSeal(item));
  records = slots
    .sort((a, b) => (a.at as number) - (b.at as number) || (a.sk as number) - (b.sk as number))
    .map(recordOf);
}, 60_000);

/**
 * Dispatches the batches of a lane in sequence and the lanes concurrently. `pause` may delay each
 * table call.
 */
const dispatched = async (lanes: readonly Streamed[][][], pause: () => Promise<void>) => {
  const clock = virtualClock(now);
  const random = dice(1, 'work');
  /** Seconds until the first message of each work item. */
  const first = new Map<string, number>();
  const work = memoryTable({ clock });
  const foundation = composeFoundation({
    installation: 'here',
    clock,
    random,
    log: lambdaLog({ clock, write: () => {} }),
    keys: memoryKeys(random, new Uint8Array(32).fill(7)),
    objects: memoryTable({ clock, items: objects }),
    work: {
      ...work,
      write: async (write) => {
        await pause();
        return work.write(write);
      },
    },
    queueOf: (worker, slow) => ({
      send: async (message, delay = 0) => {
        const { want: _, ...key } = JSON.parse(message) as { want?: number };
        const name = JSON.stringify({ worker, slow, ...key });
        first.set(name, Math.min(delay, first.get(name) ?? delay));
      },
    }),
  });
  const dispatching = createDispatching(foundation, recordedSwitches([]));
  const handler = dispatches(() => dispatching);
  const invocation = { awsRequestId: 'one', getRemainingTimeInMillis: () => 60_000 };
  await Promise.all(
    lanes.map(async (batches) => {
      for (const Records of batches) expect(await handler({ Records }, invocation)).toEqual({ batchItemFailures: [] });
    }),
  );
  const items = [...work.contents()].map(({ item }) => item).filter(({ pk }) => pk !== 'awake');
  const works = items.map(({ want, urgent = 0, awaited: _, awaitedWant: __, ...item }) =>
    want === undefined ? item : { ...item, isUrgent: (urgent as number) > 0 },
  );
  return {
    items: works.sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1)),
    first: [...first].sort(),
  };
};

const shuffled = <T>(from: readonly T[], draw: Dice): T[] => {
  const left = [...from];
  return Array.from({ length: left.length }, () => left.splice(draw.whole(0, left.length - 1), 1)[0]!);
};
/** Splits the records into batches and shuffles the batches across lanes. */
const scattered = (draw: Dice): Streamed[][][] => {
  const lanes = Array.from({ length: draw.whole(...batchesPerShard.bounds) }, (): Streamed[][] => []);
  const waiting = shuffled(records, draw);
  while (waiting.length > 0) draw.pick(lanes).push(waiting.splice(0, draw.whole(1, 20)));
  return lanes;
};

const atOnce = async () => {};

it('changes make the same work in any batch order, also concurrently', async () => {
  expect(records.length).toBeGreaterThan(100);
  const inOrder = await dispatched([[records]], atOnce);
  expect(inOrder.items.length).toBeGreaterThan(20);
  for (let seed = 0; seed < 8; seed++) {
    const draw = dice(seed, 'order');
    const sometimes = async () => {
      for (let turns = draw.whole(0, 5); turns > 0; turns--) await null;
    };
    expect(await dispatched(scattered(draw), sometimes)).toEqual(inOrder);
  }
});
