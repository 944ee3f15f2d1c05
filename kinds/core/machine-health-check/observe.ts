import { labelMatcher } from '../../../machinery/api/labels.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { askWorkload } from '../../ports/index.ts';
import type { WorkloadSnapshot } from '../../ports/workload.ts';
import type { Cluster } from '../cluster/schema.ts';
import { templatedKind } from '../contract/clone.ts';
import { type Secret, secretName, secretValue } from '../contract/cluster-secrets.ts';
import { isInitialized } from '../contract/cluster-status.ts';
import { isUnhealthy, machineIsNot } from '../contract/machines.ts';
import { isSkipped } from '../contract/remediation.ts';
import { snapshotOf } from '../contract/workload-snapshot.ts';
import type { Machine } from '../machine/schema.ts';
import { isPreserved } from '../shared/preservation.ts';
import { nodeOf } from '../workload-snapshot/snapshot.ts';
import { contradicts, isOverruled } from './overlap.ts';
import type { Zones } from './restraint.ts';
import type { MachineHealthCheck } from './schema.ts';
import { isPaused, type Target, type Verdict, verdictOf } from './verdict.ts';

export interface Judged {
  machine: Machine;
  verdict: Verdict;
  /** The Machine reports the finding of another check. */
  isOverruled?: boolean;
  /** The object that asks an external controller to remediate the Machine; only with a template. */
  request?: Read<KubeObject>;
}

export interface Observed {
  check: MachineHealthCheck;
  cluster: Cluster | undefined;
  /** Undefined while nothing can be judged: the cluster does not answer, or is not built. */
  judged: Judged[] | undefined;
  /** The selected Machines of a cluster that does not answer. */
  silent?: Machine[];
  /** All Machines of the cluster. */
  machines: readonly Machine[];
  /** The zones of Nodes, by the Node's name. */
  zones: Zones;
  template: Read<KubeObject> | undefined;
}

const isTarget = (machine: Machine): boolean => !isPaused(machine) && !isPreserved(machine) && !isSkipped(machine);

const noKubeconfig: Read<never> = { state: 'unreadable', reason: 'the kubeconfig of the cluster is not there' };

/** The Node as it is now: a Node that recovered since the last probe must not be replaced. */
const liveNode = (read: Reader, cluster: Cluster, name: string): Read<KubeObject> => {
  const { namespace = '', name: clusterName } = cluster.metadata;
  const secret = read.get<Secret>('Secret', { namespace, name: secretName(clusterName, 'kubeconfig') });
  if (secret.state === 'unread' || secret.state === 'unreadable') return secret;
  const kubeconfig = secretValue(found(secret), 'value');
  if (kubeconfig === undefined) return noKubeconfig;
  return askWorkload(read, 'get', { kubeconfig, apiVersion: 'v1', kind: 'Node', name });
};

/** Seconds until an unreadable Node is read again. */
const rereadAfter = 15;

const judge = (
  target: Target,
  { check, cluster }: { check: MachineHealthCheck; cluster: Cluster },
  read: Reader,
  now: number,
): Verdict => {
  const verdict = verdictOf(target, check, cluster, now);
  const isNew = verdict.health === 'unhealthy' && !isUnhealthy(target.machine);
  if (!isNew || !target.node || verdict.condition.reason !== 'UnhealthyNode') return verdict;
  const node = liveNode(read, cluster, target.node.name);
  // The timer of another Machine must not delay this verdict, so it has a timer of its own.
  if (node.state === 'unreadable') return { health: 'pending', nextCheck: rereadAfter };
  const live = found(node);
  return verdictOf({ machine: target.machine, ...(live && { node: nodeOf(live) }) }, check, cluster, now);
};

/** Reads the other checks only for a verdict that would undo a finding. */
const overruling = (
  target: Target,
  verdict: Verdict,
  { check, cluster }: { check: MachineHealthCheck; cluster: Cluster },
  read: Reader,
  now: number,
): Pick<Judged, 'isOverruled'> => {
  if (!contradicts(verdict, target.machine)) return {};
  const { namespace = '', name } = cluster.metadata;
  const others = found(read.list<MachineHealthCheck>('MachineHealthCheck', { namespace, cluster: name })) ?? [];
  return isOverruled(verdict, target, check, others, { cluster, now }) ? { isOverruled: true } : {};
};

/** Nothing is judged meanwhile, but hosts that have ended do not count as healthy. */
const silentOf = (check: MachineHealthCheck, cluster: Cluster, read: Reader): { silent?: Machine[] } => {
  const { namespace = '', name } = cluster.metadata;
  const machines = read.list<Machine>('Machine', { namespace, cluster: name });
  const snapshot = snapshotOf(read, { namespace, name }, cluster);
  const isSilent =
    isInitialized(cluster) && (snapshot?.unreachableSince !== undefined || snapshot?.reachable === false);
  if (!isSilent || machines.state !== 'found') return {};
  const isSelected = labelMatcher(check.spec?.selector);
  return { silent: machines.value.filter((machine) => isSelected(machine.metadata.labels) && isTarget(machine)) };
};

/** The Machines that are checked, with their Nodes. */
const targetsOf = (check: MachineHealthCheck, cluster: Cluster, read: Reader): Target[] | undefined => {
  const { namespace = '', name } = cluster.metadata;
  const machines = read.list<Machine>('Machine', { namespace, cluster: name });
  const snapshot = snapshotOf(read, { namespace, name }, cluster);
  if (machines.state !== 'found') return undefined;
  if (isInitialized(cluster) && (!snapshot?.reachable || snapshot.unreachableSince !== undefined)) return undefined;
  const nodes = new Map(snapshot?.nodes.map((node) => [node.name, node]));
  const isSelected = labelMatcher(check.spec?.selector);
  return machines.value
    .filter((machine) => isSelected(machine.metadata.labels) && isTarget(machine))
    .map((machine) => {
      const node = nodes.get(machine.status?.nodeRef?.name ?? '');
      return { machine, ...(node && { node }) };
    });
};

/** The cloud provider labels each Node, also of a Machine for which no failure domain was chosen. */
const zonesOf = (snapshot: WorkloadSnapshot | undefined): Zones =>
  new Map(
    snapshot?.nodes.flatMap(({ name, labels }) => {
      const zone = labels?.['topology.kubernetes.io/zone'];
      return zone === undefined ? [] : [[name, zone] as const];
    }),
  );

export const observe = (check: MachineHealthCheck, read: Reader, { now, withheld }: Context): Observed => {
  const { namespace = '' } = check.metadata;
  const { clusterName = '', remediation } = check.spec ?? {};
  const cluster = found(read.get<Cluster>('Cluster', { namespace, name: clusterName }));
  const nothing = { check, cluster, judged: undefined, machines: [], zones: new Map(), template: undefined };
  if (!cluster || check.metadata.deletionTimestamp || withheld) return nothing;
  const ref = remediation?.templateRef;
  const requestFor = (machine: Machine, { health }: Verdict): Pick<Judged, 'request'> => {
    const isAsked = health === 'unhealthy' || machineIsNot(machine, 'ExternallyRemediated');
    if (!ref || !isAsked) return {};
    return { request: read.get(templatedKind(ref.kind), { namespace, name: machine.metadata.name }) };
  };
  const judged = targetsOf(check, cluster, read)?.map((target) => {
    const verdict = judge(target, { check, cluster }, read, now);
    return {
      machine: target.machine,
      verdict,
      ...overruling(target, verdict, { check, cluster }, read, now),
      ...requestFor(target.machine, verdict),
    };
  });
  const isSick = judged?.some(({ verdict }) => verdict.health === 'unhealthy');
  return {
    check,
    cluster,
    judged,
    ...(judged ? {} : silentOf(check, cluster, read)),
    machines: found(read.list<Machine>('Machine', { namespace, cluster: clusterName })) ?? [],
    zones: zonesOf(snapshotOf(read, { namespace, name: clusterName }, cluster)),
    template: ref && isSick ? read.get(ref.kind, { namespace, name: ref.name }) : undefined,
  };
};
