import { describe, expect, it } from 'vitest';
import {
  cluster,
  configMap,
  make,
  namespace,
  ownedBy,
  part,
  serviceAccount,
  shelf,
  toyKinds,
  widget,
} from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { KubeObject, OwnerReference } from '../api/object.ts';
import { createHousekeeping } from './index.ts';

const log = { info: () => {}, error: () => {} };
const skipped = { report: async () => {} };
const quotas = { now: async () => new Map() };
const world = (kinds = toyKinds, given: { rootCertificates?: () => string } = {}) =>
  createWorld({
    kinds,
    more: (parts) =>
      createHousekeeping({ ...parts, log, skipped, quotas, first: ['clusters.cluster.x-k8s.io'], ...given }),
  });
type World = Awaited<ReturnType<typeof world>>;

/**
 * A collector whose reads of the owner `owner` miss whenever `meddle` says so. It reads owners once
 * per change and twice per pass.
 */
const meddledWith = async (meddle: (of: World, look: number) => Promise<'missed' | 'seen'>): Promise<World> => {
  let looks = 0;
  const of: World = await createWorld({
    more: (parts) => {
      const get: typeof parts.store.get = async (type, key) => {
        const isHidden = key.name === 'owner' && (await meddle(of, ++looks)) === 'missed';
        return isHidden ? undefined : parts.store.get(type, key);
      };
      return createHousekeeping({ ...parts, store: { ...parts.store, get }, log, skipped, quotas, first: [] });
    },
  });
  return of;
};

const owned = (of: typeof part, name: string, owners: OwnerReference[], more: Partial<KubeObject['metadata']> = {}) =>
  make(of, name, {
    metadata: { name, ...(of.namespaced && { namespace: 'default' }), ownerReferences: owners, ...more },
  });
const ghost = (uid = 'not-there'): OwnerReference => ({
  apiVersion: 'toys.example/v1',
  kind: 'Widget',
  name: 'ghost',
  uid,
});
const names = async (of: World, type: string) =>
  (await of.store.list(type)).objects.map(({ metadata }) => metadata.name);
/** The passes of the collector, in order. */
const looksOf = ({ passes }: World) =>
  passes.filter(({ controller }) => controller === 'garbage-collector').map(({ name }) => name);

describe('garbage collection', () => {
  it('deletes dependents after their owner, recursively', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    const b = await w.create(owned(part, 'b', [ownedBy(a)]));
    await w.create(owned(configMap, 'c', [ownedBy(b)]));
    await w.create(make(configMap, 'other'));
    await w.seconds(1);
    expect(await names(w, 'configmaps')).toEqual(['c', 'other']);
    await w.remove(widget, 'a');
    await w.seconds(5);
    expect(await names(w, 'parts.toys.example')).toEqual([]);
    expect(await names(w, 'configmaps')).toEqual(['other']);
  });

  it.each([
    { rule: 'deletes an object that never had a living owner', owners: [ghost()], stays: false },
    {
      rule: 'keeps an object whose owner has an unknown kind',
      owners: [{ apiVersion: 'else.example/v1', kind: 'Thing', name: 'x', uid: 'x' }],
      stays: true,
    },
    {
      rule: 'keeps an object with a missing owner and an owner of an unknown kind',
      owners: [ghost(), { apiVersion: 'else.example/v1', kind: 'Thing', name: 'x', uid: 'x' }],
      stays: true,
    },
  ])('$rule', async ({ owners, stays }) => {
    const w = await world();
    await w.create(owned(part, 'b', owners));
    await w.seconds(5);
    expect((await w.get(part, 'b')) !== undefined).toBe(stays);
  });

  it('treats a namesake with another UID as another object', async () => {
    const w = await world();
    await w.create(make(widget, 'ghost'));
    await w.create(owned(part, 'b', [ghost('uid-of-its-predecessor')]));
    await w.seconds(5);
    expect(await w.get(part, 'b')).toBeUndefined();
    expect(await w.get(widget, 'ghost')).toBeDefined();
  });

  it('deletes nothing when an owner was missed once', async () => {
    const w = await meddledWith(async (_, look) => (look <= 2 ? 'missed' : 'seen'));
    const owner = await w.create(make(widget, 'owner'));
    await w.create(owned(part, 'p', [ownedBy(owner)]));
    await w.seconds(5);
    expect(await w.get(part, 'p')).toBeDefined();
  });

  it('keeps an object that gained another owner since the read', async () => {
    const w = await meddledWith(async (of, look) => {
      if (look === 3) {
        const other = ownedBy((await of.get(widget, 'other'))!);
        await of.update(part, 'p', (o) => owned(part, 'p', [...(o.metadata.ownerReferences ?? []), other]));
      }
      return 'seen';
    });
    await w.create(make(widget, 'other'));
    await w.create(owned(part, 'p', [{ ...ghost(), name: 'owner' }]));
    await w.seconds(5);
    expect((await w.get(part, 'p'))?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['other']);
  });

  it('finds owners only in the namespace of the dependent or cluster-scoped', async () => {
    const w = await world();
    await w.create(make(namespace, 'elsewhere'));
    const far = await w.create(make(widget, 'far', { metadata: { name: 'far', namespace: 'elsewhere' } }));
    const global = await w.create(make(shelf, 'global'));
    const near = await w.create(make(widget, 'near'));
    await w.create(owned(part, 'far', [ownedBy(far)]));
    await w.create(owned(part, 'global', [ownedBy(global)]));
    // A cluster-scoped object cannot name its owner's namespace.
    await w.create(owned(shelf, 'shelf', [ownedBy(near)]));
    await w.seconds(5);
    expect(await names(w, 'parts.toys.example')).toEqual(['global']);
    expect(await names(w, 'shelves.toys.example')).toEqual(['global', 'shelf']);
  });

  it('keeps an object with a living owner, and removes the dead reference', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    const b = await w.create(make(widget, 'b'));
    await w.create(owned(part, 'p', [ownedBy(a), ownedBy(b)]));
    await w.seconds(1);
    await w.remove(widget, 'a');
    await w.seconds(5);
    expect((await w.get(part, 'p'))?.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([b.metadata.uid]);
  });

  it('blocks a foreground deletion until its blocking dependents are gone', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    await w.create(
      owned(part, 'blocking', [ownedBy(a, { blockOwnerDeletion: true })], { finalizers: ['toys.example/x'] }),
    );
    await w.create(owned(part, 'free', [ownedBy(a)]));
    await w.remove(widget, 'a', { propagationPolicy: 'Foreground' });
    await w.seconds(5);
    expect((await w.get(widget, 'a'))?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(await names(w, 'parts.toys.example')).toEqual(['blocking']);
    await w.update(part, 'blocking', (o) => ({ ...o, metadata: { ...o.metadata, finalizers: [] } }));
    await w.seconds(5);
    expect(await w.get(widget, 'a')).toBeUndefined();
  });

  it('lets objects of another namespace neither block a deletion nor lose their owner by one', async () => {
    const w = await world();
    await w.create(make(namespace, 'elsewhere'));
    const elsewhere = { namespace: 'elsewhere', finalizers: ['example.com/held'] };
    for (const propagationPolicy of ['Foreground', 'Orphan'] as const) {
      const a = await w.create(make(widget, 'a'));
      const owner = { ...ownedBy(a), blockOwnerDeletion: true };
      const key = { namespace: 'elsewhere', name: propagationPolicy.toLowerCase() };
      await w.create(owned(configMap, key.name, [owner], elsewhere));
      await w.remove(widget, 'a', { propagationPolicy });
      await w.seconds(5);
      expect(await w.get(widget, 'a')).toBeUndefined();
      expect((await w.store.get('configmaps', key))?.metadata.ownerReferences).toEqual([owner]);
    }
  });

  it('unblocks a foreground deletion when a dependent stops blocking it', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    const held = { finalizers: ['toys.example/x'] };
    await w.create(owned(part, 'p', [ownedBy(a, { blockOwnerDeletion: true })], held));
    await w.remove(widget, 'a', { propagationPolicy: 'Foreground' });
    await w.seconds(5);
    expect(await w.get(widget, 'a')).toBeDefined();
    await w.update(part, 'p', (o) => ({ ...o, metadata: { ...o.metadata, ownerReferences: [ownedBy(a)] } }));
    await w.seconds(5);
    expect(await w.get(widget, 'a')).toBeUndefined();
    expect((await w.get(part, 'p'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('deletes a whole tree in the foreground, leaves first', async () => {
    const w = await world();
    const blocking = { blockOwnerDeletion: true };
    const a = await w.create(make(widget, 'a'));
    const b = await w.create(owned(part, 'b', [ownedBy(a, blocking)]));
    await w.create(owned(configMap, 'c', [ownedBy(b, blocking)]));
    await w.remove(widget, 'a', { propagationPolicy: 'Foreground' });
    await w.seconds(10);
    const deleted = w.entries.filter(({ event }) => event === 'DELETED').map(({ name }) => name);
    expect(deleted).toEqual(['c', 'b', 'a']);
  });

  it.each([
    { rule: 'two', length: 2 },
    { rule: 'three', length: 3 },
  ])('deletes $rule that own each other in a cycle, although each blocks the next', async ({ length }) => {
    const w = await world();
    const blocking = { blockOwnerDeletion: true };
    const first = await w.create(make(part, 'p0'));
    let last = first;
    for (let index = 1; index < length; index++)
      last = await w.create(owned(part, `p${index}`, [ownedBy(last, blocking)]));
    await w.update(part, 'p0', (o) => ({
      ...o,
      metadata: { ...o.metadata, ownerReferences: [ownedBy(last, blocking)] },
    }));
    await w.seconds(5);
    await w.remove(part, 'p0', { propagationPolicy: 'Foreground' });
    await w.seconds(30);
    expect(await names(w, 'parts.toys.example')).toEqual([]);
  });

  it('removes the reference to a deleted owner from orphans', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    const b = await w.create(make(widget, 'b'));
    await w.create(owned(part, 'alone', [ownedBy(a)]));
    await w.create(owned(part, 'shared', [ownedBy(a), ownedBy(b)]));
    await w.remove(widget, 'a', { propagationPolicy: 'Orphan' });
    await w.seconds(5);
    expect(await w.get(widget, 'a')).toBeUndefined();
    const parts = (await w.store.list('parts.toys.example')).objects;
    expect(parts.map(({ metadata }) => [metadata.name, metadata.ownerReferences])).toEqual([
      ['alone', undefined],
      ['shared', [ownedBy(b)]],
    ]);
  });

  it('turns a running deletion into a foreground deletion', async () => {
    const w = await world();
    const a = await w.create(
      make(widget, 'a', { metadata: { name: 'a', namespace: 'default', finalizers: ['toys.example/x'] } }),
    );
    await w.create(owned(part, 'p', [ownedBy(a, { blockOwnerDeletion: true })]));
    await w.remove(widget, 'a');
    await w.seconds(5);
    expect(await w.get(part, 'p')).toBeDefined();
    await w.remove(widget, 'a', { propagationPolicy: 'Foreground' });
    await w.seconds(5);
    expect(await w.get(part, 'p')).toBeUndefined();
    expect((await w.get(widget, 'a'))?.metadata.finalizers).toEqual(['toys.example/x']);
  });

  it('skips an object whose owner references did not change', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    await w.create(owned(part, 'p', [ownedBy(a)]));
    await w.seconds(5);
    const before = looksOf(w).length;
    await w.update(part, 'p', (o) => ({ ...o, metadata: { ...o.metadata, annotations: { x: 'y' } } }));
    await w.seconds(5);
    expect(looksOf(w)).toHaveLength(before);
    await w.update(part, 'p', (o) => ({ ...o, metadata: { ...o.metadata, ownerReferences: [ghost()] } }));
    await w.seconds(5);
    expect(await w.get(part, 'p')).toBeUndefined();
  });

  it('runs no pass for an object whose owners exist, nor for a deleted one without dependents or waiting owners', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    await w.create(owned(part, 'p', [ownedBy(a)]));
    await w.seconds(5);
    await w.remove(part, 'p');
    await w.remove(widget, 'a');
    await w.seconds(5);
    expect(looksOf(w)).toEqual([]);
  });

  it('collects all dependents of an owner in one pass', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    for (const name of ['p', 'q', 'r']) await w.create(owned(part, name, [ownedBy(a)]));
    await w.remove(widget, 'a');
    await w.seconds(5);
    expect(await names(w, 'parts.toys.example')).toEqual([]);
    expect(looksOf(w)).toEqual([a.metadata.uid]);
  });

  it('ignores Events', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    await w.create(owned({ ...configMap, kind: 'Event' } as typeof part, 'e', [ownedBy(a), ghost()]));
    await w.seconds(5);
    expect(looksOf(w)).toEqual([]);
  });

  it('leaves no work item behind', async () => {
    const w = await world();
    const b = await w.create(make(widget, 'b'));
    await w.create(owned(part, 'p', [ghost(), ownedBy(b)]));
    await w.seconds(5);
    expect(looksOf(w)).toEqual(['p']);
    const key = { controller: 'garbage-collector', type: 'parts.toys.example', namespace: 'default', name: 'p' };
    expect(await w.work.get(key)).toBeUndefined();
  });
});

describe('an object that cannot be read', () => {
  it('does not keep the other dependents of its owner', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    for (const name of ['b', 'c', 'd']) await w.create(owned(configMap, name, [ownedBy(a)]));
    await w.seconds(1);
    await w.damage(configMap, 'b');
    await w.remove(widget, 'a');
    await w.seconds(60);
    await expect(w.get(configMap, 'b')).rejects.toThrow('cannot be read');
    for (const name of ['c', 'd']) expect(await w.get(configMap, name)).toBeUndefined();
  });

  it('keeps what it may own', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    await w.create(owned(configMap, 'b', [ownedBy(a)]));
    await w.seconds(1);
    await w.damage(widget, 'a');
    await w.worker.resync();
    await w.update(configMap, 'b', (object) => ({ ...object, data: { changed: 'yes' } }));
    await w.seconds(3600);
    expect(await w.get(configMap, 'b')).toBeDefined();
  });

  it('blocks its owner in foreground deletion, while the other dependents go', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    for (const name of ['b', 'c']) await w.create(owned(configMap, name, [ownedBy(a, { blockOwnerDeletion: true })]));
    await w.seconds(1);
    await w.damage(configMap, 'b');
    await w.remove(widget, 'a', { propagationPolicy: 'Foreground' });
    await w.seconds(60);
    expect(await w.get(configMap, 'c')).toBeUndefined();
    expect((await w.get(widget, 'a'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('keeps an owner that orphans its dependents, and the others are orphaned', async () => {
    const w = await world();
    const a = await w.create(make(widget, 'a'));
    for (const name of ['b', 'c']) await w.create(owned(configMap, name, [ownedBy(a)]));
    await w.seconds(1);
    await w.damage(configMap, 'b');
    await w.remove(widget, 'a', { propagationPolicy: 'Orphan' });
    await w.seconds(60);
    expect((await w.get(configMap, 'c'))?.metadata.ownerReferences).toBeUndefined();
    expect((await w.get(widget, 'a'))?.metadata.deletionTimestamp).toBeDefined();
  });

  it('is named by the namespace in deletion that it keeps, while the other content goes', async () => {
    const w = await world();
    await w.create(make(namespace, 'doomed'));
    for (const name of ['b', 'c']) await w.create(make(configMap, name, { metadata: { name, namespace: 'doomed' } }));
    await w.damage(configMap, 'b', 'doomed');
    await w.remove(namespace, 'doomed');
    await w.seconds(60);
    expect(await w.get(configMap, 'c', 'doomed')).toBeUndefined();
    const { status } = (await w.get<KubeObject<unknown, { conditions: object[] }>>(namespace, 'doomed'))!;
    expect(status!.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceDeletionContentFailure',
        status: 'True',
        message: expect.stringContaining('configmaps "doomed/b" cannot be read'),
      }),
    );
    expect(status!.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceContentRemaining',
        message: 'Some resources are remaining: configmaps. has 1 resource instances',
      }),
    );
  });
});

describe('the ServiceAccount of a namespace', () => {
  const accountOf = async (w: World) => (await w.get(serviceAccount, 'default', 'team'))?.metadata.uid;

  it('is created with the namespace and after its own deletion, and deleted with the namespace', async () => {
    const w = await world([...toyKinds, serviceAccount]);
    await w.create(make(namespace, 'team'));
    await w.seconds(2);
    const first = await accountOf(w);
    expect(first).toBeDefined();
    await w.remove(serviceAccount, 'default', {}, 'team');
    await w.seconds(5);
    expect([undefined, first]).not.toContain(await accountOf(w));
    await w.remove(namespace, 'team');
    await w.seconds(10);
    expect(await accountOf(w)).toBeUndefined();
    expect(await w.get(namespace, 'team')).toBeUndefined();
  });

  it('is requested by a resync where an older version left a namespace without one', async () => {
    const w = await createWorld({ kinds: [...toyKinds, serviceAccount] });
    for (const name of ['with', 'without']) await w.create(make(namespace, name));
    await w.create(make(serviceAccount, 'default', { metadata: { name: 'default', namespace: 'with' } }));
    const { runners } = createHousekeeping({ ...w, log, skipped, quotas, first: [] });
    const { requests } = await runners.namespace!.resync!();
    expect(requests.map(({ key }) => key.name)).toEqual(['default', 'without']);
  });
});

describe('the certificates of the API server', () => {
  const key = 'kube-root-ca.crt';
  const given = { rootCertificates: () => 'PEM' };
  const dataOf = async (w: World) => (await w.get<KubeObject & { data: unknown }>(configMap, key, 'team'))?.data;

  it('are a ConfigMap of each namespace, put back when a client deletes or changes it', async () => {
    const w = await world(toyKinds, given);
    await w.create(make(namespace, 'team'));
    await w.seconds(2);
    expect(await dataOf(w)).toEqual({ 'ca.crt': 'PEM' });
    await w.remove(configMap, key, {}, 'team');
    expect(await dataOf(w)).toBeUndefined();
    await w.seconds(5);
    expect(await dataOf(w)).toEqual({ 'ca.crt': 'PEM' });
    await w.update(configMap, key, (one) => ({ ...one, data: { 'ca.crt': 'other' } }) as never, 'team');
    await w.seconds(5);
    expect(await dataOf(w)).toEqual({ 'ca.crt': 'PEM' });
    await w.remove(namespace, 'team');
    await w.seconds(10);
    expect(await w.get(namespace, 'team')).toBeUndefined();
    expect(await dataOf(w)).toBeUndefined();
  });

  it('are requested by a resync where an older version left a namespace without them', async () => {
    const w = await createWorld({ kinds: toyKinds });
    for (const name of ['with', 'without']) await w.create(make(namespace, name));
    await w.create(make(configMap, key, { metadata: { name: key, namespace: 'with' } }));
    const { runners } = createHousekeeping({ ...w, log, skipped, quotas, first: [], ...given });
    const { requests } = await runners.namespace!.resync!();
    expect(requests.map(({ key: { name } }) => name)).toContain('without');
  });

  it('are absent where the authority is not known', async () => {
    const w = await world();
    await w.create(make(namespace, 'team'));
    await w.seconds(2);
    expect(await dataOf(w)).toBeUndefined();
  });
});

describe('deleting a namespace', () => {
  const inside = (of: typeof part, name: string, finalizers?: string[]) =>
    make(of, name, { metadata: { name, namespace: 'doomed', ...(finalizers && { finalizers }) } });

  it('deletes Clusters first, then everything else, then the namespace', async () => {
    const w = await world();
    await w.create(make(namespace, 'doomed'));
    await w.create(inside(cluster, 'c', ['toys.example/x']));
    await w.create(inside(configMap, 'm'));
    await w.create(inside(part, 'p'));
    await w.create(make(configMap, 'safe'));
    await w.remove(namespace, 'doomed');
    await w.seconds(5);
    const terminating = await w.get<KubeObject<unknown, { phase: string; conditions: object[] }>>(namespace, 'doomed');
    expect(terminating?.status?.phase).toBe('Terminating');
    expect(terminating?.status?.conditions).toMatchObject([
      { type: 'NamespaceDeletionDiscoveryFailure', status: 'False' },
      { type: 'NamespaceDeletionGroupVersionParsingFailure', status: 'False' },
      { type: 'NamespaceDeletionContentFailure', status: 'False' },
      {
        type: 'NamespaceContentRemaining',
        status: 'True',
        message:
          'Some resources are remaining: clusters.cluster.x-k8s.io has 1 resource instances, configmaps. has 1 resource instances, parts.toys.example has 1 resource instances',
      },
      {
        type: 'NamespaceFinalizersRemaining',
        status: 'True',
        message: 'Some content in the namespace has finalizers remaining: toys.example/x in 1 resource instances',
      },
    ]);
    expect((await w.get(configMap, 'm', 'doomed'))?.metadata.deletionTimestamp).toBeUndefined();
    await expect(w.create(inside(configMap, 'late'))).rejects.toMatchObject({ code: 403 });

    await w.update(cluster, 'c', (o) => ({ ...o, metadata: { ...o.metadata, finalizers: [] } }), 'doomed');
    await w.seconds(5);
    expect(await w.get(namespace, 'doomed')).toBeUndefined();
    expect(await names(w, 'configmaps')).toEqual(['safe']);
    await expect(w.create(inside(configMap, 'late'))).rejects.toMatchObject({ code: 404 });
  });

  it('waits for other finalizers on the namespace', async () => {
    const w = await world();
    await w.create(make(namespace, 'doomed', { metadata: { name: 'doomed', finalizers: ['toys.example/x'] } }));
    await w.create(inside(part, 'p'));
    await w.remove(namespace, 'doomed');
    await w.seconds(5);
    expect(await names(w, 'parts.toys.example')).toEqual([]);
    expect((await w.get(namespace, 'doomed'))?.spec).toEqual({ finalizers: [] });
    await w.update(namespace, 'doomed', (o) => ({ ...o, metadata: { ...o.metadata, finalizers: [] } }));
    await w.seconds(1);
    expect(await w.get(namespace, 'doomed')).toBeUndefined();
  });
});
