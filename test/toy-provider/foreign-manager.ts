/**
 * A provider as another process runs it: a client of the API that knows Cluster API's contract, and
 * nothing of Capstan.
 */
import { isTrue } from '../../machinery/api/conditions.ts';
import type { Condition, KubeObject, OwnerReference } from '../../machinery/api/object.ts';
import type { Client, Tick } from './world.ts';

/** The fields by which either version of the contract reports. */
export interface Contract {
  provisioned: object;
  dataSecret: object;
  initialized: object;
  upToDate: (count: number) => object;
}
export const contracts: Record<'v1beta1' | 'v1beta2', Contract> = {
  v1beta1: {
    provisioned: { ready: true },
    dataSecret: { ready: true },
    initialized: { ready: true, initialized: true },
    upToDate: (updatedReplicas) => ({ updatedReplicas }),
  },
  v1beta2: {
    provisioned: { initialization: { provisioned: true } },
    dataSecret: { initialization: { dataSecretCreated: true } },
    initialized: { initialization: { controlPlaneInitialized: true } },
    upToDate: (upToDateReplicas) => ({ upToDateReplicas }),
  },
};

type Fields = Record<string, unknown>;
const specOf = ({ spec }: KubeObject): Fields => (spec ?? {}) as Fields;
const conditionsOf = ({ status }: KubeObject): Condition[] =>
  (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
const ownedBy = (object: KubeObject, kind: string): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.kind === kind);
const isDeleting = ({ metadata }: KubeObject): boolean => metadata.deletionTimestamp !== undefined;
const clusterLabel = 'cluster.x-k8s.io/cluster-name';
const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';
const finalizers = ['foreign.example.com'];

const keep = async (client: Client, object: KubeObject): Promise<void> => {
  if (!object.metadata.finalizers?.includes(finalizers[0]!) && !isDeleting(object))
    await client.patch(object.kind, object.metadata.name, { metadata: { finalizers } });
};
const letGo = (client: Client, { kind, metadata }: KubeObject) =>
  client.patch(kind, metadata.name, { metadata: { finalizers: [] } });

const secret = (name: string, owner: KubeObject): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name,
    namespace: 'default',
    labels: { [clusterLabel]: 'toy' },
    ownerReferences: [ownerOf(owner)],
  },
  type: 'cluster.x-k8s.io/secret',
  data: { value: Buffer.from('toy').toString('base64') },
});
const ownerOf = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubeObject): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});

const cluster = (contract: Contract, client: Client) => async (toyCluster: KubeObject) => {
  if (isDeleting(toyCluster)) {
    if ((await client.list('ToyMachine')).length === 0) await letGo(client, toyCluster);
    return;
  }
  if (!ownedBy(toyCluster, 'Cluster')) return;
  await keep(client, toyCluster);
  const { name } = toyCluster.metadata;
  await client.patch('ToyCluster', name, { spec: { controlPlaneEndpoint: { host: 'api.toy', port: 6443 } } });
  await client.patchStatus('ToyCluster', name, contract.provisioned);
};

const config = (contract: Contract, client: Client) => async (toyConfig: KubeObject) => {
  const { name } = toyConfig.metadata;
  const isDone = (toyConfig.status as { dataSecretName?: string } | undefined)?.dataSecretName !== undefined;
  if (isDone || isDeleting(toyConfig) || !ownedBy(toyConfig, 'Machine')) return;
  await client.apply([secret(name, toyConfig)]);
  await client.patchStatus('ToyConfig', name, { ...contract.dataSecret, dataSecretName: name });
};

const host =
  (contract: Contract, client: Client, cloud: Parameters<Tick>[1], machines: readonly KubeObject[]) =>
  async (toyMachine: KubeObject) => {
    const { name } = toyMachine.metadata;
    const { toy } = cloud.ports;
    if (isDeleting(toyMachine)) {
      await toy.call?.('stop', { name });
      await letGo(client, toyMachine);
      return;
    }
    const machine = machines.find(({ metadata }) => metadata.uid === ownedBy(toyMachine, 'Machine')?.uid);
    const { bootstrap, version } = (machine ? specOf(machine) : {}) as {
      bootstrap?: { dataSecretName?: string };
      version?: string;
    };
    if (!machine || !bootstrap?.dataSecretName || specOf(toyMachine).providerID) return;
    await keep(client, toyMachine);
    const controlPlane = machine.metadata.labels?.[controlPlaneLabel] !== undefined;
    await toy.call?.('start', { name, version: version ?? '', controlPlane });
    await client.patch('ToyMachine', name, { spec: { providerID: `toy:///${name}` } });
    await client.patchStatus('ToyMachine', name, contract.provisioned);
  };

let made = 0;
const newMachine = (controlPlane: KubeObject): KubeObject[] => {
  const name = `${controlPlane.metadata.name}-${++made}`;
  const labels = { [clusterLabel]: 'toy', [controlPlaneLabel]: '' };
  const metadata = { name, namespace: 'default', labels };
  const ownerReferences = [ownerOf(controlPlane)];
  const groups = { infrastructure: 'infrastructure.cluster.x-k8s.io', bootstrap: 'bootstrap.cluster.x-k8s.io' };
  const part = (apiGroup: string, kind: string): KubeObject => ({
    apiVersion: `${apiGroup}/v1beta2`,
    kind,
    metadata: { ...metadata, ownerReferences: [{ ...ownerOf(controlPlane), controller: false }] },
    spec: {},
  });
  return [
    part(groups.infrastructure, 'ToyMachine'),
    part(groups.bootstrap, 'ToyConfig'),
    {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { ...metadata, ownerReferences },
      spec: {
        clusterName: 'toy',
        version: specOf(controlPlane).version,
        bootstrap: { configRef: { apiGroup: groups.bootstrap, kind: 'ToyConfig', name } },
        infrastructureRef: { apiGroup: groups.infrastructure, kind: 'ToyMachine', name },
      },
    },
  ];
};

const hasNode = ({ status }: KubeObject): boolean =>
  (status as { nodeRef?: object } | undefined)?.nodeRef !== undefined;
const isReady = (machine: KubeObject): boolean => isTrue(conditionsOf(machine), 'Ready');

/** One Machine more, or one fewer. */
const step = async (client: Client, controlPlane: KubeObject, machines: readonly KubeObject[]): Promise<void> => {
  const { replicas = 0, version } = specOf(controlPlane) as { replicas?: number; version?: string };
  if (machines.some((machine) => isDeleting(machine) || !isReady(machine))) return;
  const outdated = machines.find((machine) => specOf(machine).version !== version);
  if (machines.length < (outdated ? replicas + 1 : replicas)) await client.apply(newMachine(controlPlane));
  else if (machines.length > replicas && outdated) await client.remove('Machine', outdated.metadata.name);
};

/** Its hosts are Machines, or, `hosted`, no objects at all. */
const plane =
  (contract: Contract, client: Client, cloud: Parameters<Tick>[1], hosted: boolean, all: readonly KubeObject[]) =>
  async (controlPlane: KubeObject) => {
    const { name, uid } = controlPlane.metadata;
    const machines = all.filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    const { toy } = cloud.ports;
    if (isDeleting(controlPlane)) {
      for (const machine of machines) if (!isDeleting(machine)) await client.remove('Machine', machine.metadata.name);
      if (hosted) await toy.call?.('stop', { name: 'hosted' });
      if (machines.length === 0) await letGo(client, controlPlane);
      return;
    }
    const [owner] = await client.list('Cluster');
    const { initialization } = (owner?.status ?? {}) as { initialization?: { infrastructureProvisioned?: boolean } };
    if (!ownedBy(controlPlane, 'Cluster') || !initialization?.infrastructureProvisioned) return;
    await keep(client, controlPlane);
    const secrets = await client.list('Secret');
    if (!secrets.some(({ metadata }) => metadata.name === 'toy-kubeconfig'))
      await client.apply([secret('toy-kubeconfig', controlPlane)]);
    const { version = '', replicas = 0 } = specOf(controlPlane) as { version?: string; replicas?: number };
    if (hosted) await toy.call?.('start', { name: 'hosted', version, controlPlane: true });
    else await step(client, controlPlane, machines);
    const ready = machines.filter(isReady).length;
    const versions = machines.map((machine) => String(specOf(machine).version)).sort();
    const counts = {
      replicas: machines.length,
      readyReplicas: ready,
      availableReplicas: ready,
      ...contract.upToDate(versions.filter((one) => one === version).length),
    };
    const isUp = hosted || machines.some(hasNode);
    await client.patchStatus('ToyControlPlane', name, {
      ...(!hosted && counts),
      version: versions[0] ?? version,
      ...(isUp && contract.initialized),
      conditions: [
        {
          type: 'Available',
          status: hosted || ready >= replicas ? 'True' : 'False',
          reason: 'Counted',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
  };

export const foreignManager =
  (contract: Contract, { hosted = false } = {}): Tick =>
  async (client, cloud) => {
    const each = async (kind: string, act: (object: KubeObject) => Promise<unknown>) => {
      for (const object of await client.list(kind)) await act(object);
    };
    await each('ToyCluster', cluster(contract, client));
    const machines = await client.list('Machine');
    await each('ToyControlPlane', plane(contract, client, cloud, hosted, machines));
    await each('ToyConfig', config(contract, client));
    await each('ToyMachine', host(contract, client, cloud, machines));
  };
