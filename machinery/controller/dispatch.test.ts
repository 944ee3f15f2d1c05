import { describe, expect, it } from 'vitest';
import { cluster, make, ownedBy, part, shelf, toyKinds, widget } from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { Kind } from '../api/kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { Route, Watch, Wiring } from '../api/wiring.ts';
import type { LogEntry } from '../store/store.ts';
import { createDispatcher, createRouter, delays } from './dispatch.ts';
import { kindsOf } from './kinds.ts';

const kinds = kindsOf(toyKinds);
const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };

/** Widgets in a Cluster and outside it, a part that a widget owns, and a cluster-scoped shelf. */
const setUp = async () => {
  const world = await createWorld({});
  const at = (name: string, more: Partial<KubeObject['metadata']> = {}) => ({
    metadata: { name, namespace: 'default', ...more },
  });
  const c = await world.create(make(cluster, 'c'));
  const a = await world.create(make(widget, 'a', at('a', { labels })));
  await world.create(make(widget, 'b', at('b', { labels, ownerReferences: [ownedBy(c)] })));
  await world.create(make(widget, 'unowned', { spec: { part: 'p' } }));
  const p = await world.create(make(part, 'p', at('p', { labels, ownerReferences: [ownedBy(a)] })));
  const s = await world.create(make(shelf, 's'));
  return { world, a, c, p, s };
};

const entryOf = (of: KubeObject, type: string, change: Partial<LogEntry> = {}): LogEntry => ({
  type,
  position: 1,
  event: 'MODIFIED',
  namespace: of.metadata.namespace ?? '',
  name: of.metadata.name,
  uid: of.metadata.uid!,
  owners: of.metadata.ownerReferences ?? [],
  ownersBefore: of.metadata.ownerReferences ?? [],
  ...(of.metadata.labels && { cluster: 'c', clusterBefore: 'c' }),
  ...change,
});

const never = () => {
  throw new Error('the router must not list objects');
};

const wire = (kind: string, ...watches: Watch[]): Wiring => ({ it: { for: kind, worker: 'core', watches } });

describe('dispatch', () => {
  it.each([
    { rule: 'an object wakes the controllers for its kind', wiring: wire('Part'), wakes: ['default/p'] },
    {
      rule: 'owner: wakes the owners of the right kind',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      wakes: ['default/a'],
    },
    {
      rule: 'owner: wakes former owners',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      change: { owners: [] },
      wakes: ['default/a'],
    },
    {
      rule: 'owner: wakes no owners of another kind',
      wiring: wire('Cluster', { kind: 'Part', to: 'owner' }),
      wakes: [],
    },
    {
      rule: 'cluster: wakes the Cluster of the object',
      wiring: wire('Cluster', { kind: 'Part', to: 'cluster' }),
      wakes: ['default/c'],
    },
    {
      rule: 'cluster: wakes the former Cluster',
      wiring: wire('Cluster', { kind: 'Part', to: 'cluster' }),
      change: { cluster: 'd' },
      wakes: ['default/c', 'default/d'],
    },
    {
      rule: 'members: wakes all objects of the kind in the Cluster',
      wiring: wire('Widget', { kind: 'Part', to: 'members' }),
      change: { owners: [], ownersBefore: [] },
      wakes: ['default/a', 'default/b'],
    },
    {
      rule: 'members: wakes only the owner that is a member',
      wiring: wire('Widget', { kind: 'Part', to: 'members' }),
      wakes: ['default/a'],
    },
    {
      rule: 'namespace: wakes all objects of the kind in the namespace',
      wiring: wire('Widget', { kind: 'Part', to: 'namespace' }),
      wakes: ['default/a', 'default/b', 'default/unowned'],
    },
    {
      rule: 'two routes to one object wake it once',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }, { kind: 'Part', to: 'namespace' }),
      wakes: ['default/a', 'default/b', 'default/unowned'],
    },
    {
      rule: 'referrers: wakes the objects whose spec names it',
      wiring: wire('Widget', { kind: 'Part', to: 'referrers' }),
      wakes: ['default/unowned'],
    },
    {
      rule: 'servers: wakes the objects that the entry names, in its namespace or in none',
      wiring: {
        ...wire('Widget', { kind: 'Part', to: 'servers' }),
        other: wire('Shelf', { kind: 'Part', to: 'servers' }).it!,
      },
      change: {
        servedBy: [
          { group: 'toys.example', kind: 'Widget', name: 'b' },
          { group: 'toys.example', kind: 'Shelf', name: 's', namespace: '' },
          { group: 'other.example', kind: 'Widget', name: 'a' },
        ],
      },
      wakes: ['/s', 'default/b'],
    },
    {
      rule: 'level: a change of the object itself wakes every watch',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      wakes: ['default/a'],
    },
    {
      rule: 'level: a gate wakes no watch without a level',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      change: { level: 'gate' as const },
      wakes: [],
    },
    {
      rule: 'level: a gate wakes a watch of counts',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', level: 'count' }),
      change: { level: 'gate' as const },
      wakes: ['default/a'],
    },
    {
      rule: 'level: a note wakes no watch of counts',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', level: 'count' }),
      change: { level: 'note' as const },
      wakes: [],
    },
    {
      rule: 'level: a deletion wakes every watch',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      change: { event: 'DELETED' as const },
      wakes: ['default/a'],
    },
    {
      rule: 'level: filters a controller’s own kind too',
      wiring: { it: { for: 'Part', worker: 'core', level: 'gate' as const, watches: [] } },
      change: { level: 'count' as const },
      wakes: [],
    },
    {
      rule: 'level: an entry of an older release, which has none, wakes every watch',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      change: { changed: ['status'] } as Partial<LogEntry>,
      wakes: ['default/a'],
    },
    {
      rule: 'cluster: a change of single members does not wake their Cluster',
      wiring: wire('Cluster', { kind: 'Part', to: 'cluster' }),
      change: { about: ['aws:///a'] },
      wakes: [],
    },
    {
      rule: 'adopters: an object with a controller wakes no members',
      wiring: wire('Widget', { kind: 'Part', to: 'adopters' }),
      change: { owners: [{ apiVersion: 'toys.example/v1', kind: 'Shelf', name: 's', uid: 'of-s', controller: true }] },
      wakes: [],
    },
    {
      rule: 'adopters: an object without a controller wakes all members',
      wiring: wire('Widget', { kind: 'Part', to: 'adopters' }),
      change: { owners: [], ownersBefore: [] },
      wakes: ['default/a', 'default/b'],
    },
    {
      rule: 'an unknown level wakes every object of each controller that may be concerned',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      change: { level: 'hint' as LogEntry['level'] },
      wakes: ['default/a', 'default/b', 'default/unowned'],
    },
    {
      rule: 'an unknown event wakes every object of each controller that may be concerned',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }),
      change: { event: 'RENAMED' as LogEntry['event'] },
      wakes: ['default/a', 'default/b', 'default/unowned'],
    },
  ])('$rule', async ({ wiring, change, wakes }) => {
    const { world, p } = await setUp();
    const route = createRouter({ wiring, kinds, store: world.store });
    const requests = await route(entryOf(p, 'parts.toys.example', change));
    expect(requests.map(({ key }) => `${key.namespace}/${key.name}`).sort()).toEqual(wakes);
    expect(requests.every(({ urgent }) => urgent)).toBe(true);
  });

  const member = {
    owners: [{ apiVersion: 'toys.example/v1', kind: 'Shelf', name: 's', uid: 'of-s', controller: true }],
  };
  it.each([
    { rule: 'a change of the object itself at once', change: {}, seconds: 0 },
    { rule: 'a gate at once', change: { level: 'gate' as const }, seconds: 0 },
    { rule: 'a count within seconds', change: { level: 'count' as const }, seconds: delays.count },
    { rule: 'a note last', change: { level: 'note' as const }, seconds: delays.note },
    { rule: 'another controller’s object later', to: 'members' as const, change: member, seconds: delays.count },
    {
      rule: 'the status of another controller’s object as a note',
      to: 'members' as const,
      change: { ...member, level: 'gate' as const },
      seconds: delays.note,
    },
    {
      rule: 'an object without a controller at once',
      to: 'members' as const,
      change: { owners: [], ownersBefore: [] },
      seconds: 0,
    },
    { rule: 'the controller’s own write later', change: { writer: 'it' }, seconds: delays.count },
  ])('hears of $rule', async ({ to = 'owner' as Route, change, seconds }) => {
    const { world, p } = await setUp();
    const route = createRouter({
      wiring: wire('Widget', { kind: 'Part', to, level: 'note' }),
      kinds,
      store: world.store,
    });
    const requests = await route(entryOf(p, 'parts.toys.example', change));
    expect([...new Set(requests.map(({ after = 0 }) => after))]).toEqual([seconds]);
  });

  it('hears of a kind from the moment that users give it the watched role', async () => {
    const { world, p } = await setUp();
    const others = toyKinds.filter(({ kind }) => kind !== 'Part');
    const bare = toyKinds.find(({ kind }) => kind === 'Part')!;
    let now: Kind[] = others;
    let read = now;
    const changing = kindsOf(() => read, {
      refresh: async () => {
        read = now;
      },
      isOwn: (type) => type !== 'parts.toys.example',
    });
    const wiring = wire('Widget', { role: 'Provider', to: 'owner' });
    const route = createRouter({ wiring, kinds: changing, store: world.store });
    const names = async () => (await route(entryOf(p, 'parts.toys.example'))).map(({ key }) => key.name);
    expect(await names()).toEqual([]);
    now = [...others, bare];
    expect(await names()).toEqual([]);
    now = [...others, { ...bare, role: 'Provider' }];
    expect(await names()).toEqual(['a']);
  });

  it('delays a request as little as any of its routes', async () => {
    const { world, p } = await setUp();
    const wiring = wire('Widget', { kind: 'Part', to: 'members' }, { kind: 'Part', to: 'referrers' });
    const route = createRouter({ wiring, kinds, store: world.store });
    const requests = await route(entryOf(p, 'parts.toys.example', { ...member, ownersBefore: [] }));
    const delayOf = requests.map(({ key, after = 0 }) => [key.name, after]);
    expect(Object.fromEntries(delayOf)).toEqual({ a: delays.count, b: delays.count, unowned: 0 });
  });

  it('delays all watched changes of a controller that sweeps', async () => {
    const { world, p } = await setUp();
    const wiring: Wiring = {
      it: { for: 'Widget', worker: 'core', sweepAfter: 600, watches: [{ kind: 'Part', to: 'owner' }] },
    };
    const route = createRouter({ wiring, kinds, store: world.store });
    expect(await route(entryOf(p, 'parts.toys.example'))).toMatchObject([{ after: 600 }]);
  });

  it('delays a controller’s own change, and drops it when the decision would repeat', async () => {
    const { world, p } = await setUp();
    const route = createRouter({ wiring: wire('Part'), kinds, store: world.store });
    const own = (change: Partial<LogEntry>) => route(entryOf(p, 'parts.toys.example', { writer: 'it', ...change }));
    expect(await own({ level: 'gate' })).toMatchObject([{ urgent: false, after: delays.count }]);
    expect(await own({})).toMatchObject([{ urgent: false, after: delays.count }]);
    expect(await own({ level: 'gate', settled: true })).toEqual([]);
    expect(await own({ level: 'gate', settled: true, writer: 'other' })).toMatchObject([{ urgent: true }]);
    expect(await own({ event: 'DELETED' })).toEqual([]);
    expect(await own({ event: 'DELETED', writer: 'other' })).toMatchObject([{ urgent: true }]);
  });

  it('follows the Cluster to its members and dependents', async () => {
    const { world, c } = await setUp();
    const of = async (watch: Watch) => {
      const route = createRouter({ wiring: wire('Widget', watch), kinds, store: world.store });
      return (await route(entryOf(c, 'clusters.cluster.x-k8s.io'))).map(({ key }) => key.name).sort();
    };
    expect(await of({ kind: 'Cluster', to: 'members' })).toEqual(['a', 'b']);
    expect(await of({ kind: 'Cluster', to: 'dependents' })).toEqual(['b']);
    expect(await of({ kind: 'Cluster', to: 'cluster' })).toEqual(['c']);
  });

  it('treats a cluster-scoped object as being in every namespace', async () => {
    const { world, s } = await setUp();
    const wiring = wire('Widget', { kind: 'Shelf', to: 'namespace' });
    const route = createRouter({ wiring, kinds, store: world.store });
    expect((await route(entryOf(s, 'shelves.toys.example'))).length).toBe(3);
  });

  it('makes a controller’s own write a reason that is not urgent', async () => {
    const { world, p } = await setUp();
    const wiring: Wiring = { ...wire('Widget', { kind: 'Part', to: 'owner' }), other: wire('Part').it! };
    const route = createRouter({ wiring, kinds, store: world.store });
    const requests = await route(entryOf(p, 'parts.toys.example', { writer: 'other' }));
    expect(requests.map(({ key, urgent }) => [key.controller, urgent])).toEqual([
      ['it', true],
      ['other', false],
    ]);
  });

  it('requests many passes concurrently and waits for all, because a change may concern thousands of objects', async () => {
    const names = Array.from({ length: 100 }, (_, n) => ({ namespace: 'default', name: `w${n}` }));
    const store = { list: never, ownedKeys: never, referrerKeys: never, memberKeys: async () => names };
    const asked: string[] = [];
    let [running, most] = [0, 0];
    const request = async ({ name }: { name: string }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      asked.push(name);
    };
    const wiring = wire('Widget', { kind: 'Cluster', to: 'members' });
    const { dispatch } = createDispatcher({ wiring, kinds, store, work: { request } });
    await dispatch(
      entryOf(
        make(cluster, 'c', { metadata: { name: 'c', namespace: 'default', uid: 'u' } }),
        'clusters.cluster.x-k8s.io',
      ),
    );
    expect(asked.sort()).toEqual(names.map(({ name }) => name).sort());
    expect(most).toBe(20);
  });
});
