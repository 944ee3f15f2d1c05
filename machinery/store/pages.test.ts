import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { KubeObject } from '../api/object.ts';
import type { Table } from '../ports.ts';
import { openStore } from './index.ts';
import type { ListOptions } from './store.ts';

const minute = 60_000;
const type = 'widgets';
const namespace = 'default';

/** A store that counts the reads of its table. */
const counted = () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(1);
  const memory = memoryTable({ clock });
  const asked = { queries: 0, items: 0, writes: 0 };
  const table: Table = {
    ...memory,
    query: async (query) => {
      const page = await memory.query(query);
      asked.queries++;
      asked.items += page.items.length;
      return page;
    },
    write: (write) => {
      asked.writes++;
      return memory.write(write);
    },
  };
  const notifier = memoryNotifier(clock);
  const store = openStore({ table, clock, random, keys: memoryKeys(random), kinds: [], notifier });
  const put = (index: number, spec: Record<string, string>) => {
    const name = `w-${String(index).padStart(5, '0')}`;
    const metadata = { namespace, name, uid: `uid-${index}`, labels: { of: String(index % 100) } };
    const object: KubeObject = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata, spec };
    return store.commit(type, { namespace, name }, () => ({ do: 'put', object }));
  };
  const settle = async () => {
    for (let round = 0; round < 3; round++) {
      await store.list(type);
      await clock.advance(minute);
    }
  };
  return { store, asked, put, settle, noise: (size: number) => Buffer.from(random.bytes(size)).toString('base64') };
};
const isSelected = ({ metadata }: KubeObject) => metadata.labels?.of === '7';

describe('a page of thousands', () => {
  const { store, asked, put, settle } = counted();
  const page = (options: ListOptions) => store.list(type, { namespace, ...options });
  beforeAll(async () => {
    for (let index = 0; index < 2000; index++) await put(index, {});
    await settle();
  });
  beforeEach(() => {
    Object.assign(asked, { queries: 0, items: 0, writes: 0 });
  });

  it.each([1, 50, 500])('of %i reads one item more than it returns, and writes nothing', async (limit) => {
    const first = await page({ limit });
    expect(first.objects).toHaveLength(limit);
    expect(asked).toEqual({ queries: 1, items: limit + 1, writes: 0 });
    await page({ limit, continue: first.continue! });
    expect(asked).toEqual({ queries: 2, items: 2 * (limit + 1), writes: 0 });
  });

  it('reads the log since the first page', async () => {
    const first = await page({ limit: 10 });
    for (const index of [1, 12, 500]) await put(index, { changed: 'yes' });
    Object.assign(asked, { queries: 0, items: 0 });
    const second = await page({ limit: 10, continue: first.continue! });
    expect(second.objects[2]?.spec).toEqual({});
    // The log up to the last change of the shown objects; previous states are read by key.
    expect(asked).toMatchObject({ queries: 2, items: 11 + 2 });
  });

  it('with a rarely matching selector is filled in growing steps', async () => {
    const first = await page({ limit: 10, selects: isSelected });
    expect(first.objects).toHaveLength(10);
    expect(asked.queries).toBeLessThan(10);
    const second = await page({ limit: 10, selects: isSelected, continue: first.continue! });
    expect(second.objects.map(({ metadata }) => metadata.name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `w-0${1000 + index * 100 + 7}`),
    );
    expect(second.objects[0]?.metadata.name).not.toBe(first.objects.at(-1)?.metadata.name);
  });
});

it('a page with a rarely matching selector ends early when there is much to read', async () => {
  const { store, put, noise } = counted();
  for (let index = 0; index < 120; index++) await put(index, { noise: noise(100_000) });
  const pages: string[][] = [];
  let next: string | undefined;
  do {
    const more: ListOptions = next === undefined ? {} : { continue: next };
    const found = await store.list(type, { namespace, limit: 10, selects: isSelected, ...more });
    pages.push(found.objects.map(({ metadata }) => metadata.name));
    next = found.continue;
  } while (next);
  expect(pages).toEqual([['w-00007'], ['w-00107']]);
});

it('counts what follows a page unless that is too much to read', async () => {
  const { store, put, noise } = counted();
  for (let index = 0; index < 60; index++) await put(index, { noise: noise(100_000) });
  const first = await store.list(type, { namespace, limit: 10, counts: true });
  expect(first.remaining).toBe(50);
  const second = await store.list(type, { namespace, limit: 20, counts: true, continue: first.continue! });
  expect(second.remaining).toBe(30);
  for (let index = 60; index < 240; index++) await put(index, { noise: noise(100_000) });
  expect(await store.list(type, { namespace, limit: 10, counts: true })).not.toHaveProperty('remaining');
});

it('a list continues when all its objects changed just now', async () => {
  const { store, put } = counted();
  for (let index = 0; index < 11_000; index++) await put(index % 3, { change: String(index) });
  const first = await store.list(type, { namespace, limit: 1 });
  const second = await store.list(type, { namespace, limit: 5, continue: first.continue! });
  expect(second.objects.map(({ spec }) => spec)).toEqual([{ change: '10999' }, { change: '10997' }]);
});

it('a list expires when too much has changed since its first page', async () => {
  const { store, put } = counted();
  for (let index = 0; index < 3; index++) await put(index, {});
  const first = await store.list(type, { namespace, limit: 1 });
  for (let change = 0; change < 10_001; change++) await put(2, { change: String(change) });
  const expired = store.list(type, { namespace, limit: 5, continue: first.continue! });
  await expect(expired).rejects.toMatchObject({ code: 410, continue: expect.any(String) });
});
