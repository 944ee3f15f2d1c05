/**
 * What a new node of a pool is, by what its user and its providers declare. Nodes that exist measure
 * amounts only: their labels, taints and devices may be their own. Pure.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { capacity } from '../../common/autoscale/capacity.ts';
import { pairs, taintsIn } from '../../common/autoscale/declared.ts';
import { labels as managedLabels } from '../../common/labels.ts';
import type { TemplateView } from '../../core/contract/machine-provider.ts';
import type { MachineDeployment } from '../../core/machine-deployment/index.ts';
import { instanceTypeLabels, regionLabels } from '../plan/labels.ts';
import { isExtended } from '../plan/progress.ts';
import { amounts } from '../plan/requests.ts';
import type { Node, NodeTemplate, Resources, Taint } from '../plan/types.ts';
import { type KubeletFacts, kubeletFacts } from './kubelet.ts';

const MiB = 2 ** 20;
/** The kubelet's default threshold for evictions, which is not allocatable. */
const defaultEviction = 100 * MiB;
/** The kernel and the firmware take some of the memory that an instance type has. */
const usableMemory = 0.925;
const defaultPods = 110;

const transient =
  /^node\.kubernetes\.io\/(not-ready|unreachable|unschedulable|[a-z]+-pressure|network-unavailable)$|^node\.cluster\.x-k8s\.io\/(uninitialized|outdated-revision)$|^node\.cloudprovider\.kubernetes\.io\/|^(ToBeDeletedBy|DeletionCandidateOf)ClusterAutoscaler$|^karpenter\.sh\/disrupted$/;

const isTransient = ({ key }: Taint): boolean => transient.test(key);

/** The amounts that a node reported. */
export type Measured = Pick<NodeTemplate, 'capacity' | 'allocatable'>;

export type TemplateSource = {
  deployment: MachineDeployment;
  /** Its infrastructure template. */
  view: TemplateView | undefined;
  /** Its bootstrap template. */
  bootstrap?: KubeObject | undefined;
  /** Where its machines start. */
  region?: string | undefined;
  /** Its ready nodes of this template, oldest first. */
  nodes: readonly Node[];
  /** What a node of this template reported when there was one. */
  remembered: Measured | undefined;
};

/** Amounts of the kubelet and of drivers' limits, which no device plugin or user adds. */
const measurable = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).filter(([name]) => !isExtended(name)));

export const measuredOf = ({ nodes: [oldest], remembered }: TemplateSource): Measured | undefined => {
  const found = oldest
    ? { capacity: oldest.capacity ?? oldest.allocatable, allocatable: oldest.allocatable }
    : remembered;
  return found && { capacity: measurable(found.capacity), allocatable: measurable(found.allocatable) };
};

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

/** Labels that a Machine passes on to its Node. */
const isPassedOn = (key: string): boolean =>
  /^node-role\.kubernetes\.io\/|(^|\.)node-restriction\.kubernetes\.io(\/|$)|(^|\.)node\.cluster\.x-k8s\.io(\/|$)/.test(
    key,
  );

const each = (keys: readonly string[], value: string | undefined): Record<string, string> =>
  value ? Object.fromEntries(keys.map((key) => [key, value])) : {};

const labelsOf = ({ deployment, view, region }: TemplateSource, { labels }: KubeletFacts) => {
  const { architecture = 'amd64', operatingSystem = 'linux' } = view?.nodeInfo ?? {};
  const machine = Object.entries(deployment.spec?.template.metadata?.labels ?? {});
  return {
    ...each(['kubernetes.io/arch', 'beta.kubernetes.io/arch'], architecture),
    ...each(['kubernetes.io/os', 'beta.kubernetes.io/os'], operatingSystem),
    ...each(instanceTypeLabels, view?.type),
    ...each(regionLabels, region),
    ...(view?.market === 'spot' && { [managedLabels.interruptible]: '' }),
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

const leftOf = (whole: Resources, { reserved, evictionMemory = defaultEviction }: KubeletFacts): Measured => ({
  capacity: whole,
  allocatable: without(whole, { ...reserved, memory: (reserved.memory ?? 0) + evictionMemory }),
});

/** What nodes of this kind usually are, before one of them is measured. */
const estimated = (reported: Resources, kubelet: KubeletFacts): Measured => {
  const { memory } = reported;
  const usable = memory !== undefined && { memory: Math.floor(memory * usableMemory) };
  return leftOf({ pods: kubelet.maxPods ?? defaultPods, ...reported, ...usable }, kubelet);
};

const lower = (declared: Resources, measured: Resources): Resources =>
  Object.fromEntries(
    Object.keys({ ...declared, ...measured }).map((name) => [
      name,
      Math.min(declared[name] ?? Number.POSITIVE_INFINITY, measured[name] ?? Number.POSITIVE_INFINITY),
    ]),
  );

/** A measured node lowers what is reported of its type, and tells what nothing reports. */
const lowered = (reported: Resources, kubelet: KubeletFacts, measured: Measured): Measured => {
  const { maxPods } = kubelet;
  const most = { ...reported, ...(maxPods !== undefined && { pods: maxPods }) };
  const pods = { pods: maxPods ?? defaultPods };
  return {
    capacity: { ...pods, ...lower(most, measured.capacity) },
    allocatable: { ...pods, ...lower(most, measured.allocatable) },
  };
};

/** Undefined if cpu and memory are unknown. */
export const templateOf = (source: TemplateSource): NodeTemplate | undefined => {
  const reported = amounts(source.view?.capacity);
  const kubelet = kubeletFacts(source.bootstrap);
  const measured = measuredOf(source);
  const nodes = measured ? lowered(reported, kubelet, measured) : estimated(reported, kubelet);
  const stated = leftOf(annotatedCapacity(source.deployment.metadata.annotations ?? {}), kubelet);
  const whole = { ...nodes.capacity, ...stated.capacity };
  if (!(whole.cpu! > 0 && whole.memory! > 0)) return undefined;
  return {
    capacity: whole,
    allocatable: { ...nodes.allocatable, ...stated.allocatable },
    labels: labelsOf(source, kubelet),
    taints: taintsOf(source, kubelet),
  };
};

/** Zones of new machines in the order in which they are tried; undefined if the provider reports none. */
export const zonesOf = ({ deployment, view }: TemplateSource): string[] | undefined => {
  const { failureDomain } = deployment.spec?.template.spec ?? {};
  if (failureDomain) return [failureDomain];
  return view?.zones?.length ? view.zones : undefined;
};
