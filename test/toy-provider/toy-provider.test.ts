/** A provider of all roles, unknown to core, operations and the machinery, creates, rolls out and deletes a cluster. */
import { expect, it } from 'vitest';
import { infrastructures } from '../../kinds/infrastructures.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { toyCatalog } from './catalog.ts';
import { toyInfrastructure } from './infrastructure.ts';
import { hostsOf, isAvailable, manifest, startWorld, versions } from './world.ts';

const catalog = toyCatalog([...infrastructures, toyInfrastructure]);

it('creates an Available cluster, rolls it out to another version and deletes it', async () => {
  const world = await startWorld(catalog);
  await world.apply(manifest('v1.35.0'));
  await world.until('available', () => isAvailable(world));
  expect(versions(world)).toEqual(hostsOf('v1.35.0'));
  const [operation] = await world.list('ClusterOperation');
  await world.until('recorded', async () => {
    const [latest] = await world.list('ClusterOperation');
    return (latest?.status as { phase?: string } | undefined)?.phase === 'Succeeded';
  });
  expect(operation?.metadata.name).toBe('toy-create-1');

  await world.patch('ToyControlPlane', 'toy-cp', { spec: { version: 'v1.36.0' } });
  await world.until(
    'rolled',
    async () => versions(world).filter((one) => one === 'control plane v1.36.0').length === 3,
  );
  await world.patch('MachineDeployment', 'workers', { spec: { template: { spec: { version: 'v1.36.0' } } } });
  await world.until('rolled', async () => versions(world).join() === hostsOf('v1.36.0').join());
  await world.until('available again', () => isAvailable(world));

  await world.remove('Cluster', 'toy');
  await world.until('gone', async () => (await world.list('Cluster')).length === 0);
  expect(world.cloud.hosts()).toEqual([]);
  for (const kind of ['Machine', 'MachineSet', 'MachineDeployment', 'ToyCluster', 'ToyMachine', 'ToyConfig'])
    expect(await world.list(kind), kind).toEqual([]);
  expect(world.errors).toEqual([]);
  world.stop();
});

it('tears down a cluster that cannot be completed, and creates it with the next attempt', async () => {
  const world = await startWorld(catalog);
  const [cluster, ...others] = manifest('v1.35.0') as [KubeObject, ...KubeObject[]];
  const annotations = { 'capstan.dev/create-deadline': '20m' };
  world.cloud.setRoom(false);
  await world.apply([{ ...cluster, metadata: { ...cluster.metadata, annotations } }, ...others]);
  await world.until('started', async () => world.cloud.hosts().length === 3);
  const phaseIs = (phase: string) => async () =>
    (await world.list('ClusterOperation')).some(
      ({ status }) => (status as { phase?: string } | undefined)?.phase === phase,
    );
  await world.until('torn down', phaseIs('TornDown'));
  expect(world.cloud.hosts()).toEqual([]);
  for (const kind of ['Machine', 'MachineSet', 'ToyMachine', 'ToyConfig'])
    expect(await world.list(kind), kind).toEqual([]);
  // The user's objects stay as the user wrote them.
  const [toyCluster] = await world.list('ToyCluster');
  expect(toyCluster?.spec).toEqual({});
  expect(toyCluster?.metadata.annotations ?? {}).toEqual({});

  world.cloud.setRoom(true);
  await world.patch('Cluster', 'toy', { metadata: { annotations: { 'capstan.dev/retry': 'again' } } });
  await world.until('available', () => isAvailable(world));
  expect(versions(world)).toEqual(hostsOf('v1.35.0'));
  world.stop();
});
