import { describe, expect, it } from 'vitest';
import type { DeletedSnapshot } from '../../kinds/ports/snapshots.ts';
import { etcdDatabase } from '../../simulation/workload/database/etcd.ts';
import { snapshotLines } from '../../simulation/workload/database/stream.ts';
import { systemClock } from '../memory/clock.ts';
import { memoryKeys } from '../memory/keys.ts';
import { memoryObjects } from '../memory/object-storage.ts';
import { systemRandom } from '../memory/random.ts';
import { accessFixture } from './access.fixture.ts';
import { onceOf, textOf } from './files.ts';
import { createSnapshots } from './index.ts';
import { memoryScratch } from './scratch.ts';
import { sealedStorage } from './sealed.ts';

const location = 'here/uid/20261130T000000Z-40-abc.db';
const keysKey = 'here/uid/20261130T000000Z-40-abc.keys';
const manifest = {
  cluster: { namespace: 'default', name: 'demo', uid: 'uid' },
  snapshot: { name: 'nightly', uid: 'abc' },
  startedAt: '2026-11-30T00:00:00Z',
  member: 'node-b',
  etcdVersion: '3.6.6',
  kubernetesVersion: 'v1.35.0',
  revision: 40,
  secrets: ['demo-ca'],
};
const secrets = [{ name: 'demo-ca', type: 'cluster.x-k8s.io/secret', data: { 'tls.key': 'dG9wIHNlY3JldA==' } }];

/** One bucket or folder, as everywhere, with two keys. */
const open = () => {
  const bucket = memoryObjects(systemClock);
  const [ofObjects, ofKeys] = [1, 2].map(() => memoryKeys(systemRandom)) as [
    ReturnType<typeof memoryKeys>,
    ReturnType<typeof memoryKeys>,
  ];
  const files = sealedStorage(bucket, ofObjects);
  const snapshots = createSnapshots({
    transport: { etcdStream: async () => snapshotLines(etcdDatabase({ objects: [], revision: 50 }), '3.6.0') },
    storage: files,
    keyStorage: sealedStorage(bucket, ofKeys),
    linkTo: async () => '',
    toScratch: memoryScratch,
    clock: systemClock,
  });
  const take = (kept = secrets) => snapshots.take({ ...accessFixture, location, manifest, secrets: kept });
  return { ...snapshots, bucket, files, takeWith: take };
};
const asked = { location, namespace: 'default' };

describe('the keys beside a snapshot', () => {
  it('are kept with it, and given to its namespace only', async () => {
    const { takeWith, keys, check } = open();
    await takeWith();
    expect((await check({ location }))?.stored.secrets).toEqual(['demo-ca']);
    expect(await keys(asked)).toEqual({ secrets });
    expect(await keys({ ...asked, namespace: 'other' })).toBeUndefined();
  });

  it('cannot be read in the storage, nor with the key of snapshots', async () => {
    const { takeWith, bucket, files } = open();
    await takeWith();
    expect(await textOf((await bucket.get(keysKey))!)).not.toContain('dG9wIHNlY3JldA');
    await expect((async () => textOf((await files.get(keysKey))!))()).rejects.toThrow();
  });

  it('are in no snapshot file', async () => {
    const { takeWith, files } = open();
    await takeWith();
    for (const key of [location, location.replace('.db', '.json')])
      expect(await textOf((await files.get(key))!)).not.toContain('dG9wIHNlY3JldA');
  });

  it('go with it, and come back with it', async () => {
    const { takeWith, keys, bucket, getDeleted, recover, ...snapshots } = open();
    await takeWith();
    await snapshots.delete({ location });
    expect(bucket.keys()).toEqual([]);
    expect(await keys(asked)).toBeUndefined();
    const back = 'here/uid/back.db';
    await recover({
      from: location,
      location: back,
      manifest: ((await getDeleted({ location })) as DeletedSnapshot).manifest,
    });
    expect(await keys({ ...asked, location: back })).toEqual({ secrets });
  });

  it('are left out when they are damaged, and the file comes back without them', async () => {
    const { takeWith, keys, bucket, check, getDeleted, recover, ...snapshots } = open();
    await takeWith();
    await bucket.delete(keysKey);
    await bucket.put(keysKey, onceOf('x'.repeat(40_000)));
    expect(await keys(asked)).toMatchObject({ fault: expect.stringContaining('does not decrypt') });
    await snapshots.delete({ location });
    const back = 'here/uid/back.db';
    const { manifest } = (await getDeleted({ location })) as DeletedSnapshot;
    await recover({ from: location, location: back, manifest });
    expect(await keys({ ...asked, location: back })).toBeUndefined();
    const result = await check({ location: back });
    expect(result?.stored).toMatchObject({ checksum: manifest.checksum });
    expect(result?.stored.secrets).toBeUndefined();
  });

  it('are those of the last attempt, and none where there were none', async () => {
    const { takeWith, keys } = open();
    await takeWith();
    await takeWith([]);
    expect(await keys(asked)).toBeUndefined();
  });
});
