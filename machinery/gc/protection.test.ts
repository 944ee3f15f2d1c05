import { describe, expect, it } from 'vitest';
import { cluster, configMap, make, namespace, ownedBy, part, toyKinds } from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { Condition, KubeObject } from '../api/object.ts';
import { createHousekeeping } from './index.ts';
import { collectorName, goneOwners } from './requests.ts';

const refuseDelete = ({ metadata }: KubeObject) => (metadata.annotations?.keep ? 'keep it' : undefined);
const kinds = toyKinds.map((kind) => (kind === part || kind === cluster ? { ...kind, refuseDelete } : kind));
const log = { info: () => {}, error: () => {} };
const skipped = { report: async () => {} };
const quotas = { now: async () => new Map() };
const world = () =>
  createWorld({
    kinds,
    more: (parts) => createHousekeeping({ ...parts, log, skipped, quotas, first: ['clusters.cluster.x-k8s.io'] }),
  });

const keep = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { keep: 'yes' } },
});
const release = ({ metadata: { annotations: _, ...metadata }, ...rest }: KubeObject) =>
  ({ ...rest, metadata }) as KubeObject;

describe('an object that must not be deleted', () => {
  it('outlives its owner until it may be deleted', async () => {
    const w = await world();
    const owner = await w.create(make(configMap, 'owner'));
    const owned = { metadata: { name: 'p', namespace: 'default', ownerReferences: [ownedBy(owner)] } };
    await w.create(keep(make(part, 'p', owned)));
    await w.seconds(1);
    await w.remove(configMap, 'owner');
    await w.seconds(60);
    expect((await w.get(part, 'p'))?.metadata.deletionTimestamp).toBeUndefined();
    // No retry happens before a change.
    const item = { controller: collectorName, type: 'parts.toys.example', namespace: 'default', name: 'p' };
    const ofOwner = { controller: collectorName, type: goneOwners, namespace: '', name: owner.metadata.uid! };
    for (const one of [item, ofOwner]) expect(await w.work.get(one)).toBeUndefined();
    await w.update(part, 'p', release);
    await w.seconds(5);
    expect(await w.get(part, 'p')).toBeUndefined();
  });

  it('blocks the foreground deletion of its owner', async () => {
    const w = await world();
    const owner = await w.create(make(configMap, 'owner'));
    const ownerReferences = [ownedBy(owner, { blockOwnerDeletion: true })];
    await w.create(keep(make(part, 'p', { metadata: { name: 'p', namespace: 'default', ownerReferences } })));
    await w.remove(configMap, 'owner', { propagationPolicy: 'Foreground' });
    await w.seconds(60);
    expect(await w.get(configMap, 'owner')).toBeDefined();
    await w.update(part, 'p', release);
    await w.seconds(5);
    expect(await w.get(part, 'p')).toBeUndefined();
    expect(await w.get(configMap, 'owner')).toBeUndefined();
  });

  it('blocks a terminating namespace and the rest of its content', async () => {
    const w = await world();
    const inside = (of: typeof part, name: string) => make(of, name, { metadata: { name, namespace: 'doomed' } });
    await w.create(make(namespace, 'doomed'));
    await w.create(keep(inside(cluster, 'kept')));
    await w.create(inside(cluster, 'free'));
    await w.create(inside(configMap, 'm'));
    await w.remove(namespace, 'doomed');
    await w.seconds(60);
    expect((await w.get(cluster, 'kept', 'doomed'))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await w.get(cluster, 'free', 'doomed')).toBeUndefined();
    expect(await w.get(configMap, 'm', 'doomed')).toBeDefined();
    const terminating = await w.get<KubeObject<unknown, { conditions: Condition[] }>>(namespace, 'doomed');
    expect(terminating?.status?.conditions.filter(({ status }) => status === 'True')).toMatchObject([
      {
        type: 'NamespaceDeletionContentFailure',
        message: expect.stringContaining('clusters.cluster.x-k8s.io "kept" is forbidden: keep it'),
      },
      {
        type: 'NamespaceContentRemaining',
        message: expect.stringContaining('clusters.cluster.x-k8s.io has 1 resource instances'),
      },
    ]);
    await w.update(cluster, 'kept', release, 'doomed');
    await w.seconds(60);
    expect(await w.get(namespace, 'doomed')).toBeUndefined();
  });
});
