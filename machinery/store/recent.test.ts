import { describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { Table } from '../ports.ts';
import { openStore, type Store } from './index.ts';

const type = 'widgets';
const second = 1000;
const writes = 300;

/** Two processes over one table; counts what the first reads of the log. */
const setUp = ({ showsTransactionsWhole }: { showsTransactionsWhole: boolean }) => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(1);
  const memory = { ...memoryTable({ clock }), showsTransactionsWhole };
  const slots: number[] = [];
  const counted: Table = {
    ...memory,
    query: async (query) => {
      const page = await memory.query(query);
      if (query.pk.startsWith('l#')) slots.push(...page.items.map(({ sk }) => sk as number));
      return page;
    },
  };
  const options = { clock, random, keys: memoryKeys(random), kinds: [], notifier: memoryNotifier(clock) };
  const open = (table: Table) => openStore({ ...options, table });
  const write = async (store: Store, count: number, from = 0) => {
    for (let index = from; index < from + count; index++) {
      const name = `w-${index}`;
      const object = { apiVersion: 'v1', kind: 'Widget', metadata: { namespace: 'default', name, uid: name } };
      await store.commit(type, object.metadata, () => ({ do: 'put', object }));
    }
  };
  const readBy = async (what: () => Promise<unknown>) => {
    slots.length = 0;
    await what();
    return slots.length;
  };
  return { clock, store: open(counted), other: open(memory), write, readBy };
};

describe('a process', () => {
  it.each([true, false])('reads no slot that it wrote (whole transactions: %s)', async (showsTransactionsWhole) => {
    const { store, write, readBy } = setUp({ showsTransactionsWhole });
    await store.list(type);
    await write(store, writes);
    expect(await readBy(() => store.list(type))).toBe(0);
    expect((await store.list(type)).objects).toHaveLength(writes);
  });

  it.each([true, false])('reads a slot of another process once (whole transactions: %s)', async (whole) => {
    const { clock, store, other, write, readBy } = setUp({ showsTransactionsWhole: whole });
    await store.list(type);
    await write(other, writes);
    expect(await readBy(() => store.list(type))).toBe(writes);
    await clock.advance(second);
    await write(other, 1, writes);
    expect(await readBy(() => store.list(type))).toBe(1);
    expect((await store.list(type)).objects).toHaveLength(writes + 1);
  });

  it('reads for a list what its watch has read', async () => {
    const { clock, store, other, write, readBy } = setUp({ showsTransactionsWhole: false });
    const stopping = new AbortController();
    const { position } = await store.list(type);
    const watching = (async () => {
      for await (const _ of store.watch(type, position, stopping.signal));
    })();
    await write(other, writes);
    await clock.advance(5 * second);
    expect(await readBy(() => store.list(type))).toBe(0);
    stopping.abort();
    await clock.run(() => true);
    await watching;
  });

  it('settles behind its own writes without reading them again', async () => {
    const { clock, store, write, readBy } = setUp({ showsTransactionsWhole: false });
    await store.list(type);
    const read = await readBy(async () => {
      for (let index = 0; index < 20; index++) {
        await write(store, writes / 10, (index * writes) / 10);
        await clock.advance(2 * second);
      }
    });
    expect(read).toBe(0);
  });

  it('starts again at the settled position when it falls behind', async () => {
    const { clock, store, other, write, readBy } = setUp({ showsTransactionsWhole: false });
    await store.list(type);
    for (let index = 0; index < 4; index++) {
      await write(other, writes, index * writes);
      await other.list(type);
      await clock.advance(11 * second);
    }
    expect(await readBy(() => store.list(type))).toBeLessThanOrEqual(2 * writes);
    expect((await store.list(type)).objects).toHaveLength(4 * writes);
  });
});
