/** `capstan get`: the kubeconfig of a workload cluster, and the clusters of every installation. */
import { scheduleAnnotations } from '../kinds/common/schedule-annotations.ts';
import { operationAnnotations } from '../kinds/core/contract/target.ts';
import type { Condition, KubeObject } from '../machinery/api/object.ts';
import { dataOf, refusalOf } from './answer.ts';
import { type ApiClient, capstanContexts, kubeconfigPath, openClient } from './client.ts';
import { CliError } from './errors.ts';
import { renderItems } from './output.ts';
import { duration } from './table.ts';

export const readWorkloadKubeconfig = async (
  client: ApiClient,
  name: string,
  namespace: string = client.namespace,
): Promise<string> => {
  const path = `/api/v1/namespaces/${namespace}/secrets/${name}-kubeconfig`;
  const secret = await client.find<KubeObject & { data?: { value?: string } }>(path);
  if (!secret?.data?.value)
    throw new CliError(`cluster ${name} has no kubeconfig yet: Secret ${namespace}/${name}-kubeconfig does not exist`);
  return Buffer.from(secret.data.value, 'base64').toString('utf8');
};

interface Row {
  context: string;
  namespace: string;
  name: string;
  available: string;
  phase: string;
  /** Of its control plane. */
  version: string;
  /** The operation that runs, or ran last. */
  operation: string;
  /** When the last etcd snapshot was completed. */
  lastSnapshot: string;
  created: string;
}

interface ClusterStatus {
  phase?: string;
  conditions?: Condition[];
  controlPlane?: { versions?: { version: string }[] };
}

const rowOf = (context: string, { metadata, status }: KubeObject): Row => {
  const { phase = '', conditions = [], controlPlane } = (status ?? {}) as ClusterStatus;
  return {
    context,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    available: conditions.find(({ type }) => type === 'Available')?.status ?? 'Unknown',
    phase,
    version: (controlPlane?.versions ?? []).map(({ version }) => version).join(','),
    operation: metadata.annotations?.[operationAnnotations.operation] ?? '',
    lastSnapshot: metadata.annotations?.[scheduleAnnotations.last] ?? '',
    created: metadata.creationTimestamp ?? '',
  };
};

const since = (time: string): string => (time ? duration(Date.now() - Date.parse(time)) : '');

/** Milliseconds: the other control planes are to be shown soon. */
const timeout = 15_000;

const clustersIn = (namespace?: string): string =>
  `/apis/cluster.x-k8s.io/v1beta2/${namespace === undefined ? '' : `namespaces/${namespace}/`}clusters`;

/** `namespace`: the only one that the user may list, as far as the context tells. */
const listClusters = async (client: ApiClient): Promise<{ items: KubeObject[]; namespace?: string }> => {
  const answer = await client.request('GET', clustersIn());
  if (answer.code < 400) return dataOf<{ items: KubeObject[] }>(answer.body);
  if (answer.code !== 403) throw refusalOf(answer);
  const { namespace } = client;
  return { ...(await client.json<{ items: KubeObject[] }>('GET', clustersIn(namespace))), namespace };
};

/** Lists clusters of all reachable control planes. Names the others on stderr and exits with 1. */
export const getClusters = async (kubeconfig: string | undefined, output: string | undefined): Promise<void> => {
  const path = kubeconfigPath(kubeconfig);
  const contexts = capstanContexts(path);
  const answers = await Promise.allSettled(
    contexts.map(async (context) => {
      const client = openClient(path, { context, timeout });
      const { items, namespace } = await listClusters(client);
      return { rows: items.map((item) => rowOf(context, item)), namespace };
    }),
  );
  const rows = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.rows : []));
  for (const [i, answer] of answers.entries()) {
    if (answer.status === 'fulfilled') {
      const { namespace } = answer.value;
      if (namespace !== undefined)
        process.stderr.write(
          `context ${contexts[i]}: namespace ${namespace} only; its user may not list clusters in all\n`,
        );
      continue;
    }
    process.stderr.write(`error: context ${contexts[i]}: ${(answer.reason as Error).message}\n`);
    process.exitCode = 1;
  }
  // A control plane that was not read may have clusters.
  const isUnknown = rows.length === 0 && answers.some(({ status }) => status === 'rejected');
  if (isUnknown && output === undefined) return;
  console.log(
    renderItems(
      rows,
      output,
      ['CONTEXT', 'NAMESPACE', 'NAME', 'AVAILABLE', 'PHASE', 'VERSION', 'OPERATION', 'SNAPSHOT', 'AGE'],
      (row) => [
        row.context,
        row.namespace,
        row.name,
        row.available,
        row.phase,
        row.version,
        row.operation,
        since(row.lastSnapshot),
        since(row.created),
      ],
    ),
  );
};
