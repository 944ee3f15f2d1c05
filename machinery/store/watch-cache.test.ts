import { beforeEach, describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { KubeObject } from '../api/object.ts';
import type { Table } from '../ports.ts';
import { parse } from './codec.ts';
import { openStore, type Store } from './index.ts';
import type { WatchItem } from './store.ts';

const widgets = 'widgets';
const second = 1000;

describe('watches of one type', () => {
  let clock: VirtualClock;
  let reads: string[];
  let parsed: number;
  let failure: Error | undefined;
  let writer: Store;
  let store: Store;

  beforeEach(() => {
    clock = virtualClock(Date.UTC(2026, 0, 1));
    reads = [];
    parsed = 0;
    failure = undefined;
    const memory = memoryTable({ clock });
    const table: Table = {
      ...memory,
      get: async (key, options) => {
        if (failure) throw failure;
        reads.push(key.pk);
        return memory.get(key, options);
      },
      query: async (query) => {
        reads.push(query.pk);
        return memory.query(query);
      },
    };
    const random = seededRandom(1);
    const options = { clock, random, keys: memoryKeys(random), kinds: [], notifier: memoryNotifier(clock) };
    // Another process, whose writes the tested store must read.
    writer = openStore({ ...options, table: memory });
    store = openStore({
      ...options,
      table,
      parse: (body) => {
        parsed++;
        return parse(body);
      },
    });
  });

  const during = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    const ended = promise.finally(() => {
      done = true;
    });
    ended.catch(() => undefined);
    await clock.run(() => done, clock.now() + 3_600_000);
    return ended;
  };
  const put = (size: number) =>
    during(
      writer.commit(widgets, { namespace: 'default', name: 'a' }, (current) => ({
        do: 'put',
        object: {
          apiVersion: 'v1',
          kind: 'Widget',
          metadata: { namespace: 'default', name: 'a', uid: 'u', ...current?.metadata },
          spec: { size },
        },
      })),
    );
  /** Collects the items of a watch while `isReading`, until it is stopped. */
  const watching = (position: number) => {
    const stopping = new AbortController();
    const items: WatchItem[] = [];
    const gate = { resume: Promise.resolve() };
    const run = async () => {
      for await (const item of store.watch(widgets, position, stopping.signal)) {
        items.push(item);
        await gate.resume;
      }
    };
    const ended = run().then(
      () => 'stopped',
      (error: { code?: number; message: string }) => error.code ?? error.message,
    );
    return {
      ended,
      gate,
      objects: (): KubeObject[] => items.flatMap((item) => (item.type === 'BOOKMARK' ? [] : [item.object])),
      sizes: (): unknown[] =>
        items.flatMap((item) => (item.type === 'BOOKMARK' ? [] : [(item.object.spec as { size: number }).size])),
      stop: () => stopping.abort(),
    };
  };
  const positionNow = () => during(writer.position(widgets));

  it('share one reader and decode each state once', async () => {
    await put(0);
    const from = await positionNow();
    const watches = Array.from({ length: 20 }, () => watching(from));
    await clock.advance(100);
    reads.length = 0;
    for (const size of [1, 2, 3]) await put(size);
    await clock.advance(100);
    for (const watch of watches) expect(watch.sizes()).toEqual([1, 2, 3]);
    for (const watch of watches) {
      for (const [index, object] of watch.objects().entries()) expect(object).toBe(watches[0]!.objects()[index]);
    }
    expect(parsed).toBe(3);
    // One read for each change, and one that finds no more.
    expect(reads.length).toBeLessThanOrEqual(3 * 4);
    for (const watch of watches) watch.stop();
  });

  it('decode no state again when one of them lags', async () => {
    await put(0);
    const from = await positionNow();
    const quick = watching(from);
    const lagging = watching(from);
    let resume = () => {};
    lagging.gate.resume = new Promise((resolve) => {
      resume = resolve;
    });
    for (let size = 1; size <= 30; size++) await put(size);
    await clock.advance(100);
    expect(lagging.sizes()).toEqual([1]);
    expect(parsed).toBe(30);
    resume();
    await clock.advance(100);
    expect(lagging.sizes()).toEqual(quick.sizes());
    expect(parsed).toBe(30);
    quick.stop();
    lagging.stop();
  });

  it('may start behind the shared position, without missing changes', async () => {
    await put(0);
    const from = await positionNow();
    const first = watching(from);
    for (const size of [1, 2]) await put(size);
    await clock.advance(30 * second);
    const behind = watching(from);
    await clock.advance(100);
    for (const size of [3, 4]) await put(size);
    await clock.advance(100);
    expect(first.sizes()).toEqual([1, 2, 3, 4]);
    expect(behind.sizes()).toEqual([1, 2, 3, 4]);
    first.stop();
    behind.stop();
  });

  it('fail individually for a position in the future', async () => {
    await put(0);
    const from = await positionNow();
    const future = watching(from + 1000);
    const good = watching(from);
    const alsoFuture = watching(from + 1000);
    expect(await during(future.ended)).toBe(410);
    expect(await during(alsoFuture.ended)).toBe(410);
    await put(1);
    await clock.advance(100);
    expect(good.sizes()).toEqual([1]);
    good.stop();
    expect(await during(good.ended)).toBe('stopped');
  });

  it('end with the error of a failing table, and start again afterwards', async () => {
    await put(0);
    const from = await positionNow();
    const watches = [watching(from), watching(from)];
    await clock.advance(100);
    failure = new Error('the table is broken');
    await put(1);
    expect(await during(Promise.all(watches.map(({ ended }) => ended)))).toEqual([failure.message, failure.message]);
    failure = undefined;
    const again = watching(from);
    await clock.advance(100);
    expect(again.sizes()).toEqual([1]);
    again.stop();
  });

  it('stop reading with the last of them', async () => {
    await put(0);
    const before = clock.pending;
    const from = await positionNow();
    const watches = [watching(from), watching(from)];
    await clock.advance(100);
    for (const watch of watches) watch.stop();
    await clock.advance(100);
    expect(await Promise.all(watches.map(({ ended }) => ended))).toEqual(['stopped', 'stopped']);
    expect(clock.pending).toBe(before);
    reads.length = 0;
    await put(1);
    await clock.advance(60 * second);
    expect(reads).toEqual([]);
  });
});
