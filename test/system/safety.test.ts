import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expectWhole, isSettled } from './checks.ts';
import { example } from './manifests.ts';
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

describe('an account without', () => {
  it.each([
    { what: 'instance-type', name: 't3.large', says: /t3\.large/ },
    { what: 'image', name: 'v1.35.0', says: /1\.35\.0-\* .* was not found in eu-central-1/ },
    {
      what: 'instance-profile',
      name: 'control-plane.cluster-api-provider-aws.sigs.k8s.io',
      says: /control-plane\.cluster-api/,
    },
  ] as const)('the $what reports that, and continues when it exists', async ({ what, name, says }) => {
    // With workflows the preflight would report this before a machine exists.
    world = await createWorld({ workflows: false });
    world.system.account.remove(what, name);
    for (const object of example('quickstart.yaml')) await world.apply(object);
    await world.pass(20);
    const [machine] = world.all('AWSMachine').filter(({ metadata }) => metadata.name.includes('control-plane'));
    const { name: at } = machine!.metadata;
    const failed = { status: 'False', reason: 'InstanceProvisionFailed' };
    expect(world.condition('AWSMachine', at, 'InstanceReady')).toMatchObject(failed);
    expect(world.condition('AWSMachine', at, 'InstanceReady')?.message).toMatch(says);
    expect(world.condition('Machine', at, 'InfrastructureReady')).toMatchObject(failed);
    expect(world.live('instance')).toEqual([]);
    world.system.account.restore(what, name);
    await world.until('settled', () => isSettled(world), 60);
    expectWhole(world);
  });
});

describe('two clusters of the same name in two namespaces', () => {
  it('are independent', async () => {
    world = await createWorld();
    const objects = example('three-control-planes.yaml').map((object) =>
      object.kind === 'KubeadmControlPlane' ? { ...object, spec: { ...(object.spec as object), replicas: 1 } } : object,
    );
    for (const name of ['one', 'two']) {
      await world.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      for (const { metadata, ...object } of objects)
        await world.apply({ ...object, metadata: { ...metadata, namespace: name } });
    }
    await world.until('both settled', () => world.all('Cluster').length === 2 && isSettled(world), 60);
    expectWhole(world);
    await world.remove('Cluster', 'production', 'one');
    await world.until('one is gone', () => world.all('Cluster').length === 1, 30);
    await world.pass(5);
    expect(isSettled(world)).toBe(true);
    expectWhole(world);
  });
});
