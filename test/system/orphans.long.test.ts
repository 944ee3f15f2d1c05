import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { createWorld, type Kind, type Moment, type World } from './world.ts';

let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const status = () => world.find('Installation', 'capstan')?.status;
const events = async () => {
  const { body } = await world.request('GET', '/api/v1/namespaces/default/events');
  const items = (body as unknown as { items: { reason: string; count: number; involvedObject: { kind: string } }[] })
    .items;
  return items.filter(({ involvedObject }) => involvedObject.kind === 'Installation');
};
const forget = async (kind: Kind, name: string) => {
  await world.remove(kind, name);
  await world.patch(kind, name, { metadata: { finalizers: null } });
};

describe('an installation', () => {
  it('calls AWS never while nothing was created', async () => {
    world = await createWorld();
    await world.pass(24 * 60);
    expect(world.calls()).toEqual({});
    expect(status()).toEqual({ id: 'here', lastTransitionTime: expect.any(String), orphanCount: 0 });
  });

  it('stops calling AWS when the last cluster is gone', async () => {
    world = await createWorld({ from: quickstart, seed: 2 });
    await world.remove('Cluster', 'quickstart');
    await world.until('gone', () => world.all('Cluster').length === 0, 60);
    await world.pass(30);
    const calls = world.calls();
    await world.pass(50);
    // The hourly resync may call once, too.
    expect((world.calls().GetResources ?? 0) - (calls.GetResources ?? 0)).toBeLessThanOrEqual(1);
    expect(status()).toMatchObject({ orphanCount: 0 });
  });

  it('reports no missing owner while clusters are created, scaled and deleted', async () => {
    world = await createWorld({ seed: 3 });
    let most = 0;
    world.onCommit(() => {
      most = Math.max(most, status()?.orphanCount ?? 0);
    });
    for (const object of example('quickstart.yaml')) await world.apply(object);
    await world.pass(30);
    await world.scale('MachineDeployment', 'quickstart-workers', 4);
    await world.pass(30);
    await world.scale('MachineDeployment', 'quickstart-workers', 1);
    await world.pass(30);
    await world.remove('Cluster', 'quickstart');
    await world.until('gone', () => world.live().length === 0, 60);
    expect(most).toBe(0);
    expect(await events()).toEqual([]);
  });
});

describe('an orphan', () => {
  it('is reported once two sweeps have seen it, and left alone', async () => {
    world = await createWorld({ from: quickstart, seed: 4 });
    const [worker] = world.all('AWSMachine').filter(({ metadata }) => metadata.name.includes('workers'));
    const { name, uid } = worker!.metadata;
    const instance = worker!.spec?.instanceID;
    await world.patch('Cluster', 'quickstart', { spec: { paused: true } });
    await world.pass(1);
    await forget('AWSMachine', name);
    await world.pass(9);
    expect(status()?.orphanCount).toBe(0);
    await world.pass(20);
    expect(status()?.orphans).toContainEqual(
      expect.objectContaining({ type: 'instance', id: instance, machineUid: uid, name, region: 'eu-central-1' }),
    );
    expect(await events()).toMatchObject([{ reason: 'OrphansFound', count: 1 }]);
    const before = world.find('Installation', 'capstan')?.metadata.resourceVersion;
    await world.pass(180);
    expect(world.find('Installation', 'capstan')?.metadata.resourceVersion).toBe(before);
    expect(world.live('instance').map(({ id }) => id)).toContain(instance);

    // A user deletes it.
    world.system.account.terminate(instance!);
    await world.until('nothing to report', () => status()?.orphanCount === 0, 30);
    expect(await events()).toMatchObject([{ reason: 'NoOrphans' }]);
  });

  it('is every resource of a cluster whose objects were removed', async () => {
    world = await createWorld({ from: quickstart, seed: 5 });
    const tagged = world.live().filter(({ tags }) => Object.keys(tags).length > 0);
    const { uid } = world.find('Cluster', 'quickstart')!.metadata;
    await world.patch('Cluster', 'quickstart', { spec: { paused: true } });
    await world.pass(1);
    for (const kind of [
      'AWSMachine',
      'AWSCluster',
      'Machine',
      'MachineSet',
      'MachineDeployment',
      'KubeadmControlPlane',
      'Cluster',
    ] as const)
      for (const { metadata } of world.all(kind)) await forget(kind, metadata.name);
    await world.pass(60);
    expect(status()).toMatchObject({ orphanCount: tagged.length, missing: [{ uid }], regions: ['eu-central-1'] });
    expect(
      status()
        ?.orphans?.map(({ type, id }) => [type, id])
        .sort(),
    ).toEqual(tagged.map(({ type, id }) => [type, id]).sort());
  });
});
