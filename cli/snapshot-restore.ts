/** `capstan snapshot restore`: has a cluster's etcd restored from a snapshot. */
import type { EtcdSnapshot } from '../kinds/capstan/etcd-snapshot/index.ts';
import { overrideOf } from '../kinds/core/contract/override.ts';
import { policyAnnotations } from '../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../kinds/operations/cluster-operation/index.ts';
import { unkept } from '../kinds/operations/restore/disks.ts';
import { isRestore } from '../kinds/operations/restore/is-restore.ts';
import { replacementOf, youngerThan } from '../kinds/operations/restore/younger.ts';
import { operationName } from '../kinds/operations/starter/new-operation.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import { messageOf } from './answer.ts';
import type { ApiClient } from './client.ts';
import { confirm } from './confirm.ts';
import { CliError } from './errors.ts';
import { typed } from './output.ts';
import { clusterPath, pathOf, provenSnapshot, type SnapshotOptions } from './snapshot.ts';

export interface RestoreOptions extends SnapshotOptions {
  /** Absent: the name is the snapshot's. Else the name is the cluster's. */
  snapshot?: string;
  /** Codes of findings that this restore goes on in spite of. */
  override?: string;
  yes?: boolean;
}

interface Target {
  cluster: string;
  snapshot: string;
}

/** A snapshot knows its cluster. */
const targetOf = async (client: ApiClient, namespace: string, name: string): Promise<Target> => {
  const snapshot = await client.find<EtcdSnapshot>(pathOf(namespace, name));
  if (!snapshot)
    throw new CliError(
      `etcdsnapshots.capstan.dev "${name}" not found in namespace ${namespace}; "${typed('snapshot list')}" shows what there is`,
    );
  return { cluster: snapshot.spec?.clusterName ?? '', snapshot: name };
};

const operationsPath = (namespace: string): string =>
  `/apis/capstan.dev/v1alpha1/namespaces/${namespace}/clusteroperations`;

const nextAttempt = async (client: ApiClient, namespace: string, cluster: string): Promise<number> => {
  const { items } = await client.json<{ items: ClusterOperation[] }>('GET', operationsPath(namespace));
  const restores = items.filter((one) => one.spec?.clusterName === cluster && isRestore(one));
  return Math.max(0, ...restores.map(({ spec }) => spec?.attempt ?? 0)) + 1;
};

/** Asks the server, which refuses what cannot be restored; `dryRun` changes nothing. */
const ask = async (
  client: ApiClient,
  namespace: string,
  { cluster, snapshot }: Target,
  dryRun: boolean,
): Promise<string> => {
  const attempt = await nextAttempt(client, namespace, cluster);
  const name = operationName(cluster, 'restore', attempt);
  const body = JSON.stringify({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'ClusterOperation',
    metadata: { name },
    spec: { clusterName: cluster, type: 'restore', snapshot },
  });
  const answer = await client.request('POST', `${operationsPath(namespace)}${dryRun ? '?dryRun=All' : ''}`, { body });
  if (answer.code >= 400) throw new CliError(messageOf(answer));
  return name;
};

const machinesOf = async (client: ApiClient, namespace: string, cluster: string): Promise<KubeObject[]> => {
  const selector = encodeURIComponent(`cluster.x-k8s.io/cluster-name=${cluster}`);
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/machines?labelSelector=${selector}`;
  return (await client.json<{ items: KubeObject[] }>('GET', path)).items;
};

/** Refuses codes that no finding of a restore has. */
const codesIn = (override: string): string[] => {
  const codes = override.split(',').filter(Boolean);
  for (const code of codes)
    if (code !== unkept)
      throw new CliError(
        `no finding of a restore has the code ${code}${code.toLowerCase() === unkept.toLowerCase() ? `: did you mean ${unkept}?` : `; it can be overridden by ${unkept}`}`,
        2,
      );
  return codes;
};

const questionOf = (
  cluster: string,
  operation: string,
  { metadata, status }: EtcdSnapshot,
  machines: KubeObject[],
  isGivenUp: boolean,
): string => {
  const younger = replacementOf(youngerThan(machines, status?.completedAt));
  return [
    `Cluster ${cluster} returns to its state of ${status?.completedAt} (EtcdSnapshot ${metadata.name}, revision ${status?.revision}).`,
    `Before anything is deleted, the present is saved: as EtcdSnapshot ${operation}-before while etcd answers, else by copying the disks of its hosts.`,
    ...(isGivenUp
      ? [
          `Where AWS refuses such a copy, or it is not complete after ten minutes, the restore goes on (${unkept} is overridden), and what is on the disk is lost for good.`,
        ]
      : []),
    'Every object written since is lost. Every control-plane machine is replaced, and the API does not answer meanwhile.',
    ...(younger ? [`${younger}.`] : []),
  ].join('\n');
};

/** The operation that is created next has this name, and no other one takes notice. */
const overrideFor = async (client: ApiClient, path: string, operation: string, codes: string[]): Promise<void> => {
  const annotations = { [policyAnnotations.override]: overrideOf(operation, codes) };
  await client.json('PATCH', path, {
    body: JSON.stringify({ metadata: { annotations } }),
    contentType: 'application/merge-patch+json',
  });
};

/** Returns a report. Throws if the server refuses, or the user does. */
export const restoreSnapshot = async (
  client: ApiClient,
  given: string,
  { namespace = client.namespace, snapshot: named, override, yes, ...waiting }: RestoreOptions,
  now = Date.now(),
): Promise<string> => {
  const codes = codesIn(override ?? '');
  const target = named === undefined ? await targetOf(client, namespace, given) : { cluster: given, snapshot: named };
  const { cluster, snapshot } = target;
  if (!(await client.find(clusterPath(namespace, cluster))))
    throw new CliError(
      `clusters.cluster.x-k8s.io "${cluster}" not found in namespace ${namespace}; to create a cluster that begins with etcdsnapshot ${snapshot}, run:  ${typed(`snapshot restore ${snapshot} --into NEW -f FILE`)}`,
    );
  const next = await ask(client, namespace, target, true);
  // The operation reads the file again before it stops the first member, when its user may be gone.
  const proven = await provenSnapshot(client, snapshot, { namespace, ...waiting }, now);
  if (!yes) {
    const machines = await machinesOf(client, namespace, cluster);
    await confirm(questionOf(cluster, next, proven, machines, codes.length > 0), cluster);
  }
  if (codes.length > 0) await overrideFor(client, clusterPath(namespace, cluster), next, codes);
  const name = await ask(client, namespace, target, false);
  return `clusteroperation/${name} created\nFollow it with: capstan describe cluster ${cluster} -n ${namespace} -w`;
};
