/**
 * A provider whose only description is the schemas of its kinds, with the contract's label: it
 * creates, upgrades and deletes a cluster as a client of the API.
 */
import { describe, expect, it } from 'vitest';
import { controllers } from '../../kinds/controllers.ts';
import { kinds } from '../../kinds/index.ts';
import type { KindDefinition } from '../../machinery/api/kind.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import { contracts, foreignManager } from './foreign-manager.ts';
import { toyKinds } from './kinds.ts';
import { hostsOf, isAvailable, manifest, startWorld, versions, type World } from './world.ts';

const labelled = (contract: keyof typeof contracts, of: readonly KindDefinition[] = toyKinds): KindDefinition[] =>
  of.map(({ role: _, ...kind }) => ({ ...kind, crdLabels: { [`cluster.x-k8s.io/${contract}`]: 'v1beta2' } }));
const catalogFor = (contract: keyof typeof contracts, before: readonly KindDefinition[] = []) => ({
  kinds: [...kinds, ...labelled(contract, [...before, ...toyKinds])],
  controllers,
});
/** Kinds of another group with the toys' names: a lookup by name alone returns these instead of the toys. */
const namesakes = toyKinds.map((kind) => ({ ...kind, group: `${kind.group}.example` }));

interface Report {
  phase?: string;
  message?: string;
}
const operation = async (world: World, name: string): Promise<Report | undefined> =>
  (await world.list('ClusterOperation')).find(({ metadata }) => metadata.name === name)?.status as Report | undefined;
const until = (world: World, name: string, phase: string) =>
  world.until(`${name} ${phase}`, async () => (await operation(world, name))?.phase === phase);

const upgrade = (world: World, version: string) => [
  world.patch('ToyControlPlane', 'toy-cp', { spec: { version } }),
  world.patch('MachineDeployment', 'workers', { spec: { template: { spec: { version } } } }),
];

const deleted = async (world: World): Promise<void> => {
  await world.remove('Cluster', 'toy');
  await world.until('gone', async () => (await world.list('Cluster')).length === 0);
  expect(world.cloud.hosts()).toEqual([]);
  for (const kind of ['Machine', 'MachineSet', 'MachineDeployment', 'ToyCluster', 'ToyMachine', 'ToyConfig'])
    expect(await world.list(kind), kind).toEqual([]);
  expect(world.errors).toEqual([]);
};

describe.each(['v1beta2', 'v1beta1'] as const)('a foreign provider of contract %s', (contract) => {
  it('creates, upgrades and deletes a cluster', async () => {
    const world = await startWorld(catalogFor(contract), foreignManager(contracts[contract]));
    await world.apply(manifest('v1.35.0'));
    await until(world, 'toy-create-1', 'Succeeded');
    expect(await isAvailable(world)).toBe(true);
    expect(versions(world)).toEqual(hostsOf('v1.35.0'));

    await Promise.all(upgrade(world, 'v1.36.0'));
    await until(world, 'toy-upgrade-1', 'Succeeded');
    expect(versions(world)).toEqual(hostsOf('v1.36.0'));

    await deleted(world);
    world.stop();
  });

  it('defines its kinds by CustomResourceDefinitions', async () => {
    const own = { kinds, controllers };
    const world = await startWorld(own, foreignManager(contracts[contract]), labelled(contract));
    await world.apply(manifest('v1.35.0'));
    await until(world, 'toy-create-1', 'Succeeded');
    expect(await isAvailable(world)).toBe(true);
    await Promise.all(upgrade(world, 'v1.36.0'));
    await until(world, 'toy-upgrade-1', 'Succeeded');
    await deleted(world);
    world.stop();
  });

  it('is told from another one whose kinds have the same names', async () => {
    const world = await startWorld(catalogFor(contract, namesakes), foreignManager(contracts[contract]));
    await world.apply(manifest('v1.35.0'));
    await until(world, 'toy-create-1', 'Succeeded');
    await deleted(world);
    world.stop();
  });

  it('hosts a control plane without Machines', async () => {
    const world = await startWorld(catalogFor(contract), foreignManager(contracts[contract], { hosted: true }));
    const hosted = manifest('v1.35.0').map((object) =>
      object.kind === 'ToyControlPlane' ? { ...object, spec: { version: 'v1.35.0' } } : object,
    );
    await world.apply(hosted);
    await until(world, 'toy-create-1', 'Succeeded');
    await Promise.all(upgrade(world, 'v1.36.0'));
    await until(world, 'toy-upgrade-1', 'Succeeded');
    expect(versions(world).filter((one) => one === 'worker v1.36.0')).toHaveLength(2);
    await deleted(world);
    world.stop();
  });
});

const inCluster = async ({ list }: World, type: string): Promise<Condition | undefined> =>
  ((await list('Cluster'))[0]?.status as { conditions?: Condition[] } | undefined)?.conditions?.find(
    (condition) => condition.type === type,
  );

it('holds a cluster that nothing builds, and names whose turn it is', async () => {
  const world = await startWorld(catalogFor('v1beta2'));
  const [cluster, ...others] = manifest('v1.35.0') as [KubeObject, ...KubeObject[]];
  const annotations = { 'capstan.dev/create-deadline': '20m' };
  await world.apply([{ ...cluster, metadata: { ...cluster.metadata, annotations } }, ...others]);
  await until(world, 'toy-create-1', 'Held');
  expect((await operation(world, 'toy-create-1'))?.message).toContain(
    'waiting for Ready of ToyCluster toy. All that was made is kept: only their own providers could stop or tear down ToyCluster toy, ToyControlPlane toy-cp. ',
  );
  expect((await inCluster(world, 'Available'))?.message).toContain('waiting for Ready of ToyCluster toy');
  expect(await world.list('ToyMachine')).toEqual([]);
  expect(world.errors).toEqual([]);
  world.stop();
});
