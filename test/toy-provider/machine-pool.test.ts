/** A MachinePool of a provider that core does not know: Nodes, counts, scaling, Machines and deletion. */
import { expect, it } from 'vitest';
import type { MachinePoolStatus } from '../../kinds/core/machine-pool/index.ts';
import { infrastructures } from '../../kinds/infrastructures.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { toyCatalog } from './catalog.ts';
import { toyInfrastructure } from './infrastructure.ts';
import { isAvailable, manifest, object, startWorld, type World } from './world.ts';

const core = 'cluster.x-k8s.io/v1beta2';
const group = 'infrastructure.cluster.x-k8s.io';
const catalog = toyCatalog([...infrastructures, toyInfrastructure]);

const withPool = (spec: object = {}): KubeObject[] => [
  ...manifest('v1.35.0').filter(({ kind }) => kind !== 'MachineDeployment'),
  object(`${group}/v1beta2`, 'ToyMachinePool', 'pool', spec),
  object('bootstrap.cluster.x-k8s.io/v1beta2', 'ToyConfig', 'pool', {}),
  object(core, 'MachinePool', 'pool', {
    clusterName: 'toy',
    replicas: 2,
    template: {
      metadata: { labels: { 'node-restriction.kubernetes.io/team': 'a', other: 'b' } },
      spec: {
        clusterName: 'toy',
        version: 'v1.35.0',
        bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'ToyConfig', name: 'pool' } },
        infrastructureRef: { apiGroup: group, kind: 'ToyMachinePool', name: 'pool' },
      },
    },
  }),
];

const statusOf = async ({ list }: World): Promise<MachinePoolStatus> =>
  ((await list('MachinePool'))[0]?.status ?? {}) as MachinePoolStatus;
const runs = async (world: World, nodes: string[]) => {
  const status = await statusOf(world);
  return status.phase === 'Running' && (status.nodeRefs ?? []).map(({ name }) => name).join() === nodes.join();
};
const workers = (world: World) =>
  world.cloud
    .hosts()
    .filter(({ controlPlane }) => !controlPlane)
    .map(({ name }) => name)
    .sort();

it('follows the hosts of a pool to ready Nodes, scales it, and deletes it with its cluster', async () => {
  const world = await startWorld(catalog);
  await world.apply(withPool());
  await world.until('available', () => isAvailable(world));
  await world.until('running', () => runs(world, ['pool-0', 'pool-1']));
  expect(await statusOf(world)).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    upToDateReplicas: 2,
    versions: [{ version: 'v1.35.0', replicas: 2 }],
    initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true },
  });
  const [pool] = await world.list('MachinePool');
  expect(pool?.spec).toMatchObject({
    providerIDList: ['toy:///pool-0', 'toy:///pool-1'],
    template: { spec: { bootstrap: { dataSecretName: 'pool' } } },
  });
  expect(world.cloud.nodeOf('pool-0')?.metadata).toMatchObject({
    labels: { 'node-restriction.kubernetes.io/team': 'a' },
    annotations: { 'cluster.x-k8s.io/owner-kind': 'MachinePool', 'cluster.x-k8s.io/owner-name': 'pool' },
  });
  const [cluster] = await world.list('Cluster');
  expect(cluster?.status).toMatchObject({ workers: { desiredReplicas: 2, availableReplicas: 2 } });

  await world.patch('MachinePool', 'pool', { spec: { replicas: 3 } });
  await world.until('scaled up', () => runs(world, ['pool-0', 'pool-1', 'pool-2']));
  await world.patch('MachinePool', 'pool', { spec: { replicas: 1 } });
  await world.until('scaled down', () => runs(world, ['pool-0']));
  expect(workers(world)).toEqual(['pool-0']);

  await world.remove('Cluster', 'toy');
  await world.until('gone', async () => (await world.list('Cluster')).length === 0);
  expect(world.cloud.hosts()).toEqual([]);
  for (const kind of ['MachinePool', 'ToyMachinePool', 'ToyConfig']) expect(await world.list(kind), kind).toEqual([]);
  expect(world.errors).toEqual([]);
  world.stop();
});

it('has a Machine for each host that its infrastructure has an object for, and deletes it alone', async () => {
  const world = await startWorld(catalog);
  await world.apply(withPool({ machines: true }));
  await world.until('running', () => runs(world, ['pool-0', 'pool-1']));
  const machines = async () =>
    (await world.list('Machine')).filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/pool-name'] === 'pool');
  await world.until('known', async () =>
    (await machines()).every(({ status }) => (status as { phase?: string }).phase === 'Running'),
  );
  expect((await machines()).map(({ metadata }) => metadata.name).sort()).toEqual(['pool-0', 'pool-1']);
  expect(world.cloud.nodeOf('pool-0')?.metadata.annotations).toMatchObject({ 'cluster.x-k8s.io/machine': 'pool-0' });

  await world.remove('MachinePool', 'pool');
  await world.until('gone', async () => (await world.list('MachinePool')).length === 0);
  expect(await machines()).toEqual([]);
  expect(await world.list('ToyMachinePool')).toEqual([]);
  expect(workers(world)).toEqual([]);
  expect(world.errors).toEqual([]);
  world.stop();
});
