import { describe, expect, it } from 'vitest';
import { cluster, make, ownedBy, part, shelf, toyKinds, widget } from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { KubeObject } from '../api/object.ts';
import type { Watch, Wiring } from '../api/wiring.ts';
import type { LogEntry } from '../store/store.ts';
import { createDispatcher, createRouter } from './dispatch.ts';
import { kindsOf } from './kinds.ts';

const kinds = kindsOf(toyKinds);
const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };

/**
 * Widgets of two clusters, one of them in another namespace, a part that a widget owns, and a
 * Widgets of two clusters, one of them in another namespace, a part owned by a widget, and a
 */
const setUp = async () => {
  const world = await createWorld({});
  const at = (name: string, more: Partial<KubeObject['metadata']> = {}) => ({
    metadata: { name, namespace: 'default', ...more },
  });
  const c = await world.create(make(cluster, 'c'));
  const a = await world.create(make(widget, 'a', at('a', { labels })));
  await world.create(make(widget, 'b', at('b', { labels, ownerReferences: [ownedBy(c)] })));
  await world.create(make(widget, 'stranger', { spec: { part: 'p' } }));
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
  changed: ['spec'],
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
      wakes: ['default/a', 'default/b', 'default/stranger'],
    },
    {
      rule: 'two routes to one object wake it once',
      wiring: wire('Widget', { kind: 'Part', to: 'owner' }, { kind: 'Part', to: 'namespace', on: ['spec'] }),
      wakes: ['default/a', 'default/b', 'default/stranger'],
    },
    {
      rule: 'referrers: wakes the objects whose spec names it',
      wiring: wire('Widget', { kind: 'Part', to: 'referrers' }),
      wakes: ['default/stranger'],
    },
    {
      rule: 'on: a controller’s own kind is filtered by its wiring',
      wiring: { it: { for: 'Part', worker: 'core', on: ['status'] as const, watches: [] } },
      wakes: [],
    },
    {
      rule: 'on: other changes wake no controller',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', on: ['status', 'created', 'deleted'] }),
      wakes: [],
    },
    {
      rule: 'on: created matches a creation',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', on: ['created'] }),
      change: { event: 'ADDED' as const },
      wakes: ['default/a'],
    },
    {
      rule: 'on: deleted matches a deletion',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', on: ['deleted'] }),
      change: { event: 'DELETED' as const, changed: [] },
      wakes: ['default/a'],
    },
    {
      rule: 'by clients: a client’s change wakes',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', by: 'clients' }),
      wakes: ['default/a'],
    },
    {
      rule: 'by clients: a controller’s change does not wake',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', by: 'clients' }),
      change: { writer: 'another' },
      wakes: [],
    },
    {
      rule: 'by others: a controller’s own change does not wake it',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', by: 'others' }),
      change: { writer: 'it' },
      wakes: [],
    },
    {
      rule: 'whole: a change of the whole object wakes',
      wiring: wire('Cluster', { kind: 'Part', to: 'cluster', whole: true }),
      wakes: ['default/c'],
    },
    {
      rule: 'whole: a change of single members does not wake',
      wiring: wire('Cluster', { kind: 'Part', to: 'cluster', whole: true }),
      change: { about: ['aws:///a'] },
      wakes: [],
    },
    {
      rule: 'orphan: an object with a controller owner does not wake',
      wiring: wire('Widget', { kind: 'Part', to: 'members', orphan: true }),
      change: { owners: [{ apiVersion: 'toys.example/v1', kind: 'Shelf', name: 's', uid: 'of-s', controller: true }] },
      wakes: [],
    },
    {
      rule: 'orphan: an object without a controller owner wakes',
      wiring: wire('Widget', { kind: 'Part', to: 'members', orphan: true }),
      change: { owners: [], ownersBefore: [] },
      wakes: ['default/a', 'default/b'],
    },
    {
      rule: 'an unknown event wakes every object of each controller that may be concerned',
      wiring: wire('Widget', { kind: 'Part', to: 'owner', on: ['status'] }),
      change: { event: 'RENAMED' as LogEntry['event'] },
      wakes: ['default/a', 'default/b', 'default/stranger'],
    },
  ])('$rule', async ({ wiring, change, wakes }) => {
    const { world, p } = await setUp();
    const route = createRouter({ wiring, kinds, store: world.store });
    const requests = await route(entryOf(p, 'parts.toys.example', change));
    expect(requests.map(({ key }) => `${key.namespace}/${key.name}`).sort()).toEqual(wakes);
    expect(requests.every(({ urgent }) => urgent)).toBe(true);
  });

  it('delays a request, unless another watch needs it sooner', async () => {
    const { world, p } = await setUp();
    const waitOf = async (entry: Partial<LogEntry>, ...watches: Watch[]) => {
      const route = createRouter({ wiring: wire('Widget', ...watches), kinds, store: world.store });
      return (await route(entryOf(p, 'parts.toys.example', entry))).map((request) => request.after ?? 0);
    };
    const late: Watch = { kind: 'Part', to: 'owner', after: 5 };
    expect(await waitOf({}, late)).toEqual([5]);
    expect(await waitOf({}, late, { kind: 'Part', to: 'owner', on: ['spec'] })).toEqual([0]);
    expect(await waitOf({ changed: ['status'] }, late, { kind: 'Part', to: 'owner', on: ['spec'] })).toEqual([5]);
    // With two routes to one object, the shorter delay wins.
    expect(await waitOf({}, late, { kind: 'Part', to: 'all', after: 1 })).toEqual([1, 1, 1]);
  });

  it('delays the creation of an object by afterCreation, and no other change', async () => {
    const { world, p } = await setUp();
    const wiring: Wiring = { it: { for: 'Part', worker: 'core', afterCreation: 3, watches: [] } };
    const route = createRouter({ wiring, kinds, store: world.store });
    const own = (change: Partial<LogEntry>) => route(entryOf(p, 'parts.toys.example', change));
    expect(await own({ event: 'ADDED' })).toMatchObject([{ urgent: true, after: 3 }]);
    const [changed] = await own({ changed: ['metadata'] });
    expect(changed).not.toHaveProperty('after');
  });

  it('delays a controller’s own change, and drops it when the decision would repeat', async () => {
    const { world, p } = await setUp();
    const route = createRouter({ wiring: wire('Part'), kinds, store: world.store });
    const own = (change: Partial<LogEntry>) => route(entryOf(p, 'parts.toys.example', { writer: 'it', ...change }));
    expect(await own({ changed: ['status'] })).toMatchObject([{ urgent: false, after: 1 }]);
    expect(await own({ changed: ['metadata', 'status'] })).toMatchObject([{ urgent: false, after: 1 }]);
    expect(await own({ changed: ['status'], settled: true })).toEqual([]);
    expect(await own({ changed: ['status'], settled: true, writer: 'other' })).toMatchObject([{ urgent: true }]);
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
