/** Reads the input of the upgrade checks: the cluster's objects here, and those in the workload cluster. */
import { localPki } from '../../adapters/pki/index.ts';
import { createWorkload, httpsTransport } from '../../adapters/workload/index.ts';
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import type { Cluster } from '../../kinds/core/cluster/index.ts';
import type { Machine } from '../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../kinds/core/machine-deployment/index.ts';
import {
  type EtcdFacts,
  isUnreadable,
  type Unreadable,
  type UpgradeFacts,
  type WorkloadFacts,
} from '../../kinds/operations/upgrade-check/checks/facts.ts';
import { nodeNameOf } from '../../kinds/operations/upgrade-check/checks/pods.ts';
import { versionOf } from '../../kinds/operations/upgrade-check/checks/versions.ts';
import { type ListName, listNames, workloadLists } from '../../kinds/operations/upgrade-check/workload-lists.ts';
import type { Workload } from '../../kinds/ports/workload.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import { readWorkloadKubeconfig } from '../get.ts';

/** A Workload to read the cluster of a kubeconfig with. */
export type WorkloadOf = () => Pick<Workload, 'read'>;

const overTls: WorkloadOf = () => createWorkload({ transport: httpsTransport() });

const reasonOf = (error: unknown): Unreadable => ({
  unreadable: error instanceof Error ? error.message : String(error),
});

/** `authority`: the etcd CA, which only administrators may read; undefined if the cluster has none. */
const readEtcd = async (
  workload: Pick<Workload, 'read'>,
  kubeconfig: string,
  nodes: string[],
  authority: Authority | Unreadable | undefined,
  now: number,
): Promise<EtcdFacts | undefined> => {
  if (!authority || nodes.length === 0) return undefined;
  if (isUnreadable(authority)) return { status: authority, reports: [] };
  const client = await localPki().read('clientCertificate', {
    commonName: 'capstan-plan-upgrade',
    organizations: [],
    days: 1,
    algorithm: 'ECDSA-P256',
    caCertificate: authority.certificate,
    caKey: authority.key,
    now,
  });
  const proof = {
    kubeconfig,
    caCertificate: authority.certificate,
    clientCertificate: client.certificate,
    clientKey: client.key,
  };
  const status = await workload
    .read('etcd', { ...proof, nodes })
    .then((answer) => answer ?? { unreadable: 'no answer' }, reasonOf);
  const reports = await Promise.all(
    nodes.map(async (node) => {
      const report = workload.read('etcdMember', { ...proof, nodes: [node] });
      return { node, ...(await report.then((answer) => answer ?? { unreadable: 'no answer' }, reasonOf)) };
    }),
  );
  return { status, reports };
};

const readWorkload = async (
  workload: Pick<Workload, 'read'>,
  kubeconfig: string,
  authority: Authority | Unreadable | undefined,
  now: number,
): Promise<WorkloadFacts | Unreadable> => {
  try {
    const lists = await Promise.all(
      listNames.map(async (name) => {
        const list = await workload.read('list', { kubeconfig, ...workloadLists[name] });
        return [name, list?.items ?? []] as const;
      }),
    );
    const facts = Object.fromEntries(lists) as Record<ListName, KubeObject[]>;
    const nodes = facts.etcdPods.flatMap((pod) => nodeNameOf(pod) ?? []);
    const etcd = await readEtcd(workload, kubeconfig, nodes, authority, now);
    const deprecatedApis = await Promise.all(
      nodes.map((node) => workload.read('deprecatedApis', { kubeconfig, node })),
    ).then((answers) => answers.flatMap((answer) => answer?.apis ?? []), reasonOf);
    return { ...facts, ...(etcd && { etcd }), deprecatedApis };
  } catch (error) {
    return reasonOf(error);
  }
};

interface Authority {
  certificate: string;
  key: string;
}
type Secret = KubeObject & { data?: Record<string, string> };

const readAuthority = async (
  client: ApiClient,
  name: string,
  namespace: string,
): Promise<Authority | Unreadable | undefined> => {
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}-etcd`;
  const secret = await client.find<Secret>(path).catch(reasonOf);
  if (secret && isUnreadable(secret)) return secret;
  const [certificate, key] = ['tls.crt', 'tls.key'].map((part) =>
    Buffer.from(secret?.data?.[part] ?? '', 'base64').toString('utf8'),
  );
  return certificate && key ? { certificate, key } : undefined;
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
  workloadOf?: WorkloadOf;
}

export const readFacts = async (
  client: ApiClient,
  name: string,
  { namespace, to, now, workloadOf = overTls }: ReadOptions,
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
    async (kubeconfig) => readWorkload(workloadOf(), kubeconfig, await readAuthority(client, name, namespace), now),
    reasonOf,
  );
  const drainRules = await client.json<{ items: KubeObject[] }>('GET', `${core(namespace)}/machinedrainrules`);
  return {
    target,
    current: controlPlane && versionOf(controlPlane.spec),
    cluster,
    controlPlane,
    machineDeployments,
    machines,
    drainRules: drainRules.items,
    workload,
    now,
  };
};
