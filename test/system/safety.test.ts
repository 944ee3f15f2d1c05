import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settledMoment } from './moments.ts';
import { createWorld, type Kind, type Moment, type World } from './world.ts';

let world: World;
let quickstart: Moment;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => world.end());

const destructive = () =>
  Object.keys(world.calls(true)).filter((action) =>
    /^(Delete|Terminate|Release|Detach|Deregister|Revoke)/.test(action),
  );

describe('losing sight of a living cluster destroys nothing', () => {
  it('when the objects are gone', async () => {
    world = await createWorld({ from: { ...quickstart, objects: { tables: {}, records: {} } }, seed: 2 });
    await world.pass(24 * 60);
    expect(destructive()).toEqual([]);
    expect(world.live('instance')).toHaveLength(3);
  });

  it('when a user removes finalizers', async () => {
    world = await createWorld({ from: quickstart, seed: 3 });
    const had = world.live().length;
    const kinds: Kind[] = [
      'Cluster',
      'AWSCluster',
      'KubeadmControlPlane',
      'MachineDeployment',
      'MachineSet',
      'Machine',
      'AWSMachine',
    ];
    // No controller acts on a paused cluster, so all objects are removed before one could.
    await world.patch('Cluster', 'quickstart', { spec: { paused: true } });
    await world.pass(1);
    for (const kind of kinds)
      for (const { metadata } of world.all(kind)) {
        await world.remove(kind, metadata.name);
        await world.patch(kind, metadata.name, { metadata: { finalizers: null } });
      }
    await world.pass(24 * 60);
    for (const kind of kinds) expect(world.all(kind), kind).toEqual([]);
    expect(destructive()).toEqual([]);
    expect(world.live()).toHaveLength(had);
  });
});
