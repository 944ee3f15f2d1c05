/** A Capstan with a toy provider under a virtual clock, and a client of its API. */
import { expect } from 'vitest';
import { memoryKeys } from '../../adapters/memory/keys.ts';
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { type Catalog, createSystem } from '../../local/system.ts';
import { isTrue } from '../../machinery/api/conditions.ts';
import type { KindDefinition } from '../../machinery/api/kind.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import { crdOf } from '../../machinery/server/crds.ts';
import '../system/loaded.ts';
import { toyCloud } from './cloud.ts';

const core = 'cluster.x-k8s.io';
const infrastructure = 'infrastructure.cluster.x-k8s.io';
const bootstrap = 'bootstrap.cluster.x-k8s.io';
export const object = (apiVersion: string, kind: string, name: string, spec: object): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});
const template = { apiGroup: infrastructure, kind: 'ToyMachineTemplate', name: 'small' };
export const manifest = (version: string): KubeObject[] => [
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

/**
 * Runs Capstan with this catalog under a virtual clock; `tick` runs between its steps, as other processes
 * do. `defined` are kinds whose definitions a user applies.
 */
export const startWorld = async (catalog: Catalog, tick?: Tick, defined: readonly KindDefinition[] = []) => {
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
    const { group, plural, versions } = [...catalog.kinds, ...defined].findLast((one) => one.kind === kind)!;
    const version = versions.find(({ storage }) => storage)!.name;
    const root = group ? `apis/${group}/${version}` : `api/${version}`;
    return `http://capstan/${root}/namespaces/default/${plural}${name && `/${name}`}`;
  };
  const send = async (method: string, path: string, body?: object): Promise<KubeObject & { items?: KubeObject[] }> => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { authorization: 'Bearer a-token', 'content-type': type };
    const request = new Request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const response = await waitFor(system.server.fetch(request));
    expect(response.status, `${method} ${path}`).toBeLessThan(300);
    return (await waitFor(response.json())) as KubeObject & { items?: KubeObject[] };
  };
  for (const kind of defined)
    await send('POST', 'http://capstan/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crdOf(kind, 0));
  const list = async (kind: string): Promise<KubeObject[]> => (await send('GET', pathOf(kind))).items ?? [];
  const client = {
    list,
    apply: async (objects: readonly KubeObject[]) => {
      for (const one of objects) await send('POST', pathOf(one.kind), one);
    },
    patch: (kind: string, name: string, patch: object) => send('PATCH', pathOf(kind, name), patch),
    patchStatus: (kind: string, name: string, status: object) =>
      send('PATCH', `${pathOf(kind, name)}/status`, { status }),
    remove: (kind: string, name: string) => send('DELETE', pathOf(kind, name)),
  };
  return {
    ...client,
    cloud,
    errors,
    /** Waits at most an hour. */
    until: async (what: string, isSo: () => Promise<boolean>) => {
      for (let i = 0; i < 360; i++) {
        await tick?.(client, cloud);
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
export type World = Awaited<ReturnType<typeof startWorld>>;
export type Client = Pick<World, 'list' | 'apply' | 'patch' | 'patchStatus' | 'remove'>;
export type Tick = (client: Client, cloud: ReturnType<typeof toyCloud>) => Promise<void>;

export const isAvailable = async ({ list }: World): Promise<boolean> => {
  const [cluster] = await list('Cluster');
  return isTrue((cluster?.status as { conditions?: Condition[] } | undefined)?.conditions, 'Available');
};
export const versions = ({ cloud }: World): string[] =>
  cloud
    .hosts()
    .map(({ version, controlPlane }) => `${controlPlane ? 'control plane' : 'worker'} ${version}`)
    .sort();
export const hostsOf = (version: string) => [
  ...Array<string>(3).fill(`control plane ${version}`),
  ...Array<string>(2).fill(`worker ${version}`),
];
