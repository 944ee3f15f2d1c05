/** `capstan rollout status`, because kubectl's own supports only Deployments, DaemonSets and StatefulSets. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KubeObject } from '../machinery/api/object.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import { findOperation } from './operation.ts';
import type { Print } from './output.ts';

interface Kind {
  /** Names that `kubectl get` accepts. */
  names: readonly string[];
  /** The plural with its group, as kubectl prints it. */
  resource: string;
  path: string;
}

const kinds: readonly Kind[] = [
  {
    names: ['machinedeployment', 'machinedeployments', 'md'],
    resource: 'machinedeployment.cluster.x-k8s.io',
    path: '/apis/cluster.x-k8s.io/v1beta2/namespaces/%/machinedeployments',
  },
  {
    names: ['kubeadmcontrolplane', 'kubeadmcontrolplanes', 'kcp'],
    resource: 'kubeadmcontrolplane.controlplane.cluster.x-k8s.io',
    path: '/apis/controlplane.cluster.x-k8s.io/v1beta2/namespaces/%/kubeadmcontrolplanes',
  },
];

interface RolloutStatus {
  observedGeneration?: number;
  replicas?: number;
  upToDateReplicas?: number;
  availableReplicas?: number;
}

/** The progress of a rollout. A pure function. */
export const progressOf = ({ metadata, spec, status }: KubeObject): { isComplete: boolean; message: string } => {
  const desired = (spec as { replicas?: number } | undefined)?.replicas ?? 1;
  const {
    observedGeneration = 0,
    replicas = 0,
    upToDateReplicas = 0,
    availableReplicas = 0,
  } = (status ?? {}) as RolloutStatus;
  const waiting = (message: string) => ({ isComplete: false, message });
  if (metadata.deletionTimestamp) throw new CliError(`${metadata.name} is being deleted`);
  if (observedGeneration < (metadata.generation ?? 0)) return waiting('waiting for its spec to be observed');
  if (upToDateReplicas < desired) return waiting(`${upToDateReplicas} of ${desired} replicas are up to date`);
  if (replicas > upToDateReplicas)
    return waiting(`${replicas - upToDateReplicas} old replicas are pending termination`);
  if (availableReplicas < desired) return waiting(`${availableReplicas} of ${desired} replicas are available`);
  return { isComplete: true, message: 'successfully rolled out' };
};

const targetOf = (object: string): { kind: Kind; name: string } => {
  const [typed = '', name, ...rest] = object.split('/');
  const word = typed.toLowerCase().split('.')[0]!;
  const kind = kinds.find(({ names }) => names.includes(word));
  if (!name || rest.length > 0) throw new CliError(`${object} is not of the form kind/name`, 2);
  if (!kind) throw new CliError(`${typed} has no rollouts: name a machinedeployment or a kubeadmcontrolplane`, 2);
  return { kind, name };
};

/** Phases in which an upgrade waits for its user. */
const stopped: readonly string[] = ['Held', 'RolledBack', 'Cancelled'];

/** Why the rollout does not go on before a user acts: its upgrade is held, or did not succeed. */
const endOf = async (client: ApiClient, { metadata, kind }: KubeObject): Promise<string | undefined> => {
  const { namespace = '', name, labels = {} } = metadata;
  const clusterName = labels['cluster.x-k8s.io/cluster-name'];
  if (clusterName === undefined) return undefined;
  const cluster = await client.find(`/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/clusters/${clusterName}`);
  const operation = cluster && (await findOperation(client, cluster));
  const phase = operation?.status?.phase;
  const covers = operation?.spec?.objects?.some((one) => one.kind === kind && one.name === name);
  if (!operation || !covers || phase === undefined || !stopped.includes(phase)) return undefined;
  return `ClusterOperation ${operation.metadata.name} is ${phase}: ${operation.status?.message ?? ''}`;
};

export interface RolloutOptions {
  namespace?: string;
  watch: boolean;
  /** Seconds. */
  timeout?: number;
}

const period = 2_000;
/** Milliseconds after which a changed spec has an operation. */
const settling = 5_000;

export const rolloutStatus = async (
  client: ApiClient,
  object: string,
  { namespace = client.namespace, watch, timeout = Number.POSITIVE_INFINITY }: RolloutOptions,
  print: Print = console.log,
  every = period,
  settled = settling,
): Promise<void> => {
  const { kind, name } = targetOf(object);
  const path = `${kind.path.replace('%', namespace)}/${encodeURIComponent(name)}`;
  const end = Date.now() + timeout * 1000;
  let last = '';
  let lastEnd: string | undefined;
  let endedAt = 0;
  for (;;) {
    const found = await client.find(path);
    if (!found) throw new CliError(`${kind.resource} "${name}" not found in namespace ${namespace}`);
    const { isComplete, message } = progressOf(found);
    const line = `${kind.resource}/${name}: ${message}`;
    if (line !== last) print(line);
    last = line;
    if (isComplete || !watch) return;
    // An operation that has just begun is named a moment after the spec has changed.
    const ended = await endOf(client, found);
    if (ended !== undefined && ended === lastEnd && Date.now() - endedAt >= settled) throw new CliError(ended);
    if (ended !== lastEnd) endedAt = Date.now();
    lastEnd = ended;
    if (Date.now() + every > end) throw new CliError(`timed out after ${timeout} seconds: ${message}`);
    await wait(every);
  }
};
