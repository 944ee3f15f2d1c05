import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { alreadyExists } from '../../machinery/api/errors.ts';
import type { KindDefinition, KindFacts } from '../../machinery/api/kind.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Clock, Table } from '../../machinery/ports.ts';
import { openStore, type Store, type StoreOptions } from '../../machinery/store/index.ts';
import type { LogEntry, WatchItem } from '../../machinery/store/store.ts';
import { listsInPages } from './pages.contract.ts';

const minute = 60_000;
const hour = 60 * minute;
const widgets = 'widgets.example.dev';
const sparks = 'sparks.example.dev';

const kind = (plural: string, group: string, rest: Partial<KindDefinition> = {}): KindDefinition => ({
  group,
  kind: plural,
  plural,
  singular: plural,
  shortNames: [],
  categories: [],
  namespaced: true,
  versions: [],
  custom: true,
  ...rest,
});
const kinds = [
  kind('widgets', 'example.dev', {
    digest: ({ spec }) => ({ size: (spec as { size: number }).size }),
    alias: ({ spec }) => (spec as { alias?: string }).alias,
    isPast: ({ spec }) => (spec as { past?: boolean }).past === true,
    about: (_, { status }) => (status as { about?: string[] } | undefined)?.about,
  }),
  kind('secrets', '', { encrypted: true, purpose: ({ metadata }) => metadata.labels?.for ?? 'others' }),
  kind('toys', 'example.dev', { mark: 'toys' }),
  kind('games', 'example.dev', { mark: 'toys' }),
  kind('sparks', 'example.dev', { endsAfter: 3600, digest: () => ({}) }),
];

let uids = 0;
const widget = (name: string, size = 1, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  metadata: { name, namespace: 'default', uid: `uid-${++uids}`, ...more },
  spec: { size },
});
const key = (name: string, namespace = 'default') => ({ namespace, name });
const create = (store: Store, object: KubeObject, type = widgets) =>
  store.commit(type, key(object.metadata.name, object.metadata.namespace), (current) => {
    if (current) throw alreadyExists({ group: 'example.dev', plural: 'widgets' }, object.metadata.name);
    return { do: 'put', object };
  });
const resize = (store: Store, name: string, size: number, retry = false) =>
  store.commit(widgets, key(name), (current) => ({ do: 'put', object: { ...current!, spec: { size } } }), { retry });
const remove = (store: Store, name: string) =>
  store.commit(widgets, key(name), (current) => ({ do: 'remove', object: current! }));
const version = (object: KubeObject) => Number(object.metadata.resourceVersion);
const names = (objects: KubeObject[]) => objects.map(({ metadata }) => metadata.name);

/** The items of a watch while `act` runs and `ms` pass. */
const watched = async (
  clock: VirtualClock,
  items: AsyncIterable<WatchItem>,
  stop: AbortController,
  act: () => Promise<unknown>,
  ms = 5000,
): Promise<WatchItem[]> => {
  const seen: WatchItem[] = [];
  let failure: unknown;
  let ended = false;
  const reading = (async () => {
    for await (const item of items) seen.push(item);
  })()
    .catch((error: unknown) => {
      failure = error;
    })
    .finally(() => {
      ended = true;
    });
  await act();
  await clock.advance(ms);
  stop.abort();
  await clock.run(() => ended, clock.now() + hour);
  await reading;
  if (failure) throw failure;
  return seen;
};

export interface TableUnderTest {
  table: Table;
  /** Of a table behind sockets: waits for pending calls, and returns whether there were any. */
  underWay?: () => Promise<boolean>;
  close?: () => void;
}

/** What a Store promises over any table. `open` creates an empty table. */
export const storeContract = (name: string, open: (clock: Clock) => Promise<TableUnderTest>) =>
  describe(`Store over ${name}`, () => {
    let clock: VirtualClock;
    let store: Store;
    let table: Table;
    let options: StoreOptions;
    let entries: LogEntry[];
    let random: ReturnType<typeof seededRandom>;
    let close: (() => void) | undefined;

    /** Runs the clock until the promise settles: retries of a misbehaving table take time. */
    const soon = async <T>(promise: Promise<T>): Promise<T> => {
      let settled = false;
      const done = promise.finally(() => {
        settled = true;
      });
      done.catch(() => undefined);
      await clock.run(() => settled, clock.now() + hour);
      return done;
    };

    beforeEach(async () => {
      let underWay: TableUnderTest['underWay'];
      clock = virtualClock(Date.UTC(2026, 0, 1), async () => underWay?.() ?? false);
      ({ table, underWay, close } = await open(clock));
      random = seededRandom(7);
      entries = [];
      options = {
        table,
        clock,
        random,
        keys: memoryKeys(random),
        kinds,
        notifier: memoryNotifier(clock),
        onCommit: (entry) => entries.push(entry),
      };
      store = openStore(options);
    });
    afterEach(() => close?.());

    describe('a mark', () => {
      it('names the latest change of each of its types, after the change', async () => {
        expect(await soon(store.mark('toys'))).toBeUndefined();
        const first = await soon(create(store, { ...widget('a'), kind: 'Toy' }, 'toys.example.dev'));
        expect(await soon(store.mark('toys'))).toEqual({ 'toys.example.dev': version(first) });
        const other = await soon(create(store, { ...widget('a'), kind: 'Game' }, 'games.example.dev'));
        const gone = await soon(
          store.commit('toys.example.dev', key('a'), (current) => ({ do: 'remove', object: current! })),
        );
        expect(await soon(store.mark('toys'))).toEqual({
          'toys.example.dev': version(gone),
          'games.example.dev': version(other),
        });
      });

      it('stays when nothing is written', async () => {
        const toy = await soon(create(store, { ...widget('a'), kind: 'Toy' }, 'toys.example.dev'));
        const before = await soon(store.mark('toys'));
        await soon(create(store, widget('a')));
        await expect(soon(create(store, { ...widget('a'), kind: 'Toy' }, 'toys.example.dev'))).rejects.toThrow();
        await soon(store.commit('toys.example.dev', key('a'), (current) => ({ do: 'put', object: current! })));
        expect(await soon(store.mark('toys'))).toEqual(before);
        expect(before).toEqual({ 'toys.example.dev': version(toy) });
      });
    });

    it('returns what was written, at its position', async () => {
      const made = await soon(create(store, widget('a')));
      expect(made.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
      expect(await soon(store.get(widgets, key('a')))).toEqual(made);
      expect(await soon(store.get(widgets, key('b')))).toBeUndefined();
    });

    it('reads compressed and uncompressed objects, whichever it writes itself', async () => {
      const plain: StoreOptions = { ...options, isPacking: false };
      const a = await soon(create(openStore(plain), widget('a')));
      const b = await soon(create(store, widget('b')));
      expect(await soon(openStore(options).get(widgets, key('a')))).toEqual(a);
      expect(await soon(openStore(plain).get(widgets, key('b')))).toEqual(b);
    });

    it('gives later writes of a type higher positions', async () => {
      const a = await soon(create(store, widget('a')));
      const b = await soon(create(store, widget('b')));
      const again = await soon(resize(store, 'a', 2));
      expect(version(b)).toBeGreaterThan(version(a));
      expect(version(again)).toBeGreaterThan(version(b));
    });

    it('writes nothing without a change', async () => {
      const a = await soon(create(store, widget('a')));
      expect(await soon(resize(store, 'a', 1))).toEqual(a);
      expect(await soon(store.commit(widgets, key('a'), (o) => ({ do: 'nothing', object: o! })))).toEqual(a);
      expect(entries).toHaveLength(1);
    });

    it('passes on an error of the decision, and writes nothing', async () => {
      const refused = store.commit(widgets, key('a'), () => {
        throw new Error('not admitted');
      });
      await expect(soon(refused)).rejects.toThrow('not admitted');
      expect(entries).toEqual([]);
    });

    it('refuses the loser of a race, unless it may retry', async () => {
      await soon(create(store, widget('a')));
      const outcomes = await soon(Promise.allSettled([2, 3, 4].map((size) => resize(store, 'a', size))));
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(outcomes.length - lost.length).toBeGreaterThanOrEqual(1);
      for (const { reason } of lost) expect(reason).toMatchObject({ code: 409, reason: 'Conflict' });

      const add = () =>
        store.commit(
          widgets,
          key('a'),
          (o) => ({ do: 'put', object: { ...o!, spec: { size: (o!.spec as { size: number }).size + 10 } } }),
          { retry: true },
        );
      const before = (await soon(store.get(widgets, key('a'))))!.spec as { size: number };
      await soon(Promise.all(Array.from({ length: 12 }, add)));
      expect((await soon(store.get(widgets, key('a'))))!.spec).toEqual({ size: before.size + 120 });
    });

    it('replaces a state that it returned without another read, unless a newer one exists', async () => {
      const read: string[] = [];
      const watched = openStore({
        ...options,
        table: {
          ...table,
          get: (at, asked) => {
            read.push(at.pk);
            return table.get(at, asked);
          },
        },
      });
      const large = {
        size: 1,
        noise: Array.from({ length: 60_000 }, () => options.random.uuid().slice(0, 8)).join(''),
      };
      const grow = (from: KubeObject, spec?: unknown) =>
        watched.commit(
          widgets,
          key('a'),
          (o) => ({
            do: 'put',
            object: { ...o!, ...(spec !== undefined && { spec }), status: { from: o!.metadata.resourceVersion } },
          }),
          {
            from,
          },
        );
      const created = await soon(create(watched, widget('a')));
      read.length = 0;
      const second = await soon(grow(created, large));
      const third = await soon(grow(second));
      const fourth = await soon(grow(third, { size: 4 }));
      expect(read.filter((pk) => pk.startsWith('o#'))).toEqual([]);
      expect(fourth.status).toEqual({ from: third.metadata.resourceVersion });
      expect(await soon(openStore(options).get(widgets, key('a')))).toEqual(fourth);
      const older = await Promise.allSettled([soon(grow(third))]);
      expect(older).toMatchObject([{ reason: { code: 409, reason: 'Conflict' } }]);
      // A copy of a state of the store may be anything.
      const copy = { ...third };
      expect(await soon(grow(copy))).toMatchObject({ status: { from: fourth.metadata.resourceVersion } });
      await soon(remove(watched, 'a'));
      await expect(soon(grow(fourth))).rejects.toMatchObject({ code: 409 });
      expect(await soon(watched.get(widgets, key('a')))).toBeUndefined();
    });

    it('returns AlreadyExists to the second creator', async () => {
      const outcomes = await soon(Promise.allSettled([create(store, widget('a')), create(store, widget('a', 2))]));
      const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(lost).toHaveLength(1);
      expect(lost[0]!.reason).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    });

    it('drops a removed object, and accepts its name again', async () => {
      await soon(create(store, widget('a')));
      await soon(remove(store, 'a'));
      expect(await soon(store.get(widgets, key('a')))).toBeUndefined();
      expect((await soon(store.list(widgets))).objects).toEqual([]);
      const again = await soon(create(store, widget('a', 5)));
      expect(await soon(store.get(widgets, key('a')))).toEqual(again);
    });

    it('lists in order of names, by namespace or all of them', async () => {
      for (const name of ['c', 'a', 'b']) await soon(create(store, widget(name)));
      await soon(create(store, widget('x', 1, { namespace: 'other' })));
      await soon(create(store, widget('y', 1, { namespace: 'default-2' })));
      expect(names((await soon(store.list(widgets, { namespace: 'default' }))).objects)).toEqual(['a', 'b', 'c']);
      expect((await soon(store.list(widgets))).objects).toHaveLength(5);
    });

    it('lists what existed when the list began, at the position it returns', async () => {
      for (let n = 0; n < 12; n++) await soon(create(store, widget(`w${n}`)));
      await clock.advance(minute);
      await soon(store.list(widgets));
      await clock.advance(minute);
      const last = await soon(resize(store, 'w3', 9));
      const listing = await soon(store.list(widgets));
      expect(listing.position).toBeGreaterThanOrEqual(version(last));
      expect(listing.objects.find(({ metadata }) => metadata.name === 'w3')).toEqual(last);
      expect(await soon(store.position(widgets))).toBeGreaterThanOrEqual(listing.position);
    });

    it('finds an object by each of its current owners, however many they are', async () => {
      const owners = (of: string) =>
        Array.from({ length: 250 }, (_, n) => ({ apiVersion: 'v1', kind: 'O', name: `${of}${n}`, uid: `${of}${n}` }));
      const found = async (of: string) => {
        await clock.advance(minute);
        const keys = await soon(Promise.all(owners(of).map(({ uid }) => store.ownedKeys(uid))));
        return keys.flat().length;
      };
      await soon(create(store, widget('a', 1, { ownerReferences: owners('x') })));
      expect(await found('x')).toBe(250);
      await soon(
        store.commit(widgets, key('a'), (o) => ({
          do: 'put',
          object: { ...o!, metadata: { ...o!.metadata, ownerReferences: owners('y') } },
        })),
      );
      expect([await found('x'), await found('y')]).toEqual([0, 250]);
      const [owned] = await soon(store.listOwned('y249'));
      expect(owned?.object.metadata.name).toBe('a');
      await soon(remove(store, 'a'));
      expect(await found('y')).toBe(0);
    });

    it('stores labels and owners up to a limit, and refuses what exceeds the limit of a change', async () => {
      const labels = (of: string, many: number) =>
        Object.fromEntries(Array.from({ length: many }, (_, n) => [`${of}${n}`, 'v'.repeat(50)]));
      const spec = { size: 1, noise: Buffer.from(random.bytes(120_000)).toString('base64') };
      await soon(create(store, { ...widget('a', 1, { labels: labels('x', 2000) }), spec }));
      const relabel = (of: string, many: number) =>
        store.commit(widgets, key('a'), (o) => ({
          do: 'put',
          object: { ...o!, metadata: { ...o!.metadata, labels: labels(of, many) } },
        }));
      await soon(relabel('y', 2000));
      expect((await soon(store.get(widgets, key('a'))))?.metadata.labels).toEqual(labels('y', 2000));
      await expect(soon(relabel('z', 4000))).rejects.toMatchObject({ code: 413 });
      await soon(remove(store, 'a'));
      expect(await soon(store.get(widgets, key('a')))).toBeUndefined();
    });

    listsInPages(() => ({ store, clock, soon, options }));

    it('delivers every change after a position once and in order', async () => {
      await soon(create(store, widget('a')));
      const { position } = await soon(store.list(widgets));
      const stop = new AbortController();
      const seen = await watched(clock, store.watch(widgets, position, stop.signal), stop, async () => {
        await soon(create(store, widget('b', 1, { labels: { tier: 'one' } })));
        await soon(
          store.commit(widgets, key('b'), (o) => ({
            do: 'put',
            object: { ...o!, metadata: { ...o!.metadata, labels: { tier: 'two' } } },
          })),
        );
        await soon(remove(store, 'a'));
      });
      const changes = seen.filter((item) => item.type !== 'BOOKMARK');
      expect(changes.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
        'ADDED b',
        'MODIFIED b',
        'DELETED a',
      ]);
      expect(changes[1]).toMatchObject({ previousLabels: { tier: 'one' } });
      for (const { object, position: at } of changes) expect(object.metadata.resourceVersion).toBe(String(at));
      const replay = new AbortController();
      const again = await watched(clock, store.watch(widgets, position, replay.signal), replay, async () => undefined);
      expect(again.filter((item) => item.type !== 'BOOKMARK')).toEqual(changes);
    });

    it('delivers a change at once and a bookmark about once a minute', async () => {
      await soon(create(store, widget('a')));
      const from = await soon(store.position(widgets));
      const stop = new AbortController();
      const seen = await watched(
        clock,
        store.watch(widgets, from, stop.signal),
        stop,
        () => soon(resize(store, 'a', 2)),
        3 * minute,
      );
      const bookmarks = seen.filter(({ type }) => type === 'BOOKMARK');
      expect(bookmarks.length).toBeGreaterThanOrEqual(2);
      expect(bookmarks.length).toBeLessThanOrEqual(4);
      expect(bookmarks.at(-1)!.position).toBeGreaterThan(from);
    });

    it('returns 410 for a position whose next change is too old, and never for an old position without a next change', async () => {
      await soon(create(store, widget('a')));
      const quiet = await soon(store.position(widgets));
      await clock.advance(40 * hour);
      const stop = new AbortController();
      expect(await watched(clock, store.watch(widgets, quiet, stop.signal), stop, async () => undefined, 1000)).toEqual(
        [],
      );
      await soon(resize(store, 'a', 2));
      await clock.advance(7 * hour);
      const expired = store.watch(widgets, quiet, new AbortController().signal)[Symbol.asyncIterator]().next();
      await expect(soon(Promise.resolve(expired))).rejects.toMatchObject({ code: 410 });
      const future = store
        .watch(widgets, quiet + 1e6, new AbortController().signal)
        [Symbol.asyncIterator]()
        .next();
      await expect(soon(Promise.resolve(future))).rejects.toMatchObject({ code: 410 });
    });

    it('finds current objects by owner and by cluster', async () => {
      const label = { 'cluster.x-k8s.io/cluster-name': 'c1' };
      const owned = { ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'owner-1' }] };
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: widget('s', 1, { ...owned, labels: label }).metadata,
      };
      await soon(create(store, widget('a', 3, { labels: label, ...owned })));
      await soon(create(store, widget('b', 4, { labels: label })));
      await soon(create(store, secret, 'secrets'));
      expect((await soon(store.listOwned('owner-1'))).map(({ type, object }) => [type, object.metadata.name])).toEqual([
        ['secrets', 's'],
        [widgets, 'a'],
      ]);
      expect(names((await soon(store.listOwned('owner-1', widgets))).map(({ object }) => object))).toEqual(['a']);
      expect(names(await soon(store.listCluster(widgets, 'default', 'c1')))).toEqual(['a', 'b']);
      expect(await soon(store.digests('secrets', 'default', 'c1'))).toEqual([{}]);
      expect(await soon(store.digests(widgets, 'default', 'c1'))).toEqual([{ size: 3 }, { size: 4 }]);
      await soon(resize(store, 'a', 8));
      await soon(remove(store, 'b'));
      await soon(
        store.commit(widgets, key('a'), (o) => ({
          do: 'put',
          object: { ...o!, metadata: { ...o!.metadata, ownerReferences: [] } },
        })),
      );
      expect(await soon(store.listOwned('owner-1', widgets))).toEqual([]);
      expect(await soon(store.digests(widgets, 'default', 'c1'))).toEqual([{ size: 8 }]);
    });

    it('finds objects by owner or selector, each object once', async () => {
      const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Boss', name: 'boss', uid: 'owner-1' }];
      await soon(create(store, widget('both', 1, { labels: { ...labels, role: 'worker' }, ownerReferences })));
      await soon(create(store, widget('selected', 1, { labels: { ...labels, role: 'worker' } })));
      await soon(create(store, widget('unselected', 1, { labels, ownerReferences })));
      await soon(create(store, widget('unlabelled', 1, { ownerReferences })));
      await soon(create(store, widget('neither', 1, { labels })));
      const query = { selector: { matchLabels: { role: 'worker' } }, owner: 'owner-1' };
      const all = names(await soon(store.listCluster(widgets, 'default', 'c1', query)));
      expect(all.sort()).toEqual(['both', 'selected', 'unlabelled', 'unselected']);
      await soon(remove(store, 'unlabelled'));
      expect(names(await soon(store.listCluster(widgets, 'default', 'c1', query))).sort()).toEqual([
        'both',
        'selected',
        'unselected',
      ]);
    });

    it('returns the tombstone of a key until another object uses the key', async () => {
      const { metadata } = await soon(create(store, widget('a', 1)));
      const tombstone = () => soon(store.tombstone(widgets, key('a')));
      expect(await tombstone()).toBeUndefined();
      const before = clock.now();
      await soon(remove(store, 'a'));
      const { uid, at } = (await tombstone())!;
      expect(uid).toBe(metadata.uid);
      expect(at).toBeGreaterThanOrEqual(before);
      expect(at).toBeLessThanOrEqual(clock.now() + 1000);
      await soon(create(store, widget('a', 2)));
      expect(await tombstone()).toBeUndefined();
      expect(await soon(store.tombstone(widgets, key('never')))).toBeUndefined();
    });

    it('finds objects of a cluster by their current labels', async () => {
      const member = (role: string) => ({ 'cluster.x-k8s.io/cluster-name': 'c1', role });
      await soon(create(store, widget('a', 1, { labels: member('worker') })));
      await soon(create(store, widget('b', 1, { labels: member('master') })));
      const workers = async () =>
        names(
          await soon(store.listCluster(widgets, 'default', 'c1', { selector: { matchLabels: { role: 'worker' } } })),
        );
      expect(await workers()).toEqual(['a']);
      const relabel = (name: string, role: string) =>
        soon(
          store.commit(widgets, key(name), (o) => ({
            do: 'put',
            object: { ...o!, metadata: { ...o!.metadata, labels: member(role) } },
          })),
        );
      await relabel('b', 'worker');
      expect(await workers()).toEqual(['a', 'b']);
      await relabel('a', 'master');
      expect(await workers()).toEqual(['b']);
    });

    it('finds objects of a cluster that a change concerns, and those without an alias', async () => {
      const labels = { 'cluster.x-k8s.io/cluster-name': 'c1' };
      const known = (name: string, alias?: string) => ({
        ...widget(name, 1, { labels }),
        spec: { size: 1, ...(alias !== undefined && { alias }) },
      });
      await soon(create(store, known('a', 'A')));
      await soon(create(store, known('b', 'B')));
      await soon(create(store, known('c')));
      const about = async (...aliases: string[]) =>
        (await soon(store.memberKeys(widgets, 'default', 'c1', aliases))).map(({ name }) => name).sort();
      expect(await about('A')).toEqual(['a', 'c']);
      await soon(
        store.commit(widgets, key('c'), (o) => ({ do: 'put', object: { ...o!, spec: known('c', 'A').spec } })),
      );
      expect(await about('A')).toEqual(['a', 'c']);
      expect(await about('B')).toEqual(['b']);
      expect((await soon(store.memberKeys(widgets, 'default', 'c1'))).length).toBe(3);
    });

    it('omits past members of a cluster from its member keys, and still lists them', async () => {
      const labels = { 'cluster.x-k8s.io/cluster-name': 'c2' };
      const members = async () =>
        (await soon(store.memberKeys(widgets, 'default', 'c2'))).map(({ name }) => name).sort();
      const turn = (past: boolean) =>
        soon(store.commit(widgets, key('m'), (o) => ({ do: 'put', object: { ...o!, spec: { size: 1, past } } })));
      await soon(create(store, widget('m', 1, { labels })));
      await soon(create(store, widget('n', 1, { labels })));
      await turn(true);
      expect(await members()).toEqual(['n']);
      expect((await soon(store.listCluster(widgets, 'default', 'c2'))).length).toBe(2);
      await turn(false);
      expect(await members()).toEqual(['m', 'n']);
    });

    it('stores a large object whole, through its log and its deletion, and refuses one that is too large', async () => {
      const noise = Buffer.from(seededRandom(1).bytes(900_000)).toString('base64');
      const large = { ...widget('a'), spec: { size: 1, noise } };
      const from = await soon(store.position(widgets));
      const made = await soon(create(store, large));
      expect((await soon(store.get(widgets, key('a'))))!.spec).toEqual(large.spec);
      expect((await soon(store.list(widgets))).objects[0]).toEqual(made);
      await soon(resize(store, 'a', 2));
      await soon(store.commit(widgets, key('a'), (o) => ({ do: 'put', object: { ...o!, spec: large.spec } })));
      await clock.advance(40 * hour);
      expect((await soon(store.get(widgets, key('a'))))!.spec).toEqual(large.spec);
      await soon(remove(store, 'a'));
      const stop = new AbortController();
      const end = await soon(store.position(widgets));
      const seen = await watched(clock, store.watch(widgets, end - 1, stop.signal), stop, async () => undefined);
      expect(seen[0]).toMatchObject({ type: 'DELETED', object: { spec: { size: 1 } } });
      expect(from).toBeLessThan(end);
      const tooLarge = create(store, { ...widget('b'), spec: { size: 1, noise: 'x'.repeat(1_600_000) } });
      await expect(soon(tooLarge)).rejects.toMatchObject({ code: 413 });
    });

    it('hides an expired object, and accepts its name again', async () => {
      const label = { 'cluster.x-k8s.io/cluster-name': 'c1' };
      await soon(create(store, widget('a', 1, { labels: label }), sparks));
      const first = await soon(create(store, widget('b'), sparks));
      await clock.advance(40 * minute);
      await soon(store.commit(sparks, key('a'), (o) => ({ do: 'put', object: { ...o!, spec: { size: 2 } } })));
      await clock.advance(21 * minute);
      const before = entries.length;
      expect(names((await soon(store.list(sparks))).objects)).toEqual(['a']);
      expect(await soon(store.get(sparks, key('b')))).toBeUndefined();
      const again = await soon(create(store, widget('b'), sparks));
      expect(again.metadata.uid).not.toBe(first.metadata.uid);
      expect(version(again)).toBeGreaterThan(version(first));
      expect(names((await soon(store.list(sparks))).objects)).toEqual(['a', 'b']);
      expect(entries.slice(before)).toMatchObject([{ event: 'ADDED', name: 'b' }]);
      await expect(soon(create(store, widget('b'), sparks))).rejects.toMatchObject({ code: 409 });
      await clock.advance(40 * hour);
      expect((await soon(store.list(sparks))).objects).toEqual([]);
      expect(await soon(store.listCluster(sparks, 'default', 'c1'))).toEqual([]);
      await soon(create(store, widget('b'), sparks));
    });

    it('ends watches of expiring objects at each expiry, so that their clients list again', async () => {
      await clock.advance(50 * minute);
      await soon(create(store, widget('a'), sparks));
      const from = await soon(store.position(sparks));
      const stop = new AbortController();
      const whole = watched(clock, store.watch(sparks, from, stop.signal), stop, async () => undefined, 11 * minute);
      await expect(whole).rejects.toMatchObject({ code: 410 });
      const next = new AbortController();
      const seen = await watched(clock, store.watch(sparks, from, next.signal), next, () =>
        soon(create(store, widget('b'), sparks)),
      );
      expect(seen).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'b' } } }]);
    });

    it('tells dispatch about each change without its body', async () => {
      const owner = { apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'u', controller: true };
      const made = await soon(
        create(store, widget('a', 1, { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' }, ownerReferences: [owner] })),
      );
      await soon(
        store.commit(
          widgets,
          key('a'),
          (o) => ({ do: 'put', object: { ...o!, status: { ready: true, about: ['x'] } } }),
          {
            writer: 'widget',
          },
        ),
      );
      await soon(remove(store, 'a'));
      expect(entries).toMatchObject([
        { type: widgets, event: 'ADDED', name: 'a', namespace: 'default', cluster: 'c1', owners: [owner] },
        {
          event: 'MODIFIED',
          level: 'count',
          about: ['x'],
          writer: 'widget',
          clusterBefore: 'c1',
          ownersBefore: [owner],
        },
        { event: 'DELETED', uid: made.metadata.uid },
      ]);
    });

    it('stores only ciphertext of encrypted kinds, and decrypts it in another process with the same keys', async () => {
      const plain = 'a very secret text that must not be found';
      const object: KubeObject = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: widget('s').metadata,
        data: { text: plain },
        type: 'Opaque',
      };
      await soon(create(store, object, 'secrets'));
      const bodies: Uint8Array[] = [];
      for (const pk of ['o#secrets', `l#secrets#${Math.floor(entries[0]!.position / 1000)}`]) {
        const { items } = await soon(table.query({ pk, consistent: true }));
        bodies.push(...items.map((item) => item.body as Uint8Array));
      }
      expect(bodies.length).toBeGreaterThanOrEqual(2);
      // Neither plain nor merely compressed: the annotation that repeats the data is part of the object.
      for (const body of bodies) {
        expect(Buffer.from(body).includes('secret text')).toBe(false);
        expect(Buffer.from(body).includes(Buffer.of(0x1f, 0x8b, 8, 0))).toBe(false);
      }
      const second = openStore(options);
      expect(await soon(second.get('secrets', key('s')))).toMatchObject({ data: { text: plain }, type: 'Opaque' });
    });

    describe('encrypted for a purpose', () => {
      const secret = (name: string, purpose: string): KubeObject => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { ...widget(name).metadata, labels: { for: purpose } },
        data: { text: name },
      });
      /** A process that may open data keys of some purposes; `undefined` is that of format 1. */
      const opening = (...purposes: (string | undefined)[]): Store => {
        const { keys } = options;
        const unwrap: typeof keys.unwrap = (wrapped, context) =>
          purposes.includes(context.purpose) ? keys.unwrap(wrapped, context) : Promise.reject(new Error('not allowed'));
        return openStore({ ...options, keys: { ...keys, unwrap } });
      };
      const former = () => openStore({ ...options, format: async () => 1 });
      const put = (from: Store, object: KubeObject) =>
        from.commit('secrets', key(object.metadata.name), () => ({ do: 'put', object }), { evenUnchanged: true });

      it('opens only to processes that may use the data key of the purpose', async () => {
        await soon(create(store, secret('a', 'one'), 'secrets'));
        await soon(create(store, secret('b', 'two'), 'secrets'));
        const reader = opening('one');
        expect(await soon(reader.get('secrets', key('a')))).toMatchObject({ data: { text: 'a' } });
        await expect(soon(reader.get('secrets', key('b')))).rejects.toThrow('"default/b" cannot be read');
      });

      it('is proven by the data key, so that another purpose cannot be claimed', async () => {
        await soon(create(store, secret('a', 'one'), 'secrets'));
        const at = { pk: 'o#secrets', sk: 'default/a' };
        const item = (await soon(table.get(at, { consistent: true })))!;
        const body = Buffer.from(item.body as Uint8Array);
        body.write('two', body.indexOf('one'));
        await soon(table.write({ put: { ...item, body: new Uint8Array(body) } }));
        await expect(soon(openStore(options).get('secrets', key('a')))).rejects.toThrow('cannot be read');
      });

      it('follows a purpose that changes', async () => {
        const made = await soon(create(store, secret('a', 'one'), 'secrets'));
        expect(await soon(store.isOutdated('secrets', made))).toBe(false);
        await soon(put(store, { ...made, metadata: { ...made.metadata, labels: { for: 'two' } } }));
        expect(await soon(opening('two').get('secrets', key('a')))).toMatchObject({ data: { text: 'a' } });
      });

      it('replaces what format 1 encrypted, which stays readable until then', async () => {
        const made = await soon(create(former(), secret('a', 'one'), 'secrets'));
        expect(await soon(former().isOutdated('secrets', made))).toBe(false);
        const found = (await soon(opening(undefined).get('secrets', key('a'))))!;
        expect(found).toMatchObject({ data: { text: 'a' } });
        const { objects } = await soon(store.list('secrets'));
        expect(await Promise.all(objects.map((one) => store.isOutdated('secrets', one)))).toEqual([true]);
        await soon(put(store, objects[0]!));
        const after = (await soon(opening('one').get('secrets', key('a'))))!;
        const { resourceVersion: _, ...metadata } = found.metadata;
        expect(after).toMatchObject({ ...found, metadata });
      });

      it('is indexed anew, because an older version knew another digest', async () => {
        const kinds = [...(options.kinds as Iterable<KindFacts>)];
        const older = openStore({
          ...options,
          kinds: kinds.map(({ digest: _, ...facts }) => facts),
          format: async () => 1,
        });
        const named = (facts: KindFacts) => ({ ...facts, digest: ({ metadata: { name } }: KubeObject) => ({ name }) });
        const newer = openStore({ ...options, kinds: kinds.map(named) });
        const { metadata, ...rest } = secret('a', 'one');
        const object = { ...rest, metadata: { ...metadata, labels: { 'cluster.x-k8s.io/cluster-name': 'c' } } };
        await soon(create(older, object, 'secrets'));
        expect(await soon(newer.digests('secrets', 'default', 'c'))).toEqual([{}]);
        await soon(put(newer, (await soon(newer.get('secrets', key('a'))))!));
        expect(await soon(newer.digests('secrets', 'default', 'c'))).toEqual([{ name: 'a' }]);
      });

      it('is not written while functions run that read only format 1', async () => {
        await soon(create(former(), secret('a', 'one'), 'secrets'));
        expect(await soon(opening(undefined).get('secrets', key('a')))).toMatchObject({ data: { text: 'a' } });
      });
    });
  });
