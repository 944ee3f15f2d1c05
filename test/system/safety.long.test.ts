import { afterEach, describe, expect, it } from 'vitest';
import { expectWhole, isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

let world: World;
afterEach(() => world.end());

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
