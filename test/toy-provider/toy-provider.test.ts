/** A provider of all four roles, unknown to core, operations and the machinery, creates, rolls out and deletes a cluster. */
import { expect, it } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { controlPlanes } from '../../kinds/control-planes.ts';
import { controllers } from '../../kinds/controllers.ts';
import { machineController } from '../../kinds/core/machine/controller.ts';
import { kinds } from '../../kinds/index.ts';
import { infrastructures } from '../../kinds/infrastructures.ts';
import { clusterOperationController } from '../../kinds/operations/cluster-operation/controller.ts';
import { operationStarter } from '../../kinds/operations/starter/controller.ts';
import { createSystem } from '../../local/system.ts';
import { isTrue } from '../../machinery/api/conditions.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import '../system/loaded.ts';
import { toyConfigController } from './bootstrap.ts';
import { toyCloud } from './cloud.ts';
import { toyControlPlaneController, toyControlPlanes } from './control-plane.ts';
import { toyClusterController, toyInfrastructure, toyMachineController } from './infrastructure.ts';
import { toyKinds } from './kinds.ts';

const providers = {
  controlPlanes: [...controlPlanes, toyControlPlanes],
  infrastructures: [...infrastructures, toyInfrastructure],
};
const served = {
  machine: machineController(providers),
  'cluster-operation': clusterOperationController(providers),
  'operation-starter': operationStarter(providers),
};
const catalog = {
  kinds: [...kinds, ...toyKinds],
  controllers: [
    ...controllers.filter(({ name }) => !(name in served)),
    ...Object.values(served),
    toyClusterController,
    toyMachineController,
    toyConfigController,
    toyControlPlaneController,
  ],
};

const core = 'cluster.x-k8s.io';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const bootstrap = 'bootstrap.cluster.x-k8s.io';
const object = (apiVersion: string, kind: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});
const template = { apiGroup: infrastructure, kind: 'ToyMachineTemplate', name: 'small' };
const manifest = (version: string): KubeObject[] => [
  object(`${core}/v1beta2`, 'Cluster', 'toy', {
    infrastructureRef: { apiGroup: infrastructure, kind: 'ToyCluster', name: 'toy' },
    controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'ToyControlPlane', name: 'toy-cp' },
  }),
  object(`${infrastructure}/v1beta2`, 'ToyCluster', 'toy', {}),
  object(`${infrastructure}/v1beta2`, 'ToyMachineTemplate', 'small', { template: { spec: {} } }),
  object(`${bootstrap}/v1beta2`, 'ToyConfigTemplate', 'config', { template: { spec: {} } }),
  object('controlplane.cluster.x-k8s.io/v1beta2', 'ToyControlPlane', 'toy-cp', {
    replicas: 3,
    version,
    machineTemplate: { spec: { infrastructureRef: template } },
  }),
  object(`${core}/v1beta2`, 'MachineDeployment', 'workers', {
    clusterName: 'toy',
    replicas: 2,
    selector: {},
    template: {
      spec: {
        clusterName: 'toy',
        version,
        bootstrap: { configRef: { apiGroup: bootstrap, kind: 'ToyConfigTemplate', name: 'config' } },
        infrastructureRef: template,
      },
    },
  }),
];

const startSystem = async () => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const random = seededRandom(1);
  const cloud = toyCloud();
  const errors: string[] = [];
  const system = createSystem({
    clock,
    random,
    keys: memoryKeys(random),
    objects: memoryTable({ clock }),
    work: memoryTable({ clock }),
    account: memoryStorage(clock),
    network: { listen: () => undefined, close: () => undefined, reserve: () => 1 },
    log: { info: () => undefined, error: (message, facts) => errors.push(`${message} ${JSON.stringify(facts)}`) },
    installation: 'here',
    token: 'a-token',
    catalog,
    ports: cloud.ports,
  });
  let isStarted = false;
  void system.start().then(() => {
    isStarted = true;
  });
  await clock.run(() => isStarted);

  const waitFor = async <T>(answer: Promise<T>): Promise<T> => {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    answer.then(over, over);
    // What needs no virtual time is awaited before any passes.
    for (let turn = 0; turn < 20 && !isOver; turn++) await new Promise((resolve) => setImmediate(resolve));
    if (!isOver) await clock.run(() => isOver);
    return answer;
  };
  const pathOf = (kind: string, name = '') => {
    const { group, plural, versions } = catalog.kinds.find((one) => one.kind === kind)!;
    return `http://capstan/apis/${group}/${versions.find(({ storage }) => storage)!.name}/namespaces/default/${plural}${name && `/${name}`}`;
  };
  const send = async (method: string, path: string, body?: object): Promise<KubeObject & { items?: KubeObject[] }> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: 'Bearer a-token', 'content-type': type };
    const request = new Request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const response = await waitFor(system.server.fetch(request));
    expect(response.status, path).toBeLessThan(300);
    return (await waitFor(response.json())) as KubeObject & { items?: KubeObject[] };
  };
  const list = async (kind: string): Promise<KubeObject[]> => (await send('GET', pathOf(kind))).items ?? [];
  return {
    cloud,
    errors,
    list,
    apply: async (objects: readonly KubeObject[]) => {
      for (const one of objects) await send('POST', pathOf(one.kind), one);
    },
    patch: (kind: string, name: string, patch: object) => send('PATCH', pathOf(kind, name), patch),
    remove: (kind: string, name: string) => send('DELETE', pathOf(kind, name)),
    /** Waits at most an hour. */
    until: async (what: string, isSo: () => Promise<boolean>) => {
      for (let i = 0; i < 360; i++) {
        if (await isSo()) return;
        await clock.advance(10_000);
      }
      const objects = await Promise.all(
        ['Cluster', 'ClusterOperation', 'ToyCluster', 'ToyControlPlane', 'Machine', 'ToyMachine', 'ToyConfig'].map(
          list,
        ),
      );
      throw new Error(`never ${what}: ${JSON.stringify([objects.flat(), errors], null, 1)}`);
    },
    stop: () => system.stop(),
  };
};
type World = Awaited<ReturnType<typeof startSystem>>;

const isAvailable = async ({ list }: World): Promise<boolean> => {
  const [cluster] = await list('Cluster');
  return isTrue((cluster?.status as { conditions?: Condition[] } | undefined)?.conditions, 'Available');
};
const versions = ({ cloud }: World): string[] =>
  cloud
    .hosts()
    .map(({ version, controlPlane }) => `${controlPlane ? 'control plane' : 'worker'} ${version}`)
    .sort();
const hostsOf = (version: string) => [
  ...Array<string>(3).fill(`control plane ${version}`),
  ...Array<string>(2).fill(`worker ${version}`),
];

it('creates an Available cluster, rolls it out to another version and deletes it', async () => {
  const world = await startSystem();
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
  const world = await startSystem();
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
