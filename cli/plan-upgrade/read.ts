/** Reads the objects of a cluster that the upgrade checks look at. */
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import { regionOf } from '../../kinds/core/contract/cluster.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import type { UpgradeFacts } from '../../kinds/operations/upgrade-check/checks/facts.ts';
import { runningVersion } from '../../kinds/operations/upgrade-check/checks/versions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';

const core = (namespace: string) => `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;

interface Ref {
  apiGroup: string;
  kind: string;
  name: string;
}

const readReferent = async (client: ApiClient, cluster: Cluster, ref: Ref | undefined) => {
  const { namespace = '' } = cluster.metadata;
  if (!ref) return undefined;
  const { versions } = await client.json<{ versions: { version: string }[] }>('GET', `/apis/${ref.apiGroup}`);
  const plural = `${ref.kind.toLowerCase()}s`;
  return client.find<KubeObject>(
    `/apis/${ref.apiGroup}/${versions[0]!.version}/namespaces/${namespace}/${plural}/${ref.name}`,
  );
};

/** Where its machines are paid for. */
export const readRegion = async (client: ApiClient, cluster: Cluster): Promise<string | undefined> =>
  regionOf(await readReferent(client, cluster, cluster.spec?.infrastructureRef));

export interface ReadOptions {
  namespace: string;
  /** A version such as v1.36.2. */
  to: string;
  now: number;
}

export const readFacts = async (
  client: ApiClient,
  name: string,
  { namespace, to, now }: ReadOptions,
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
    readReferent(client, cluster, cluster.spec?.controlPlaneRef),
    listed<MachineDeployment>('machinedeployments', 'MachineDeployment'),
    listed<Machine>('machines', 'Machine'),
  ]);
  const drainRules = await client.json<{ items: KubeObject[] }>('GET', `${core(namespace)}/machinedrainrules`);
  const { items: kubeadmTemplates } = await client.json<{ items: KubeObject[] }>(
    'GET',
    `/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/kubeadmconfigtemplates`,
  );
  return {
    target,
    current: runningVersion(controlPlane, machines),
    cluster,
    controlPlane,
    machineDeployments,
    machines,
    drainRules: drainRules.items,
    kubeadmTemplates: kubeadmTemplates.map((item) => ({ ...item, kind: 'KubeadmConfigTemplate' })),
    now,
  };
};
