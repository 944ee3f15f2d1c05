import { describe, expect, it } from 'vitest';
import type { VirtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { KubeObject, ObjectKey } from '../../machinery/api/object.ts';
import { once } from '../../machinery/once.ts';
import { sleep, type Write } from '../../machinery/ports.ts';
import { openStore, type Store, type StoreOptions } from '../../machinery/store/index.ts';
import type { ListOptions } from '../../machinery/store/store.ts';

const minute = 60_000;
const hour = 60 * minute;
const widgets = 'widgets.example.dev';

export interface StoreUnderTest {
  store: Store;
  clock: VirtualClock;
  /** Runs the clock until the promise settles. */
  soon: <T>(promise: Promise<T>) => Promise<T>;
  options: StoreOptions;
}

const key = (name: string): ObjectKey => ({ namespace: 'default', name });
const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name);

/** The requests of clients to one store. */
const clientOf = ({ store, soon, options }: StoreUnderTest, type = widgets) => {
  const noise = once(() => Buffer.from(options.random.bytes(500_000)).toString('base64'));
  const specOf = (size: number, isLarge: boolean) => ({ size, ...(isLarge && { noise: noise() }) });
  const put = (name: string, change: (current: KubeObject) => KubeObject, from?: KubeObject) =>
    soon(store.commit(type, key(name), (current) => ({ do: 'put', object: change(current!) }), from && { from }));
  return {
    create: (name: string, labels: Record<string, string> = {}, isLarge = false) => {
      const metadata = { ...key(name), uid: options.random.uuid(), labels };
      return put(name, () => ({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata, spec: specOf(1, isLarge) }));
    },
    resize: (name: string, size: number, isLarge = false) =>
      put(name, (current) => ({ ...current, spec: specOf(size, isLarge) })),
    relabel: (name: string, labels: Record<string, string>) =>
      put(name, (current) => ({ ...current, metadata: { ...current.metadata, labels } })),
    /** Replaces a state that was read, as a pass writes. */
    replace: async (name: string, size: number) => {
      const from = await soon(store.get(type, key(name)));
      return put(name, (current) => ({ ...current, spec: { size } }), from);
    },
    remove: (name: string) => soon(store.commit(type, key(name), (current) => ({ do: 'remove', object: current! }))),
    list: (asked: ListOptions) => soon(store.list(type, { namespace: 'default', ...asked })),
  };
};
type Client = ReturnType<typeof clientOf>;

/** All pages, and what happens after the first one. */
const pagesOf = async (client: Client, asked: ListOptions, between: () => Promise<unknown> = async () => undefined) => {
  const pages = [await client.list(asked)];
  await between();
  for (let next = pages[0]?.continue; next; next = pages.at(-1)?.continue)
    pages.push(await client.list({ ...asked, continue: next }));
  return pages;
};

interface Given {
  rule: string;
  between: (client: Client, clock: VirtualClock) => Promise<unknown>;
}
const several = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const cases: Given[] = [
  { rule: 'nothing happens', between: async () => undefined },
  { rule: 'a listed object changes', between: (client) => client.resize('a', 2) },
  { rule: 'a later object changes', between: (client) => client.resize('e', 2) },
  { rule: 'a later object is replaced by its reader', between: (client) => client.replace('e', 2) },
  { rule: 'an object is deleted', between: (client) => client.remove('d') },
  { rule: 'the last object is deleted', between: (client) => client.remove('g') },
  {
    rule: 'all later objects are deleted',
    between: async (client) => {
      for (const name of several.slice(2)) await client.remove(name);
    },
  },
  {
    rule: 'objects are created',
    between: async (client) => {
      for (const name of ['aa', 'dd', 'z']) await client.create(name);
    },
  },
  {
    rule: 'an object is created and deleted',
    between: async (client) => {
      await client.create('dd');
      await client.remove('dd');
    },
  },
  {
    rule: 'an object is replaced by a namesake',
    between: async (client) => {
      await client.remove('d');
      await client.create('d');
      await client.resize('d', 3);
    },
  },
  {
    rule: 'an object changes many times',
    between: async (client) => {
      for (let size = 2; size < 15; size++) await client.resize('f', size);
    },
  },
  {
    rule: 'an object becomes large',
    between: (client) => client.resize('c', 2, true),
  },
  {
    rule: 'minutes pass',
    between: async (client, clock) => {
      await client.resize('e', 2);
      await clock.advance(2 * minute);
      await client.resize('e', 3);
      await client.resize('f', 3);
    },
  },
];
/** How long the listed objects have existed. */
const ages = [
  { age: 'that were just written', ms: 0 },
  { age: 'that have settled', ms: minute },
  { age: 'that the log has forgotten', ms: 50 * hour },
];

/** What a Store promises for paged lists. */
export const listsInPages = (under: () => StoreUnderTest) =>
  describe('a paged list', () => {
    const make = async (client: Client, isLarge = false) => {
      for (const name of several) await client.create(name, {}, isLarge);
      // A later state of an object, not the first one.
      await client.resize('d', 7, isLarge);
    };
    const settle = async ({ clock }: StoreUnderTest, client: Client, ms: number) => {
      if (ms === 0) return;
      await client.list({});
      await clock.advance(ms);
      await client.list({});
    };

    describe.each(ages)('of objects $age is a consistent snapshot', ({ ms }) => {
      it.each(cases)('when $rule', async ({ between }) => {
        const client = clientOf(under());
        await make(client);
        await settle(under(), client, ms);
        for (const limit of [2, 1]) {
          const whole = await client.list({});
          const { clock } = under();
          const asked = { limit, counts: true };
          const pages = await pagesOf(client, asked, async () => limit === 2 && between(client, clock));
          expect(pages.flatMap(({ objects }) => objects)).toEqual(whole.objects);
          const { length: total } = whole.objects;
          const counts = pages.map(({ remaining }) => remaining);
          expect(counts).toEqual(pages.map((_, i) => (i + 1 < pages.length ? total - limit * (i + 1) : undefined)));
          expect(pages.map(({ objects }) => objects.length).slice(0, -1)).toEqual(pages.slice(1).map(() => limit));
          expect(pages.at(-1)?.objects.length).toBeGreaterThan(0);
          for (const { position } of pages) expect(position).toBe(pages[0]!.position);
        }
      });
    });

    it.each(ages)('of large objects $age is a consistent snapshot', async ({ ms }) => {
      const client = clientOf(under());
      await make(client, true);
      await settle(under(), client, ms);
      const whole = await client.list({});
      const pages = await pagesOf(client, { limit: 2 }, async () => {
        await client.resize('c', 2);
        await client.remove('d');
        await client.replace('e', 2);
      });
      expect(pages.flatMap(({ objects }) => objects)).toEqual(whole.objects);
    });

    it.each(ages)('of encrypted objects $age is a consistent snapshot, also for another process', async ({ ms }) => {
      const client = clientOf(under(), 'secrets');
      await make(client);
      await settle(under(), client, ms);
      const whole = await client.list({});
      const other = clientOf({ ...under(), store: openStore(under().options) }, 'secrets');
      const pages = await pagesOf(other, { limit: 2 }, async () => {
        await client.remove('d');
        await client.replace('e', 2);
      });
      expect(pages.flatMap(({ objects }) => objects)).toEqual(whole.objects);
    });

    it('continues to the end without a limit', async () => {
      const client = clientOf(under());
      await make(client);
      const first = await client.list({ limit: 2 });
      await client.remove('d');
      const rest = await client.list({ continue: first.continue! });
      expect(names(rest.objects)).toEqual(['c', 'd', 'e', 'f', 'g']);
      expect(rest.continue).toBeUndefined();
    });

    it('continues across namespaces', async () => {
      const client = clientOf(under());
      await make(client);
      const { store, soon } = under();
      const metadata = { namespace: 'default-2', name: 'a', uid: 'other' };
      const object: KubeObject = { apiVersion: 'example.dev/v1', kind: 'Widget', metadata, spec: { size: 1 } };
      await soon(store.commit(widgets, metadata, () => ({ do: 'put', object })));
      const all = { ...client, list: (asked: ListOptions) => soon(store.list(widgets, asked)) };
      const whole = await all.list({});
      expect(whole.objects).toHaveLength(8);
      const pages = await pagesOf(all, { limit: 3, counts: true });
      expect(pages.map(({ remaining }) => remaining)).toEqual([5, 2, undefined]);
      expect(pages.flatMap(({ objects }) => objects)).toEqual(whole.objects);
      const other = await client.list({ limit: 1 });
      await expect(all.list({ continue: other.continue! })).rejects.toMatchObject({ code: 410 });
    });

    it('keeps its selection, whatever objects start or stop to match', async () => {
      const client = clientOf(under());
      for (const [index, name] of several.entries()) await client.create(name, { odd: String(index % 2) });
      const selects = ({ metadata }: KubeObject) => metadata.labels?.odd === '0';
      const pages = await pagesOf(client, { limit: 1, selects }, async () => {
        await client.relabel('c', { odd: '1' });
        await client.relabel('d', { odd: '0' });
      });
      expect(pages.map(({ objects }) => names(objects))).toEqual([['a'], ['c'], ['e'], ['g']]);
    });

    it('expires after some minutes, and continues with the current objects', async () => {
      const client = clientOf(under());
      await make(client);
      const first = await client.list({ limit: 2 });
      await client.remove('d');
      await under().clock.advance(6 * minute);
      const expired = await client.list({ limit: 2, continue: first.continue! }).catch((error: unknown) => error);
      expect(expired).toMatchObject({ code: 410, reason: 'Expired' });
      const next = (expired as { continue: string }).continue;
      const second = await client.list({ limit: 2, continue: next });
      expect(names(second.objects)).toEqual(['c', 'e']);
      expect(second.position).toBeGreaterThan(first.position);
      await client.remove('f');
      const third = await client.list({ limit: 2, continue: second.continue! });
      expect(names(third.objects)).toEqual(['f', 'g']);
      expect(third).toMatchObject({ position: second.position });
      expect(third.continue).toBeUndefined();
    });

    it('may take long to start, and expires afterwards', async () => {
      const { options, clock, soon } = under();
      await make(clientOf(under()));
      const { table } = options;
      const slow: typeof table.query = async (query) => {
        const page = await table.query(query);
        await sleep(clock, 6 * minute);
        return page;
      };
      const store = openStore({ ...options, table: { ...table, query: slow } });
      const first = await soon(store.list(widgets, { namespace: 'default', limit: 2 }));
      expect(names(first.objects)).toEqual(['a', 'b']);
      await expect(clientOf(under()).list({ continue: first.continue! })).rejects.toMatchObject({ code: 410 });
    });

    it('ends with an empty page when it continues with the current objects and none is left', async () => {
      const client = clientOf(under());
      await make(client);
      const first = await client.list({ limit: 6 });
      await client.remove('g');
      await under().clock.advance(6 * minute);
      const expired = await client.list({ continue: first.continue! }).catch((error: unknown) => error);
      const last = await client.list({ continue: (expired as { continue: string }).continue });
      expect(last.objects).toEqual([]);
      expect(last.continue).toBeUndefined();
    });

    it('expires when the former state of an object is unknown', async () => {
      const { options, soon } = under();
      /** The slots of an older release do not record the previous state. */
      const forgetful = (write: Write): Write => {
        if (!('put' in write)) return write;
        const { rvBefore: _, chunksBefore: __, ...put } = write.put;
        return { ...write, put } as Write;
      };
      const { table } = options;
      const transact: typeof table.transact = (token, writes) => table.transact(token, writes.map(forgetful));
      const older = openStore({ ...options, table: { ...table, transact } });
      const client = clientOf(under());
      await make(client);
      await settle(under(), client, minute);
      const first = await client.list({ limit: 2 });
      await clientOf({ ...under(), store: older }).resize('f', 2);
      const second = await client.list({ limit: 2, continue: first.continue! });
      expect(names(second.objects)).toEqual(['c', 'd']);
      const third = soon(client.list({ limit: 2, continue: second.continue! }));
      await expect(third).rejects.toMatchObject({ code: 410, continue: expect.any(String) });
    });

    it('accepts no other continue token', async () => {
      const client = clientOf(under());
      await make(client);
      const encode = (token: object) => Buffer.from(JSON.stringify(token)).toString('base64url');
      const list = `${widgets}/default`;
      for (const token of [
        'nonsense',
        encode({}),
        encode({ list, after: 'other/a' }),
        encode({ list, after: 'default/a', of: {} }),
        encode({ list, after: 'default/a', of: { position: -5, at: under().clock.now() } }),
        encode({ list, after: 'default/a', of: { position: 0.5, at: under().clock.now() } }),
      ])
        await expect(client.list({ continue: token })).rejects.toMatchObject({ code: 400 });
      const of = { position: 1, at: under().clock.now() };
      const forged = client.list({ continue: encode({ list, after: 'default/a', of }) });
      await expect(forged).rejects.toMatchObject({ code: 410 });
    });
  });
