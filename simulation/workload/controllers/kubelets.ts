/**
 * Kubelets: they start and stop pods and publish static pods; and the fate of pods without a
 * kubelet.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { delays } from '../delays.ts';
import {
  conditionOf,
  controllerOf,
  isMirrorPod,
  isTrue,
  type NodeObject,
  type PodObject,
  type PodStatus,
  type StatusCondition,
  withCondition,
} from '../objects.ts';
import { annotationsOf, mirrorPod, mirrorPodName } from '../static-pod.ts';
import { type ClusterController, type Host, hash, type Plan, type World } from '../world.ts';
import { tolerates } from './node-filters.ts';

/** A pod network address that depends only on the pod. */
const podAddress = (pod: PodObject, subnet: string | undefined): string => {
  const [base = '192.168.0.0'] = (subnet ?? '').split(/[/,]/);
  const [a, b] = (base || '192.168.0.0').split('.');
  const value = hash(pod.metadata.uid ?? pod.metadata.name);
  return `${a}.${b}.${(value >>> 8) & 255}.${(value % 253) + 1}`;
};

const allConditions = (pod: PodObject, ready: boolean, now: number, reason?: string): StatusCondition[] => {
  let conditions = pod.status?.conditions;
  for (const type of ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']) {
    const isAboutReady = type === 'Ready' || type === 'ContainersReady';
    const status = isAboutReady && !ready ? 'False' : 'True';
    const why = isAboutReady && !ready && reason ? { reason } : {};
    conditions = withCondition(conditions, { type, status, lastProbeTime: null, ...why }, now);
  }
  return conditions!;
};

const started = (pod: PodObject, host: Host, world: World): PodStatus => {
  const { now } = world;
  const podIP = pod.spec?.hostNetwork ? host.instance.privateIp : podAddress(pod, world.cluster.podSubnet);
  return {
    ...pod.status,
    phase: 'Running',
    conditions: allConditions(pod, true, now),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      ready: true,
      started: true,
      restartCount: 0,
      image,
      imageID: image,
      containerID: `containerd://${hash(`${pod.metadata.uid}${name}`).toString(16).padStart(8, '0').repeat(8)}`,
      state: { running: { startedAt: timestamp(now) } },
    })),
    hostIP: host.instance.privateIp,
    hostIPs: [{ ip: host.instance.privateIp }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? timestamp(now),
    qosClass: 'BestEffort',
  };
};

/** A pod whose command fails. */
const isInVain = ({ spec }: PodObject): boolean => spec?.containers?.[0]?.command?.[0] === 'false';

/** The status of a pod whose containers have all exited. */
const exited = (pod: PodObject, isFailure: boolean, now: number): PodStatus => ({
  ...pod.status,
  phase: isFailure ? 'Failed' : 'Succeeded',
  conditions: allConditions(pod, false, now, isFailure ? 'PodFailed' : 'PodCompleted'),
  containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    ready: false,
    started: false,
    state: {
      terminated: {
        ...(isFailure ? { exitCode: 1, reason: 'Error' } : { exitCode: 0, reason: 'Completed' }),
        startedAt: status.state?.running?.startedAt ?? timestamp(now),
        finishedAt: timestamp(now),
      },
    },
  })),
});

/** When the deletion was requested; deletionTimestamp is the end of the grace period. */
const askedToEnd = ({ metadata }: PodObject): number =>
  Date.parse(metadata.deletionTimestamp!) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;

/** Pods become ready again when their node reports again after a silence, or their ailment ends. */
const readyAgain = (pod: PodObject, now: number): PodStatus => ({
  ...pod.status,
  conditions: withCondition(pod.status?.conditions, { type: 'Ready', status: 'True', lastProbeTime: null }, now),
  containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({
    ...status,
    ready: true,
    state: status.state?.waiting ? { running: { startedAt: timestamp(now) } } : status.state,
  })),
});

/**
 * These keep serving when their probes fail; other components end as soon as the failure begins.
 */
const probed = new Set(['etcd', 'kube-apiserver']);
const ill = (pod: PodObject, component: string, now: number): PodStatus => {
  const reason = 'ContainersNotReady';
  const waiting = { reason: 'CrashLoopBackOff', message: `back-off 5m0s restarting failed container=${component}` };
  return {
    ...pod.status,
    conditions: withCondition(
      pod.status?.conditions,
      { type: 'Ready', status: 'False', lastProbeTime: null, reason },
      now,
    ),
    containerStatuses: (pod.status?.containerStatuses ?? []).map((status) => ({
      ...status,
      ready: false,
      ...(!probed.has(component) && { state: { waiting } }),
    })),
  };
};

const runPod = (pod: PodObject, node: NodeObject, host: Host, world: World, plan: Plan): void => {
  const { now } = world;
  const since = (time: string | undefined, delay: number) =>
    plan.reached(Date.parse(time ?? timestamp(now)) + world.scaled(delay), now);
  const phase = pod.status?.phase ?? 'Pending';
  if (pod.metadata.deletionTimestamp) {
    if (!plan.reached(askedToEnd(pod) + world.scaled(delays.podStop), now)) return;
    // Finalizers keep the object, not the containers.
    if ((pod.metadata.finalizers ?? []).length === 0) plan.remove('pods', pod);
    else if (phase === 'Running') plan.update('pods', { ...pod, status: exited(pod, isInVain(pod), now) });
    return;
  }
  if (phase === 'Pending' && since(pod.status?.startTime ?? pod.metadata.creationTimestamp, delays.podStart))
    plan.update('pods', { ...pod, status: started(pod, host, world) });
  if (phase !== 'Running') return;
  const component = isMirrorPod(pod) ? pod.metadata.labels?.component : undefined;
  if (component && component === host.illComponent) {
    if (isTrue(pod, 'Ready')) plan.update('pods', { ...pod, status: ill(pod, component, now) });
    return;
  }
  if (!isTrue(pod, 'Ready') && isTrue(node, 'Ready')) plan.update('pods', { ...pod, status: readyAgain(pod, now) });
  const startedAt = pod.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  if ((controllerOf(pod)?.kind === 'Job' || isInVain(pod)) && since(startedAt, delays.jobRun))
    plan.update('pods', { ...pod, status: exited(pod, isInVain(pod), now) });
};

/** A silent node's pods become unready; NoExecute taints end them after their tolerationSeconds. */
const losePod = (pod: PodObject, node: NodeObject, world: World, plan: Plan): void => {
  const { now } = world;
  if (conditionOf(node, 'Ready')?.status === 'Unknown' && isTrue(pod, 'Ready')) {
    const ready = { type: 'Ready', status: 'False' as const, lastProbeTime: null };
    plan.update('pods', {
      ...pod,
      status: { ...pod.status, conditions: withCondition(pod.status?.conditions, ready, now) },
    });
    return;
  }
  if (isMirrorPod(pod) || pod.metadata.deletionTimestamp) return;
  for (const taint of node.spec?.taints ?? []) {
    if (taint.effect !== 'NoExecute') continue;
    const toleration = tolerates(pod.spec?.tolerations, taint);
    if (toleration && toleration.tolerationSeconds === undefined) continue;
    const toleratedFor = world.scaled((toleration?.tolerationSeconds ?? 0) * 1000);
    if (!plan.reached(Date.parse(taint.timeAdded ?? timestamp(now)) + toleratedFor, now)) continue;
    plan.terminate(pod, now);
    return;
  }
};

const showStaticPods = (world: World, plan: Plan, pods: PodObject[], nodes: Map<string, NodeObject>): void => {
  const byName = new Map(pods.filter(isMirrorPod).map((pod) => [pod.metadata.name, pod]));
  for (const host of world.hosts) {
    const node = nodes.get(host.kubelet.nodeName);
    if (!node || host.haltedAt !== undefined) continue;
    for (const component of Object.keys(host.kubelet.manifests)) {
      const shown = byName.get(mirrorPodName(component, host));
      if (!shown) plan.create('pods', mirrorPod(component, host, node));
      else if (!equal(shown.metadata.annotations, annotationsOf(component, host))) plan.remove('pods', shown);
    }
  }
};

export const kubelets: ClusterController = (world, plan) => {
  const pods = world.list<PodObject>('pods');
  const nodes = new Map(world.list<NodeObject>('nodes').map((node) => [node.metadata.name, node]));
  const hosts = new Map(world.hosts.map((host) => [host.kubelet.nodeName, host]));
  showStaticPods(world, plan, pods, nodes);
  for (const pod of pods) {
    const name = pod.spec?.nodeName;
    if (!name) continue;
    const node = nodes.get(name);
    const host = hosts.get(name);
    if (!node) {
      const seen = Date.parse(pod.metadata.creationTimestamp ?? timestamp(world.now)) + delays.podCollection;
      if (plan.reached(seen, world.now)) plan.remove('pods', pod);
    } else if (isMirrorPod(pod) && host && !isInManifests(pod, host)) plan.remove('pods', pod);
    else {
      if (host && host.haltedAt === undefined && !host.ailment) runPod(pod, node, host, world, plan);
      losePod(pod, node, world, plan);
    }
  }
};

const isInManifests = (pod: PodObject, { kubelet }: Host): boolean =>
  Object.hasOwn(kubelet.manifests, pod.metadata.labels?.component ?? '');
