/** The life of Node objects: readiness, loss, taints by condition, and what a cloud controller manager adds. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { delays } from '../delays.ts';
import { conditionOf, type NodeObject, type NodeTaint, type PodObject, withCondition } from '../objects.ts';
import type { ClusterController, Host, Plan, World } from '../world.ts';
import { pluginsOf, withPlugins } from './node-plugins.ts';

const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized';
const controlPlaneLabel = 'node-role.kubernetes.io/control-plane';

const sameTaint = (a: NodeTaint, b: Omit<NodeTaint, 'timeAdded'>) => a.key === b.key && a.effect === b.effect;
const withTaint = (taints: NodeTaint[], taint: NodeTaint, wanted: boolean): NodeTaint[] => {
  const has = taints.some((t) => sameTaint(t, taint));
  if (has === wanted) return taints;
  return wanted ? [...taints, taint] : taints.filter((t) => !sameTaint(t, taint));
};

/** Whether a DaemonSet's pod installs network configuration on its host. */
const installsNetwork = (pod: PodObject): boolean =>
  pod.status?.phase === 'Running' &&
  (pod.metadata.ownerReferences ?? []).some((owner) => owner.kind === 'DaemonSet') &&
  (pod.spec?.volumes ?? []).some((volume) => volume.hostPath?.path.replace(/\/+$/, '') === '/etc/cni/net.d');

const isCloudController = (pod: PodObject): boolean =>
  pod.status?.phase === 'Running' &&
  (pod.metadata.ownerReferences ?? []).length > 0 &&
  [pod.metadata.name, ...(pod.spec?.containers ?? []).flatMap(({ name, image = '' }) => [name, image])].some((text) =>
    text.includes('cloud-controller-manager'),
  );

const okay = (type: string, reason: string, message: string) => ({ type, status: 'False' as const, reason, message });
const healthy = [
  okay('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  okay('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  okay('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
];

const withConditions = (node: NodeObject, host: Host | undefined, hasNetwork: boolean, world: World, plan: Plan) => {
  const { now } = world;
  let conditions = node.status?.conditions;
  const set = (type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string) => {
    const before = conditionOf({ status: { conditions: conditions ?? [] } }, type);
    if (before?.status === status && before.reason === reason && before.message === message) return;
    conditions = withCondition(conditions, { type, status, reason, message, lastHeartbeatTime: timestamp(now) }, now);
  };
  if (!host || host.haltedAt !== undefined) {
    // The data of a restored etcd may have Nodes of hosts that ended before.
    if (!host || plan.reached((host.haltedAt ?? now) + world.scaled(delays.nodeLost), now))
      for (const type of [...healthy.map((condition) => condition.type), 'Ready'])
        set(type, 'Unknown', 'NodeStatusUnknown', 'Kubelet stopped posting node status.');
    return conditions;
  }
  for (const { type, status, reason, message } of healthy)
    if (host.ailment === type) set(type, 'True', `KubeletHas${type}`, `kubelet has ${type}`);
    else set(type, status, reason, message);
  const isStarted = plan.reached(host.kubelet.registeredAt + world.scaled(delays.nodeReady), now);
  if (host.ailment === 'NotReady') set('Ready', 'False', 'KubeletNotReady', 'container runtime is down');
  else if (isStarted && hasNetwork) set('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status');
  else
    set(
      'Ready',
      'False',
      'KubeletNotReady',
      isStarted
        ? 'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized'
        : '[container runtime status check may not have completed yet, CSINode is not yet initialized]',
    );
  return conditions;
};

const taintsOf = (node: NodeObject, conditions: NodeObject['status'], now: number): NodeTaint[] => {
  const ready = conditionOf({ status: { conditions: conditions?.conditions ?? [] } }, 'Ready')?.status;
  const notReady = 'node.kubernetes.io/not-ready';
  const unreachable = 'node.kubernetes.io/unreachable';
  const timeAdded = timestamp(now);
  let taints = node.spec?.taints ?? [];
  for (const [key, wanted] of [
    [notReady, ready === 'False'],
    [unreachable, ready === 'Unknown'],
  ] as const) {
    taints = withTaint(taints, { key, effect: 'NoSchedule', timeAdded }, wanted);
    taints = withTaint(taints, { key, effect: 'NoExecute', timeAdded }, wanted);
  }
  const cordoned = node.spec?.unschedulable === true;
  return withTaint(taints, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule', timeAdded }, cordoned);
};

/** The fields that the AWS cloud controller manager sets when it initialises a node. */
const initialised = (node: NodeObject, { instance }: Host): NodeObject => {
  const { instanceId, zone, region, instanceType, privateIp, ipv6, publicIp, privateDnsName } = instance;
  const labels = {
    'beta.kubernetes.io/instance-type': instanceType,
    'node.kubernetes.io/instance-type': instanceType,
    'topology.kubernetes.io/region': region,
    'topology.kubernetes.io/zone': zone,
    'failure-domain.beta.kubernetes.io/region': region,
    'failure-domain.beta.kubernetes.io/zone': zone,
  };
  const { taints = [], ...spec } = node.spec ?? {};
  const left = taints.filter((taint) => taint.key !== uninitialized);
  return {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
    spec: {
      ...spec,
      providerID: spec.providerID ?? `aws:///${zone}/${instanceId}`,
      ...(left.length > 0 && { taints: left }),
    },
    status: {
      ...node.status,
      addresses: [
        { type: 'InternalIP', address: privateIp },
        ...(ipv6 ? [{ type: 'InternalIP', address: ipv6 }] : []),
        ...(publicIp ? [{ type: 'ExternalIP', address: publicIp }] : []),
        { type: 'InternalDNS', address: privateDnsName },
        { type: 'Hostname', address: privateDnsName },
      ],
    },
  };
};

/** Without a provider ID it looks for an instance whose private DNS name is that of the node, or whose ID is. */
const isFound = ({ metadata: { name }, spec }: NodeObject, { instance }: Host): boolean =>
  spec?.providerID !== undefined || name === instance.privateDnsName || name === instance.instanceId;

/** The cloud controller manager removes the Node of an instance that its account does not have any more. */
const isGone = (host: Host | undefined): boolean => !host || host.isEnded === true;

/** Whether only time must pass. */
const isWaiting = (host: Host | undefined, { now, scaled }: World): boolean =>
  host !== undefined &&
  (now < host.kubelet.registeredAt + scaled(delays.nodeReady) ||
    (host.haltedAt !== undefined && now < host.haltedAt + scaled(delays.nodeLost)));

/**
 * The inputs under which a Node was found up to date: while neither it nor they change, skip it.
 */
const resting = new WeakMap<NodeObject, string>();

export const nodes: ClusterController = (world, plan) => {
  const all = world.list<NodeObject>('nodes');
  const pods = world.list<PodObject>('pods');
  const plugins = pluginsOf(pods);
  const networked = new Set(pods.filter(installsNetwork).map((pod) => pod.spec?.nodeName));
  const controlPlanes = new Set(
    all
      .filter(({ metadata }) => metadata.labels?.[controlPlaneLabel] !== undefined)
      .map(({ metadata }) => metadata.name),
  );
  const hosts = new Map(world.hosts.map((host) => [host.kubelet.nodeName, host]));
  const isAlive = (name: string | undefined) => name !== undefined && hosts.get(name)?.haltedAt === undefined;
  // EKS runs the cloud controller manager itself.
  const hasCloud =
    world.cluster.eksName !== undefined ||
    pods.some(
      (pod) => isCloudController(pod) && controlPlanes.has(pod.spec?.nodeName ?? '') && isAlive(pod.spec?.nodeName),
    );
  for (const node of all) {
    const { name } = node.metadata;
    const host = hosts.get(name);
    const hasNetwork = !world.requireCni || networked.has(name);
    const running = plugins.get(name) ?? new Set();
    const under = `${host?.haltedAt} ${host?.isEnded} ${host?.ailment} ${hasNetwork} ${hasCloud} ${[...running]}`;
    if (resting.get(node) === under) continue;
    const conditions = withConditions(node, host, hasNetwork, world, plan);
    if (
      hasCloud &&
      isGone(host) &&
      conditionOf({ status: { conditions: conditions ?? [] } }, 'Ready')?.status !== 'True'
    ) {
      plan.remove('nodes', node);
      continue;
    }
    const status = { ...node.status, ...(conditions && { conditions }) };
    const taints = taintsOf(node, status, world.now);
    const { taints: _, ...spec } = node.spec ?? {};
    let next: NodeObject = { ...node, spec: { ...spec, ...(taints.length > 0 && { taints }) }, status };
    if (host && hasCloud && isFound(node, host) && taints.some((taint) => taint.key === uninitialized))
      next = initialised(next, host);
    if (host && host.haltedAt === undefined) next = withPlugins(next, host, running);
    if (!equal(next, node)) plan.update('nodes', next);
    else if (!isWaiting(host, world)) resting.set(node, under);
  }
};
