/** Reads what the autoscaler would observe of a cluster, through the API and the cluster's kubeconfig. */
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import type { Quota } from '../../kinds/autoscaling/plan/types.ts';
import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import { type Observed, only } from '../../kinds/autoscaling/scaling-plan/observe.ts';
import { isHostless, isPool, type PoolObjects } from '../../kinds/autoscaling/scaling-plan/pools.ts';
import { quotasOf } from '../../kinds/autoscaling/scaling-plan/quotas.ts';
import { otherAutoscaler } from '../../kinds/autoscaling/snapshot/conflict.ts';
import { podsOf } from '../../kinds/autoscaling/snapshot/index.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../kinds/core/machine-set/index.ts';
import type { Workload } from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Read } from '../../machinery/api/reconcile.ts';
import { dataOf } from '../answer.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import { readWorkloadKubeconfig } from '../get.ts';

const core = (namespace: string) => `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;

type Reference = { apiGroup: string; kind: string; name: string };

/** Undefined if it does not exist. */
const readReferred = async (client: ApiClient, namespace: string, { apiGroup, kind, name }: Reference) => {
  const group = await client.find<{ preferredVersion: { version: string } }>(`/apis/${apiGroup}`);
  if (!group) return undefined;
  const path = `/apis/${apiGroup}/${group.preferredVersion.version}/namespaces/${namespace}`;
  return client.find(`${path}/${kind.toLowerCase()}s/${encodeURIComponent(name)}`);
};

const readBootstrap = async (client: ApiClient, namespace: string, { spec }: MachineDeployment) => {
  const { configRef } = spec!.template.spec.bootstrap;
  return configRef && readReferred(client, namespace, configRef);
};

const readHostless = async (client: ApiClient, namespace: string, machines: readonly Machine[]) => {
  const hosts = machines.filter(isHostless).map(async ({ metadata, spec }) => {
    const host = await readReferred(client, namespace, spec!.infrastructureRef);
    return host ? [[metadata.name, host] as const] : [];
  });
  return Object.fromEntries((await Promise.all(hosts)).flat());
};

const readPools = async (client: ApiClient, name: string, namespace: string) => {
  const selector = `labelSelector=${encodeURIComponent(`cluster.x-k8s.io/cluster-name=${name}`)}`;
  const listed = async <T extends KubeObject>(plural: string, kind: string): Promise<T[]> => {
    const { items } = await client.json<{ items: T[] }>('GET', `${core(namespace)}/${plural}?${selector}`);
    return items.map((item) => ({ ...item, kind }));
  };
  const [deployments, machineSets, machines] = await Promise.all([
    listed<MachineDeployment>('machinedeployments', 'MachineDeployment'),
    listed<MachineSet>('machinesets', 'MachineSet'),
    listed<Machine>('machines', 'Machine'),
  ]);
  const hostless = await readHostless(client, namespace, machines);
  const pools = await Promise.all(
    deployments.filter(isPool).map(
      async (deployment): Promise<PoolObjects> => ({
        deployment,
        machineSets,
        machines,
        infrastructure: await readReferred(client, namespace, deployment.spec!.template.spec.infrastructureRef),
        bootstrap: await readBootstrap(client, namespace, deployment),
        hostless,
      }),
    ),
  );
  return { pools, machines };
};

const readWorkload = async (kubeconfig: string, workload: Pick<Workload, 'read'>): Promise<Observed['workload']> => {
  const list = async (apiVersion: string, kind: string) =>
    (await workload.read('list', { kubeconfig, apiVersion, kind, only }))?.items ?? [];
  const trace = async (apiVersion: string, kind: string, name: string): Promise<Read<KubeObject>> => {
    const { namespace } = otherAutoscaler;
    const value = await workload.read('get', { kubeconfig, apiVersion, kind, namespace, name });
    return value ? { state: 'found', value } : { state: 'absent' };
  };
  const [nodes, pods, daemonSets, budgets, namespaces, claims, volumes, classes, csiNodes] = await Promise.all([
    list('v1', 'Node'),
    list('v1', 'Pod'),
    list('apps/v1', 'DaemonSet'),
    list('policy/v1', 'PodDisruptionBudget'),
    list('v1', 'Namespace'),
    list('v1', 'PersistentVolumeClaim'),
    list('v1', 'PersistentVolume'),
    list('storage.k8s.io/v1', 'StorageClass'),
    list('storage.k8s.io/v1', 'CSINode'),
  ]);
  const [lease, status] = await Promise.all([
    trace('coordination.k8s.io/v1', 'Lease', otherAutoscaler.lease),
    trace('v1', 'ConfigMap', otherAutoscaler.status),
  ]);
  return {
    kubeconfig,
    pods: podsOf(pods),
    objects: { nodes, pods: [], daemonSets, budgets, namespaces, claims, volumes, classes, csiNodes },
    traces: { lease, status },
  };
};

const listPaths: Record<string, [string, string]> = {
  Machine: ['cluster.x-k8s.io/v1beta2', 'machines'],
  MachineSet: ['cluster.x-k8s.io/v1beta2', 'machinesets'],
  ControlPlane: ['controlplane.cluster.x-k8s.io/v1beta2', 'kubeadmcontrolplanes'],
  ScalingPlan: ['capstan.dev/v1alpha1', 'scalingplans'],
};

/** Undefined if it does not exist, or if the user may not read it. */
const readIfAllowed = async (client: ApiClient, path: string): Promise<KubeObject | undefined> => {
  const { code, body } = await client.request('GET', path);
  return code === 200 ? dataOf<KubeObject>(body) : undefined;
};

const readQuotas = async (client: ApiClient, plan: ScalingPlan, pools: readonly PoolObjects[]): Promise<Quota[]> => {
  const [namespace, installation] = await Promise.all([
    readIfAllowed(client, `/api/v1/namespaces/${plan.metadata.namespace}`),
    readIfAllowed(client, '/apis/capstan.dev/v1alpha1/installations/capstan'),
  ]);
  const sources = { plan, pools, namespace, installation };
  const lists = new Map<string, KubeObject[]>();
  const pathOf = (...[kind, where]: Parameters<Parameters<typeof quotasOf>[1]>): string => {
    const [version, plural] = listPaths[typeof kind === 'string' ? kind : kind.role]!;
    return `/apis/${version}${where.namespace ? `/namespaces/${where.namespace}` : ''}/${plural}`;
  };
  quotasOf(sources, (kind, where) => {
    lists.set(pathOf(kind, where), []);
    return [];
  });
  for (const path of lists.keys()) {
    const list = (await readIfAllowed(client, path)) as { items?: KubeObject[] } | undefined;
    lists.set(path, list?.items ?? []);
  }
  return quotasOf(sources, (kind, where) => lists.get(pathOf(kind, where))!);
};

export const readObserved = async (
  client: ApiClient,
  name: string,
  namespace: string,
  workload: Pick<Workload, 'read'> = createWorkload({ transport: httpsTransport() }),
): Promise<Observed> => {
  const cluster = await client.find<Cluster>(`${core(namespace)}/clusters/${encodeURIComponent(name)}`);
  if (!cluster) throw new CliError(`cluster.cluster.x-k8s.io "${name}" not found in namespace ${namespace}`);
  const path = `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/scalingplans/${encodeURIComponent(name)}`;
  const [plan, { pools, machines }] = await Promise.all([
    client.find<ScalingPlan>(path),
    readPools(client, name, namespace),
  ]);
  if (!plan || pools.length === 0)
    throw new CliError(
      `no pool of cluster ${name} opted in: annotate a MachineDeployment with capstan.dev/autoscale-min and -max`,
    );
  const kubeconfig = await readWorkloadKubeconfig(client, name, namespace);
  const observed = { plan, cluster, pools, machines, quotas: await readQuotas(client, plan, pools) };
  return { ...observed, workload: (await readWorkload(kubeconfig, workload))! };
};
