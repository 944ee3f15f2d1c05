/** Reads the input of the upgrade checks: the cluster's objects here, and those in the workload cluster. */
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import { versionOf } from '../../kinds/operations/upgrade/check-versions.ts';
import type { UpgradeFacts, WorkloadFacts } from '../../kinds/operations/upgrade/facts.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import { readWorkloadKubeconfig } from '../get.ts';

/** Lists objects of the workload cluster; lists have no kind in their items. */
export type ListWorkload = (apiVersion: string, kind: string) => Promise<KubeObject[]>;

export const workloadLists = (kubeconfig: string): ListWorkload => {
  const workload = createWorkload({ transport: httpsTransport() });
  return async (apiVersion, kind) => {
    const list = await workload.read('list', { kubeconfig, apiVersion, kind });
    return (list?.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
  };
};

const readWorkload = async (list: ListWorkload): Promise<WorkloadFacts | { unreadable: string }> => {
  try {
    const [nodes, pods, podDisruptionBudgets, validating, mutating, endpointSlices, apiServices, definitions] =
      await Promise.all([
        list('v1', 'Node'),
        list('v1', 'Pod'),
        list('policy/v1', 'PodDisruptionBudget'),
        list('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'),
        list('admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'),
        list('discovery.k8s.io/v1', 'EndpointSlice'),
        list('apiregistration.k8s.io/v1', 'APIService'),
        list('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      ]);
    return {
      nodes: nodes!,
      pods: pods!,
      podDisruptionBudgets: podDisruptionBudgets!,
      webhookConfigurations: [...validating!, ...mutating!],
      endpointSlices: endpointSlices!,
      apiServices: apiServices!,
      customResourceDefinitions: definitions!,
    };
  } catch (error) {
    return { unreadable: error instanceof Error ? error.message : String(error) };
  }
};

const core = (namespace: string) => `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;

const readControlPlane = async (client: ApiClient, cluster: Cluster): Promise<KubeObject | undefined> => {
  const ref = cluster.spec?.controlPlaneRef;
  const { namespace = '' } = cluster.metadata;
  if (!ref) return undefined;
  const { versions } = await client.json<{ versions: { version: string }[] }>('GET', `/apis/${ref.apiGroup}`);
  const plural = `${ref.kind.toLowerCase()}s`;
  return client.find(`/apis/${ref.apiGroup}/${versions[0]!.version}/namespaces/${namespace}/${plural}/${ref.name}`);
};

export interface ReadOptions {
  namespace: string;
  /** A version such as v1.36.2. */
  to: string;
  now: number;
  lists?: (kubeconfig: string) => ListWorkload;
}

export const readFacts = async (
  client: ApiClient,
  name: string,
  { namespace, to, now, lists = workloadLists }: ReadOptions,
): Promise<UpgradeFacts> => {
  const target = parseVersion(to.startsWith('v') ? to : `v${to}`);
  if (!target) throw new CliError(`--to ${to} is not a version such as v1.36.2`, 2);
  const cluster = await client.find<Cluster>(`${core(namespace)}/clusters/${encodeURIComponent(name)}`);
  if (!cluster) throw new CliError(`cluster.cluster.x-k8s.io "${name}" not found in namespace ${namespace}`);
  const selector = `labelSelector=${encodeURIComponent(`cluster.x-k8s.io/cluster-name=${name}`)}`;
  const listed = async <T extends KubeObject>(plural: string, kind: string): Promise<T[]> => {
    const { items } = await client.json<{ items: T[] }>('GET', `${core(namespace)}/${plural}?${selector}`);
    return items.map((item) => ({ ...item, kind }));
  };
  const [controlPlane, machineDeployments, machines] = await Promise.all([
    readControlPlane(client, cluster),
    listed<MachineDeployment>('machinedeployments', 'MachineDeployment'),
    listed<Machine>('machines', 'Machine'),
  ]);
  const workload = await readWorkloadKubeconfig(client, name, namespace).then(
    (kubeconfig) => readWorkload(lists(kubeconfig)),
    (error: Error) => ({ unreadable: error.message }),
  );
  return {
    target,
    current: controlPlane && versionOf(controlPlane.spec),
    cluster,
    controlPlane,
    machineDeployments,
    machines,
    workload,
    now,
  };
};
