import { describe, expect, it } from 'vitest';
import type { DeletedSnapshot } from '../../kinds/ports/snapshots.ts';
import { deletedFor } from '../../machinery/object-storage.ts';
import { etcdDatabase } from '../../simulation/workload/database/etcd.ts';
import { snapshotLines } from '../../simulation/workload/database/stream.ts';
import { memoryObjects } from '../memory/object-storage.ts';
import { accessFixture } from './access.fixture.ts';
import { onceOf } from './files.ts';
import { createSnapshots } from './index.ts';
import { memoryScratch } from './scratch.ts';

const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'map' } };
const day = 24 * 3600 * 1000;

const open = () => {
  let now = 0;
  const storage = memoryObjects({ now: () => now });
  const snapshots = createSnapshots({
    transport: {
      etcdStream: async () => snapshotLines(etcdDatabase({ objects: [['configmaps', map]], revision: 50 }), '3.6.0'),
    },
    storage,
    keyStorage: memoryObjects({ now: () => now }),
    linkTo: async () => '',
    toScratch: memoryScratch,
    clock: { now: () => now },
  });
  const manifestOf = (cluster: string, namespace = 'default') => ({
    cluster: { namespace, name: cluster, uid: `uid-of-${cluster}-in-${namespace}` },
    snapshot: { name: 'nightly', uid: 'abc' },
    startedAt: '2026-11-27T05:00:00Z',
    member: 'node-b',
    etcdVersion: '3.6.6',
    kubernetesVersion: 'v1.35.0',
    revision: 40,
  });
  const locationOf = (cluster: string, id: string, namespace = 'default') =>
    `here/uid-of-${cluster}-in-${namespace}/${id}.db`;
  const lose = async (cluster: string, id: string, namespace?: string) => {
    const location = locationOf(cluster, id, namespace);
    await snapshots.take({ ...accessFixture, location, manifest: manifestOf(cluster, namespace) });
    await snapshots.delete({ location });
    now += day;
    return location;
  };
  return {
    ...snapshots,
    storage,
    lose,
    manifestOf,
    sleep: (ms: number) => {
      now += ms;
    },
  };
};
const here = { installation: 'here', namespace: 'default', most: 100 };

describe('deleted snapshots', () => {
  it('are those of the namespace and of the cluster, the last deleted first, with their end', async () => {
    const { listDeleted, lose, storage } = open();
    await lose('a', '1');
    await lose('b', '2');
    await lose('c', '3', 'other');
    await lose('a', '4');
    // Never complete.
    await storage.put('here/uid-of-a-in-default/5.db', (async function* () {})());
    await storage.delete('here/uid-of-a-in-default/5.db');
    const list = async (more = {}) => (await listDeleted({ ...here, ...more })).snapshots.map((one) => one.location);
    expect(await list()).toEqual(
      ['a-in-default/4', 'b-in-default/2', 'a-in-default/1'].map((one) => `here/uid-of-${one}.db`),
    );
    expect(await list({ cluster: 'b' })).toEqual(['here/uid-of-b-in-default/2.db']);
    expect(await list({ installation: 'elsewhere' })).toEqual([]);
    const { snapshots, omitted } = await listDeleted({ ...here, most: 1 });
    expect([snapshots.length, omitted]).toEqual([1, 2]);
    expect(snapshots[0]).toMatchObject({
      manifest: { cluster: { name: 'a' }, snapshot: { name: 'nightly' } },
      deletedAt: 3 * day,
      keptUntil: 3 * day + deletedFor,
    });
  });

  it('can be brought back under another key, and are then valid', async () => {
    const { getDeleted, recover, check, lose } = open();
    const from = await lose('a', '1');
    const { manifest } = (await getDeleted({ location: from })) as DeletedSnapshot;
    const location = 'here/uid-of-a-in-default/back.db';
    await recover({ from, location, manifest });
    expect(await check({ location })).toMatchObject({ revision: 50, stored: { checksum: manifest.checksum } });
    expect((await check({ location }))?.fault).toBeUndefined();
  });

  it('hide no others if a manifest is damaged, and say so of that one', async () => {
    const { getDeleted, listDeleted, lose, storage } = open();
    const good = [await lose('a', '1'), await lose('b', '2')];
    const bad = await lose('a', '3');
    const key = bad.replace('.db', '.json');
    await storage.put(key, onceOf('{'));
    await storage.delete(key);
    expect((await listDeleted(here)).snapshots.map(({ location }) => location).sort()).toEqual(good);
    expect(await getDeleted({ location: bad })).toEqual({
      location: bad,
      fault: 'the manifest of the snapshot is no JSON',
    });
  });

  it('are gone after thirty days', async () => {
    const { getDeleted, recover, listDeleted, lose, sleep } = open();
    const from = await lose('a', '1');
    const { manifest } = (await getDeleted({ location: from })) as DeletedSnapshot;
    sleep(deletedFor);
    expect((await listDeleted(here)).snapshots).toEqual([]);
    await expect(recover({ from, location: 'here/uid/back.db', manifest })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('are not those that are there', async () => {
    const { getDeleted, take, manifestOf } = open();
    const location = 'here/uid-of-a-in-default/1.db';
    await take({ ...accessFixture, location, manifest: manifestOf('a') });
    expect(await getDeleted({ location })).toBeUndefined();
  });
});
