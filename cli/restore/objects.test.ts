import { beforeEach, describe, expect, it } from 'vitest';
import { storedKey } from '../../adapters/installation/hold.ts';
import { openPosition } from '../../adapters/installation/index.ts';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { memoryNotifier } from '../../adapters/memory/notifier.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import type { Mark } from '../../kinds/ports/installation.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { kindsOf } from '../../machinery/controller/kinds.ts';
import type { Item } from '../../machinery/ports.ts';
import { type LogEntry, openStore } from '../../machinery/store/index.ts';
import { damage } from '../../test/damage.ts';
import { applyDifference, type Difference, differencesBetween, setPositionBack } from './objects.ts';

const clusters = 'clusters.cluster.x-k8s.io';
const secrets = 'secrets';
const kinds = kindsOf(kindsOnDemand);
const clock = virtualClock(Date.UTC(2026, 10, 26));
const random = seededRandom(1);
const keys = memoryKeys(random);

const open = (items: Iterable<Item> = []) => {
  const table = memoryTable({ clock, items });
  const entries: LogEntry[] = [];
  const store = openStore({
    table,
    clock,
    random,
    keys,
    kinds: kindsOnDemand,
    notifier: memoryNotifier(clock),
    onCommit: (entry) => entries.push(entry),
  });
  return { table, store, entries };
};
type Opened = ReturnType<typeof open>;
/** A restored table as point-in-time recovery creates it: every item, but no settings. */
const backUp = ({ table }: Opened) => open([...table.contents()].map(({ item }) => structuredClone(item)));

const object = (kind: string, name: string, more: object = {}, uid = `uid-of-${name}`): KubeObject => ({
  apiVersion: kind === 'Secret' ? 'v1' : 'cluster.x-k8s.io/v1beta2',
  kind,
  metadata: { namespace: 'default', name, uid },
  ...more,
});
const put = ({ store }: Opened, type: string, one: KubeObject) =>
  store.commit(type, { namespace: 'default', name: one.metadata.name }, () => ({ do: 'put', object: one }));
const remove = ({ store }: Opened, type: string, name: string) =>
  store.commit(type, { namespace: 'default', name }, (current) => ({ do: 'remove', object: current! }));

let live: Opened;
let restored: Opened;
const restore = async (options: { keepNewer?: boolean } = {}): Promise<Difference[]> => {
  const differences = await differencesBetween({ from: restored.store, to: live.store, kinds }, options);
  for (const difference of differences) await applyDifference(live.store, difference, clock.now());
  return differences;
};
const contents = async ({ store }: Opened) => {
  const all = [...(await store.list(clusters)).objects, ...(await store.list(secrets)).objects];
  return all.map(({ metadata: { resourceVersion, ...metadata }, ...rest }) => ({ ...rest, metadata }));
};

beforeEach(async () => {
  live = open();
  await put(live, clusters, object('Cluster', 'changed', { spec: { paused: false } }));
  await put(live, clusters, object('Cluster', 'deleted'));
  await put(live, clusters, object('Cluster', 'recreated'));
  await put(live, clusters, object('Cluster', 'untouched'));
  await put(live, secrets, object('Secret', 'credentials', { data: { value: 'c2VjcmV0' } }));
  restored = backUp(live);
  await clock.advance(3_600_000);
  await put(live, clusters, object('Cluster', 'changed', { spec: { paused: true } }));
  await remove(live, clusters, 'deleted');
  await remove(live, clusters, 'recreated');
  await put(live, clusters, object('Cluster', 'recreated', {}, 'another-uid'));
  await put(live, clusters, object('Cluster', 'newer'));
  await remove(live, secrets, 'credentials');
  live.entries.length = 0;
});

describe('a restore', () => {
  it('returns objects to their former state, Secrets and UIDs included', async () => {
    const differences = await restore();
    expect(Object.fromEntries(differences.map(({ key, do: what }) => [key.name, what]))).toEqual({
      changed: 'update',
      deleted: 'create',
      recreated: 'replace',
      credentials: 'create',
      newer: 'remove',
    });
    expect(await contents(live)).toEqual(await contents(restored));
  });

  it('keeps newer objects on request', async () => {
    await restore({ keepNewer: true });
    const names = (await live.store.list(clusters)).objects.map(({ metadata }) => metadata.name);
    expect(names).toEqual(['changed', 'deleted', 'newer', 'recreated', 'untouched']);
  });

  it('notes its time on operations that had not ended, and on nothing else', async () => {
    const operations = 'clusteroperations.capstan.dev';
    const operation = (name: string, phase: string) => ({
      ...object('ClusterOperation', name, { status: { phase } }),
      apiVersion: 'capstan.dev/v1alpha1',
    });
    await put(live, operations, operation('running', 'Running'));
    await put(live, operations, operation('ended', 'Succeeded'));
    restored = backUp(live);
    await put(live, operations, operation('running', 'Succeeded'));
    await remove(live, operations, 'ended');
    const noted = async () =>
      (await live.store.list(operations)).objects.map(
        ({ metadata }) => metadata.annotations?.['capstan.dev/restored-at'],
      );
    await restore();
    const first = new Date(clock.now()).toISOString();
    expect(await noted()).toEqual([undefined, first]);
    await clock.advance(1000);
    await restore();
    expect(await noted()).toEqual([undefined, first]);
    await put(live, operations, operation('running', 'Succeeded'));
    await restore();
    expect(await noted()).toEqual([undefined, new Date(clock.now()).toISOString()]);
  });

  it('writes nothing when it runs again', async () => {
    await restore();
    live.entries.length = 0;
    expect(await restore()).toEqual([]);
    expect(live.entries).toEqual([]);
  });

  it('writes changes in order, so that an open watch sees each of them and dispatch reads the log', async () => {
    const { position } = await live.store.list(clusters);
    await restore();
    const positions = live.entries.filter(({ type }) => type === clusters).map((entry) => entry.position);
    expect(Math.min(...positions)).toBeGreaterThan(position);
    const seen: string[] = [];
    const ended = new AbortController();
    const last = Math.max(...positions);
    for await (const item of live.store.watch(clusters, position, ended.signal)) {
      if (item.type !== 'BOOKMARK') seen.push(`${item.type} ${item.object.metadata.name}`);
      if (item.position >= last) break;
    }
    ended.abort();
    expect(seen).toEqual([
      'MODIFIED changed',
      'ADDED deleted',
      'DELETED recreated',
      'ADDED recreated',
      'DELETED newer',
    ]);
  });
});

describe('the position after a restore', () => {
  const positionOver = ({ table }: Opened, mark: Mark | undefined) => {
    const read = async () => mark;
    return openPosition({
      installation: 'here',
      table,
      marker: { read, furthest: read, write: async () => {} },
      isEmpty: async () => false,
      regionsHeld: async () => [],
      log: { info: () => {}, error: () => {} },
    });
  };

  it.each([
    { rule: 'freezes an installation that has acted since', stored: 3, now: 5, freeze: 'ObjectsOlder' },
    {
      rule: 'freezes an installation whose backup is older than its first act',
      stored: undefined,
      now: 5,
      freeze: 'ObjectsLost',
    },
    {
      rule: 'freezes an installation whose acts since then shared an advance',
      stored: 5,
      now: 5,
      freeze: 'ObjectsOlder',
    },
    { rule: 'freezes an installation after its first act', stored: 1, now: 1, freeze: 'ObjectsOlder' },
  ])('$rule', async ({ stored, now, freeze }) => {
    if (stored !== undefined)
      await restored.table.write({ put: { ...storedKey, n: stored, holder: 'gone', until: 1 } });
    await live.table.write({ put: { ...storedKey, n: now } });
    expect(await setPositionBack(restored.table, live.table)).toBe(true);
    expect((await live.table.get(storedKey, { consistent: true }))?.holder).toBeUndefined();
    const checked = await positionOver(live, { position: now, regions: [] }).check();
    expect(checked.freeze?.reason).toBe(freeze);
  });

  it('stays behind the mark when an interrupted restore is repeated', async () => {
    await restored.table.write({ put: { ...storedKey, n: 5 } });
    await live.table.write({ put: { ...storedKey, n: 5 } });
    for (const _ of ['interrupted', 'repeated']) await setPositionBack(restored.table, live.table);
    const checked = await positionOver(live, { position: 5, regions: [] }).check();
    expect(checked.freeze?.reason).toBe('ObjectsOlder');
  });

  it('freezes a new stack whose account has the mark of the one before', async () => {
    await restored.table.write({ put: { ...storedKey, n: 5 } });
    await setPositionBack(restored.table, live.table);
    const checked = await positionOver(live, { position: 5, regions: [] }).check();
    expect(checked.freeze?.reason).toBe('ObjectsOlder');
  });

  it('does not freeze an installation that has never acted', async () => {
    expect(await setPositionBack(restored.table, live.table)).toBe(false);
    expect((await positionOver(live, undefined).check()).freeze).toBeUndefined();
  });
});

describe('an object that cannot be read', () => {
  const damaged = { namespace: 'default', name: 'untouched' };

  it('is replaced by what it was', async () => {
    const before = (await live.store.get(clusters, damaged))!;
    await damage(live.table, clusters, damaged);
    const differences = await restore();
    expect(differences).toContainEqual(expect.objectContaining({ key: damaged, do: 'update' }));
    const { metadata, ...after } = (await live.store.get(clusters, damaged))!;
    expect({ ...after, name: metadata.name, uid: metadata.uid }).toMatchObject({
      kind: before.kind,
      name: 'untouched',
      uid: 'uid-of-untouched',
    });
  });

  it('in the restored table keeps its present state, and the others are restored', async () => {
    await damage(restored.table, clusters, damaged);
    const differences = await restore();
    expect(differences).toContainEqual(expect.objectContaining({ key: damaged, do: 'keep' }));
    expect(await live.store.get(clusters, damaged)).toBeDefined();
    expect((await live.store.get(clusters, { ...damaged, name: 'deleted' }))?.metadata.uid).toBe('uid-of-deleted');
  });

  it('in the restored table and without a present state is told from those that stay', async () => {
    const gone = { ...damaged, name: 'deleted' };
    await damage(restored.table, clusters, gone);
    const differences = await restore();
    expect(differences).toContainEqual(expect.objectContaining({ key: gone, do: 'lack' }));
    expect(await live.store.get(clusters, gone)).toBeUndefined();
  });
});
