/** What a new node of a pool is like: as its live nodes, or as the pool's objects say. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { capacity } from '../../common/autoscale/capacity.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import { amounts } from '../plan/requests.ts';
import type { Node, NodeTemplate, Resources, Taint } from '../plan/types.ts';
import { type KubeletFacts, kubeletFacts, pairs, taintsIn } from './kubelet.ts';

const MiB = 2 ** 20;
/** The kubelet's default threshold for evictions, which is not allocatable. */
const defaultEviction = 100 * MiB;
/** The kernel and the firmware take some of the memory that an instance type has. */
const usableMemory = 0.925;
const defaultPods = 110;

const zoneLabels = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
/** Labels and taints that say something about one node only. */
const ofOneNode = new Set([
  'kubernetes.io/hostname',
  'topology.ebs.csi.aws.com/zone',
  'topology.k8s.aws/zone-id',
  ...zoneLabels,
]);
const transient =
  /^node\.kubernetes\.io\/(not-ready|unreachable|unschedulable|[a-z]+-pressure|network-unavailable)$|^node\.cluster\.x-k8s\.io\/(uninitialized|outdated-revision)$|^node\.cloudprovider\.kubernetes\.io\/|^(ToBeDeletedBy|DeletionCandidateOf)ClusterAutoscaler$|^karpenter\.sh\/disrupted$/;

const isTransient = ({ key }: Taint): boolean => transient.test(key);

export type TemplateSource = {
  deployment: MachineDeployment;
  /** Its infrastructure template. */
  infrastructure: KubeObject | undefined;
  /** Its bootstrap template. */
  bootstrap?: KubeObject | undefined;
  /** Its ready nodes, oldest first. */
  nodes: readonly Node[];
  /** The template of its nodes when it last had some, for the same infrastructure template. */
  remembered: NodeTemplate | undefined;
};

type MachineSpec = { instanceType?: string; marketType?: string; spotMarketOptions?: object };
const machineSpecOf = (infrastructure: KubeObject | undefined): MachineSpec =>
  (infrastructure?.spec as { template?: { spec?: MachineSpec } } | undefined)?.template?.spec ?? {};

export const instanceTypeOf = (infrastructure: KubeObject | undefined): string | undefined =>
  machineSpecOf(infrastructure).instanceType;

/** Its launches fail with the spot market's capacity and prices. */
export const isSpotPool = (infrastructure: KubeObject | undefined): boolean => {
  const { marketType, spotMarketOptions } = machineSpecOf(infrastructure);
  return marketType === 'Spot' || (!marketType && spotMarketOptions !== undefined);
};

const fromNode = ({ allocatable, capacity: whole, labels, taints = [] }: Node): NodeTemplate => ({
  capacity: whole ?? allocatable,
  allocatable,
  labels: Object.fromEntries(Object.entries(labels).filter(([key]) => !ofOneNode.has(key))),
  taints: taints.filter((taint) => !isTransient(taint)),
});

const annotatedCapacity = (given: Record<string, string>): Resources => {
  const gpus = given[capacity.gpus];
  return amounts({
    ...(given[capacity.cpu] !== undefined && { cpu: given[capacity.cpu] }),
    ...(given[capacity.memory] !== undefined && { memory: given[capacity.memory] }),
    ...(given[capacity.disk] !== undefined && { 'ephemeral-storage': given[capacity.disk] }),
    ...(given[capacity.pods] !== undefined && { pods: given[capacity.pods] }),
    ...(gpus !== undefined && { [given[capacity.gpuType] ?? 'nvidia.com/gpu']: gpus }),
  } as Record<string, string>);
};

type TemplateStatus = {
  capacity?: Record<string, string>;
  nodeInfo?: { architecture?: string; operatingSystem?: string };
};

/** Labels that a Machine passes on to its Node. */
const isPassedOn = (key: string): boolean =>
  /^node-role\.kubernetes\.io\/|(^|\.)node-restriction\.kubernetes\.io(\/|$)|(^|\.)node\.cluster\.x-k8s\.io(\/|$)/.test(
    key,
  );

const labelsOf = (
  { deployment, infrastructure }: TemplateSource,
  info: TemplateStatus['nodeInfo'],
  { labels }: KubeletFacts,
) => {
  const { architecture = 'amd64', operatingSystem = 'linux' } = info ?? {};
  const instanceType = instanceTypeOf(infrastructure);
  const machine = Object.entries(deployment.spec?.template.metadata?.labels ?? {});
  return {
    'kubernetes.io/arch': architecture,
    'kubernetes.io/os': operatingSystem,
    ...(instanceType && { 'node.kubernetes.io/instance-type': instanceType }),
    ...labels,
    ...Object.fromEntries(machine.filter(([key]) => isPassedOn(key))),
    ...Object.fromEntries(pairs(deployment.metadata.annotations?.[capacity.labels] ?? '')),
  };
};

/** Of taints with one key and effect the annotated one counts, then the Machine's, then the kubelet's. */
const taintsOf = ({ deployment }: TemplateSource, { taints }: KubeletFacts): Taint[] => {
  const annotated = taintsIn(deployment.metadata.annotations?.[capacity.taints] ?? '');
  const own = deployment.spec?.template.spec.taints ?? [];
  const all = [...taints.filter((taint) => !isTransient(taint)), ...own, ...annotated];
  const isReplaced = ({ key, effect }: Taint, at: number) =>
    all.slice(at + 1).some((one) => one.key === key && one.effect === effect);
  return all
    .filter((taint, at) => !isReplaced(taint, at))
    .map(({ key, value, effect }) => ({ key, ...(value && { value }), effect }));
};

const without = (whole: Resources, less: Resources): Resources =>
  Object.fromEntries(Object.entries(whole).map(([name, amount]) => [name, Math.max(0, amount - (less[name] ?? 0))]));

/** Undefined if cpu and memory are unknown. */
const fromObjects = (source: TemplateSource): NodeTemplate | undefined => {
  const { capacity: reported, nodeInfo } = (source.infrastructure?.status ?? {}) as TemplateStatus;
  const raw = amounts(reported);
  const kubelet = kubeletFacts(source.bootstrap);
  const { maxPods = defaultPods, reserved, evictionMemory = defaultEviction } = kubelet;
  const usable = raw.memory === undefined ? raw : { ...raw, memory: Math.floor(raw.memory * usableMemory) };
  const whole: Resources = {
    pods: maxPods,
    ...usable,
    ...annotatedCapacity(source.deployment.metadata.annotations ?? {}),
  };
  if (!(whole.cpu! > 0 && whole.memory! > 0)) return undefined;
  return {
    capacity: whole,
    allocatable: without(whole, { ...reserved, memory: (reserved.memory ?? 0) + evictionMemory }),
    labels: labelsOf(source, nodeInfo, kubelet),
    taints: taintsOf(source, kubelet),
  };
};

/** A live node tells more than any description of it. */
export const templateOf = (source: TemplateSource): NodeTemplate | undefined => {
  const [oldest] = source.nodes;
  return oldest ? fromNode(oldest) : (source.remembered ?? fromObjects(source));
};

/** The zone in which a new machine certainly starts. */
export const zonesOf = ({ deployment, nodes }: TemplateSource): string[] | undefined => {
  const { failureDomain } = deployment.spec?.template.spec ?? {};
  if (failureDomain) return [failureDomain];
  const zones = new Set(nodes.map(({ labels }) => labels[zoneLabels[0]!] ?? ''));
  const [only = ''] = zones;
  return zones.size === 1 && only ? [only] : undefined;
};
