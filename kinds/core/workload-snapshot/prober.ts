/** Probes a workload cluster and plans the snapshot and the time of the next probe. */
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import {
  type Action,
  type Context,
  found,
  type Plan,
  type Read,
  type Reader,
} from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { deletionOf, isOwnedBy, patchAsObserved } from '../../common/owners.ts';
import { askWorkload } from '../../ports/index.ts';
import { type EtcdStatus, unusableKubeconfig, type WorkloadSnapshot } from '../../ports/workload.ts';
import { type Secret, secretName, secretValue } from '../contract/cluster-secrets.ts';
import { type EtcdProof, etcdProof } from '../contract/etcd-client.ts';
import { isDeleting } from '../contract/machines.ts';
import { withheldBy } from '../contract/scope.ts';
import type { MachineDigest } from '../machine/digest.ts';
import { type Access, dropAccess, eventsOf, keepAccess, observeAccess, renewalIn } from './access.ts';
import type { WorkloadSnapshotObject } from './index.ts';
import { isReporting, observePush, type Push, reportedPeriod } from './push.ts';
import { isRelevantChange } from './relevant-change.ts';
import { controlPlanePodOf, isReadyApiServer, nextSnapshot, type Probe } from './snapshot.ts';

/**
 * Seconds between probes. A busy cluster is probed every 15 to 60 seconds, an idle one every 1 to
 * 10 minutes; both intervals grow with the time since the last change.
 */
export const busyPeriod = 15;
/** After a change: a new Node becomes ready some seconds later. */
export const nextPeriod = 5;
/** While a Node is expected to join: its Machine waits for the probe. */
export const eagerPeriod = 3;
/** Nodes listed per second at most, which spaces out the probes of large clusters. */
const nodesASecond = 50;
/** No launched host becomes a Node sooner. */
const shortestBoot = 30;
const idlePeriod = 60;
const longestPeriod = 600;
/** Of a cluster that does not answer: its Machines wait for the news that it does. */
const longestSilentPeriod = 300;
/** Probing after a tenth of the idle time reports a change at most a tenth of that time late. */
const share = 10;
/**
 * A busy cluster keeps the shortest period for its first ten minutes, because a controller or user
 * probably waits for the change.
 */
const shareOfWaiting = 40;

export interface Observed {
  cluster: KubeObject;
  isTornDown: boolean;
  previous: Read<WorkloadSnapshotObject>;
  machines: readonly MachineDigest[];
  /**
   * Absent until the control plane has written a kubeconfig, and once the cluster is known to have
   * none.
   */
  probe?: Probe;
  /** Only for a Cluster without a control plane object. */
  access?: Access;
  /** Only for a cluster that a MachineHealthCheck looks after. */
  push?: Push | undefined;
}

const reasonOf = (read: Read<unknown>): string | undefined => (read.state === 'unreadable' ? read.reason : undefined);

const observeEtcd = (
  kubeconfig: string,
  proof: EtcdProof | undefined,
  pods: KubeObject[],
  read: Reader,
): Pick<Probe, 'etcd' | 'etcdUnreadable'> => {
  const nodes = pods
    .filter((pod) => pod.metadata.labels?.component === 'etcd')
    .map((pod) => (pod.spec as { nodeName?: string } | undefined)?.nodeName ?? '')
    .filter((node) => node !== '')
    .sort();
  if (nodes.length === 0 || !proof) return {};
  const etcd: Read<EtcdStatus> = askWorkload(read, 'etcd', { kubeconfig, ...proof, nodes });
  const why = reasonOf(etcd);
  return { ...(etcd.state === 'found' && { etcd: etcd.value }), ...(why !== undefined && { etcdUnreadable: why }) };
};

/**
 * A certificate that covered the endpoint is read again only after its API server was not ready, as
 * it loads no other without a restart.
 */
const observeCertificates = (
  kubeconfig: string,
  pods: readonly KubeObject[],
  last: WorkloadSnapshot | undefined,
  read: Reader,
): ReadonlyMap<string, boolean> => {
  const known = (last?.controlPlanePods ?? []).filter(({ coversEndpoint }) => coversEndpoint === true);
  const covers = new Map(known.map(({ node }) => [node, true]));
  for (const { node } of pods.flatMap((pod) => controlPlanePodOf(pod) ?? []).filter(isReadyApiServer)) {
    if (covers.has(node)) continue;
    const certificate = found(askWorkload(read, 'servingCertificate', { kubeconfig, node }));
    if (certificate) covers.set(node, certificate.coversEndpoint);
  }
  return covers;
};

const observeWorkload = (
  kubeconfig: string,
  proof: EtcdProof | undefined,
  last: WorkloadSnapshot | undefined,
  read: Reader,
): Probe => {
  const access = { kubeconfig };
  const version = askWorkload(read, 'version', access);
  const nodes = askWorkload(read, 'list', { ...access, apiVersion: 'v1', kind: 'Node' });
  const pods = askWorkload(read, 'list', {
    ...access,
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'kube-system',
    labelSelector: 'tier=control-plane',
  });
  const kubeadm = askWorkload(read, 'get', {
    ...access,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'kube-system',
    name: 'kubeadm-config',
  });
  const reason = [version, nodes, pods, kubeadm].map(reasonOf).find((why) => why !== undefined);
  if (reason !== undefined) return { reason };
  const podList = found(pods)?.items ?? [];
  return {
    version: found(version)?.gitVersion ?? '',
    nodes: found(nodes)?.items ?? [],
    pods: podList,
    initialized: kubeadm.state === 'found',
    coversEndpoint: observeCertificates(kubeconfig, podList, last, read),
    ...observeEtcd(kubeconfig, proof, podList, read),
  };
};

/** Names the Secret whose content is at fault. */
const naming = (secret: string, probe: Probe): Probe =>
  probe.reason?.startsWith(unusableKubeconfig) ? { reason: `Secret ${secret}: ${probe.reason}` } : probe;

export const observe = (cluster: KubeObject, read: Reader, context: Context): Observed => {
  const { namespace = '', name } = cluster.metadata;
  const previous = read.get('WorkloadSnapshot', { namespace, name });
  const isTornDown = withheldBy(cluster, cluster, context.config)?.releases ?? false;
  const own = observeAccess(cluster, read, context.now);
  const more = own && { access: own };
  if (isTornDown) return { cluster, isTornDown, previous, machines: [], ...more };
  // All reads are issued together up front: each round of reads costs a wait.
  const secretOf = (purpose: 'kubeconfig' | 'etcd') =>
    read.get<Secret>('Secret', { namespace, name: secretName(name, purpose) });
  const authority = found(secretOf('etcd'));
  const access = secretOf('kubeconfig');
  const kubeconfig = secretValue(found(access), 'value');
  const isEmpty = access.state === 'found' && !kubeconfig && !isDeleting(cluster);
  const isLost = access.state === 'absent' && found(previous)?.spec?.reachable && !isDeleting(cluster);
  const last = found(previous)?.spec;
  const proof = kubeconfig ? found(etcdProof(authority, 'capstan-prober', read, context.now)) : undefined;
  const machines = found(read.facts<MachineDigest>('Machine', { namespace, cluster: name })) ?? [];
  return {
    cluster,
    isTornDown,
    previous,
    ...more,
    machines,
    ...(machines.some(({ isChecked }) => isChecked) && { push: observePush(cluster, read, context) }),
    ...(isLost && { probe: { reason: 'The kubeconfig is gone' } }),
    ...(isEmpty && { probe: naming(secretName(name, 'kubeconfig'), { reason: `${unusableKubeconfig}: it is empty` }) }),
    ...(kubeconfig && {
      probe: naming(secretName(name, 'kubeconfig'), observeWorkload(kubeconfig, proof, last, read)),
    }),
  };
};

const busyConditions = ['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating', 'Deleting'];

const conditionsOf = (cluster: KubeObject): Condition[] =>
  (cluster.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];

const isMoving = ({ isDeleting, lacksNode }: MachineDigest): boolean => Boolean(isDeleting || lacksNode);

/**
 * The cluster is not Available, is rolling out, scaling or deleting, or a Node is joining or
 * leaving.
 */
const isBusy = (cluster: KubeObject, machines: readonly MachineDigest[]): boolean => {
  const conditions = conditionsOf(cluster);
  return (
    machines.some(isMoving) ||
    !conditions.some((c) => c.type === 'Available' && c.status === 'True') ||
    conditions.some((c) => busyConditions.includes(c.type) && c.status === 'True')
  );
};

/**
 * Seconds until an expected Node may have joined. The longer a host boots, the longer the period.
 */
const expectedIn = (machines: readonly MachineDigest[], now: number): number[] =>
  machines
    .filter(({ isDeleting }) => !isDeleting)
    .flatMap(({ bootsSince }) => (bootsSince === undefined ? [] : [(now - Date.parse(bootsSince)) / 1000]))
    .map((age) => (age < shortestBoot ? shortestBoot - age : age / share));

/**
 * Milliseconds since the epoch: when the latest Machine began to wait for its Node or to be
 * deleted.
 */
const movingSince = (machines: readonly MachineDigest[], now: number): number =>
  Math.max(0, ...machines.filter(isMoving).map(({ since }) => (since === undefined ? now : Date.parse(since))));

/** Milliseconds since the epoch: the last known change in the cluster. */
const lastChange = (cluster: KubeObject, { reachableSince, nodes }: WorkloadSnapshot) => {
  const conditions = [...conditionsOf(cluster), ...nodes.flatMap((node) => node.conditions)];
  const times = [
    cluster.metadata.creationTimestamp,
    reachableSince,
    ...conditions.map(({ lastTransitionTime }) => lastTransitionTime),
  ];
  return times.reduce((latest, time) => Math.max(latest, Date.parse(time ?? '') || 0), 0);
};

/** A health check counts the seconds for which a Node has been unhealthy. */
const longestFor = ({ machines, push, probe }: Observed, context: Context): number => {
  if (!machines.some(({ isChecked }) => isChecked)) return longestPeriod;
  return push && isReporting(push, probe?.pods ?? [], context) ? reportedPeriod : idlePeriod;
};

const basePeriodOf = (observed: Observed, next: WorkloadSnapshot, hasNews: boolean, context: Context): number => {
  const { cluster, machines } = observed;
  const { now } = context;
  const seconds = (since: number) => (now - since) / 1000;
  const waited = (since: number, least: number) =>
    Math.min(idlePeriod, Math.max(least, seconds(since) / shareOfWaiting));
  if (next.failures > 0) {
    // The last control plane host stops answering while everything is deleted, and no controller
    // waits for it.
    const isLast = isDeleting(cluster) && machines.every((one) => one.isDeleting);
    const since = Date.parse(next.unreachableSince ?? '') || now;
    // A cluster that has not answered for long probably does not answer the next probe either, unless
    // one of its hosts is on the way.
    const backoff = machines.some(isMoving) ? 0 : Math.min(longestSilentPeriod, seconds(since) / share);
    return Math.max(waited(since, isLast ? idlePeriod : busyPeriod), backoff);
  }
  const since = lastChange(cluster, next);
  if (!isBusy(cluster, machines))
    return Math.min(longestFor(observed, context), Math.max(idlePeriod, seconds(since) / share));
  return hasNews ? nextPeriod : waited(Math.max(since, movingSince(machines, now)), busyPeriod);
};

/** Seconds of booting after which a first host that does not answer is worth reporting. */
const longestBoot = 180;

/**
 * No API server can answer yet: the cluster has only first hosts, none of them ever was a Node, and
 * all of them still boot.
 */
const isFirstBoot = ({ previous, machines }: Observed, now: number): boolean =>
  previous.state === 'absent' &&
  machines.length > 0 &&
  machines.every(
    ({ lacksNode, bootsSince }) =>
      lacksNode && (bootsSince === undefined || now - Date.parse(bootsSince) < longestBoot * 1000),
  );

/** The shortest period between probes, because each probe lists all Nodes. */
const leastPeriod = ({ nodes }: WorkloadSnapshot): number => Math.max(eagerPeriod, nodes.length / nodesASecond);

const periodOf = (observed: Observed, next: WorkloadSnapshot, hasNews: boolean, context: Context): number => {
  const expected = expectedIn(observed.machines, context.now);
  const wanted = Math.min(basePeriodOf(observed, next, hasNews, context), ...expected);
  return Math.round(Math.max(leastPeriod(next), wanted));
};

const save = (cluster: KubeObject, previous: WorkloadSnapshotObject | undefined, next: WorkloadSnapshot): Action[] => {
  if (!previous) {
    const { namespace = '', name, uid = '' } = cluster.metadata;
    return [
      {
        do: 'create',
        object: {
          apiVersion: 'capstan.dev/v1alpha1',
          kind: 'WorkloadSnapshot',
          metadata: {
            namespace,
            name,
            labels: { 'cluster.x-k8s.io/cluster-name': name },
            ownerReferences: [{ apiVersion: cluster.apiVersion, kind: 'Cluster', name, uid }],
          },
          spec: next,
        },
      },
    ];
  }
  const last = previous.spec as WorkloadSnapshot;
  if (!isRelevantChange(last, next)) return [];
  const dropped = Object.keys(last).filter((field) => !(field in next));
  const spec = { ...next, ...Object.fromEntries(dropped.map((field) => [field, null])) };
  // Conditional on the observed resourceVersion: a stalled pass has seen less than the pass that
  // wrote since.
  return [patchAsObserved(previous, { spec })];
};

/**
 * Deletes the snapshot of a former Cluster of the same name first: the garbage collector would
 * otherwise delete this cluster's snapshot with it.
 */
const deleteFormer = (snapshot: KubeObject): Plan => ({ actions: [deletionOf(snapshot)], again: true });

const probeAndSave = (observed: Observed, context: Context): Plan => {
  const { now, config } = context;
  const { cluster, previous, probe, access } = observed;
  const last = found(previous);
  const renewal = access && renewalIn(access, now);
  if (!probe || previous.state === 'unreadable') return renewal === undefined ? {} : { requeueAfter: renewal };
  if (last && !isOwnedBy(last, cluster)) return deleteFormer(last);
  const next = nextSnapshot(last?.spec, probe, now);
  const speed = speedOf(config);
  const actions = !next.reachable && isFirstBoot(observed, now) ? [] : save(cluster, last, next);
  const debounce = leastPeriod(next) > eagerPeriod ? { debounce: leastPeriod(next) / speed } : {};
  return { actions, ...debounce, requeueAfter: periodOf(observed, next, actions.length > 0, context) / speed };
};

/**
 * Config: `speed` divides the period, as it does the delays of a simulated account. A cluster
 * without a kubeconfig is not probed: the Secret's creation wakes the prober. If a cluster that
 * answered loses its kubeconfig, the probe fails.
 */
export const reconcile = (observed: Observed, context: Context): Plan => {
  const { access, isTornDown, previous } = observed;
  const last = found(previous);
  const kept = access ? (isTornDown ? dropAccess(access) : keepAccess(access)) : [];
  // A snapshot must not carry over from one creation attempt to the next.
  const deleted = isTornDown && last && !isDeleting(last) ? [deletionOf(last)] : [];
  const plan = isTornDown ? {} : probeAndSave(observed, context);
  const actions = [...kept, ...deleted, ...(plan.actions ?? [])];
  const events = access && !isTornDown ? eventsOf(access) : [];
  return { ...plan, ...(actions.length > 0 && { actions }), ...(events.length > 0 && { events }) };
};
