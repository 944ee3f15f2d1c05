/** A Pod of the workload cluster as scaling decisions see it. Pure. */
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { controllerOf } from '../../common/owners.ts';
import { type PodResources, podRequests } from '../plan/requests.ts';
import type {
  HostPort,
  NodeSelectorTerm,
  Pod,
  PodShape,
  PodTerm,
  SpreadConstraint,
  Toleration,
} from '../plan/types.ts';

type Container = NonNullable<PodResources['containers']>[number] & {
  ports?: { hostPort?: number; hostIP?: string; protocol?: string }[];
};
type PodTermSource = {
  topologyKey: string;
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
};
type PodAffinity = { requiredDuringSchedulingIgnoredDuringExecution?: PodTermSource[] };
type Volume = {
  name: string;
  hostPath?: object;
  emptyDir?: { medium?: string };
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: object;
};
type PodSpec = Omit<PodResources, 'containers' | 'initContainers'> & {
  containers?: Container[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: {
    nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] } };
    podAffinity?: PodAffinity;
    podAntiAffinity?: PodAffinity;
  };
  tolerations?: Toleration[];
  topologySpreadConstraints?: (SpreadConstraint & { whenUnsatisfiable?: string })[];
  priority?: number;
  schedulerName?: string;
  schedulingGates?: object[];
  volumes?: Volume[];
};
type PodStatus = {
  phase?: string;
  nominatedNodeName?: string;
  conditions?: { type: string; status: string; reason?: string }[];
};
export type PodObject = KubeObject<PodSpec, PodStatus>;

/** Annotations that a decision reads. */
const relevant = /^(cluster-autoscaler\.kubernetes\.io\/|karpenter\.sh\/do-not-disrupt$)/;

const filled = <T>(list: T[] | undefined): T[] | undefined => (list?.length ? list : undefined);

const termsOf = (affinity: PodAffinity | undefined): PodTerm[] | undefined =>
  filled(
    affinity?.requiredDuringSchedulingIgnoredDuringExecution?.map(
      ({ topologyKey, labelSelector, namespaces, namespaceSelector }) => ({
        topologyKey,
        ...(labelSelector && { labelSelector }),
        ...(namespaces?.length && { namespaces }),
        ...(namespaceSelector && { namespaceSelector }),
      }),
    ),
  );

const spreadOf = ({ topologySpreadConstraints }: PodSpec): SpreadConstraint[] | undefined =>
  filled(
    topologySpreadConstraints
      ?.filter(({ whenUnsatisfiable = 'DoNotSchedule' }) => whenUnsatisfiable === 'DoNotSchedule')
      .map(({ whenUnsatisfiable: _, ...constraint }) => constraint),
  );

const isSidecar = ({ restartPolicy }: Container) => restartPolicy === 'Always';

const hostPortsOf = ({ containers = [], initContainers = [] }: PodSpec): HostPort[] | undefined =>
  filled(
    [...containers, ...initContainers.filter(isSidecar)]
      .flatMap(({ ports = [] }) => ports)
      .filter(({ hostPort = 0 }) => hostPort > 0)
      .map(({ hostPort, hostIP, protocol }) => ({
        port: hostPort!,
        ...(protocol && { protocol }),
        ...(hostIP && { ip: hostIP }),
      })),
  );

const isLocal = ({ hostPath, emptyDir }: Volume): boolean =>
  hostPath !== undefined || (emptyDir !== undefined && emptyDir.medium !== 'Memory');

/** Leaves out absent values, so that shapes are as small as their pods allow. */
const compact = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

export const shapeOf = ({ metadata, spec = {} }: PodObject): PodShape => {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => relevant.test(key));
  const { affinity, nodeSelector, priority, schedulerName } = spec;
  return compact({
    labels: metadata.labels ?? {},
    annotations: annotations.length > 0 ? Object.fromEntries(annotations) : undefined,
    requests: podRequests(spec),
    priority: priority || undefined,
    schedulerName: schedulerName === 'default-scheduler' ? undefined : schedulerName,
    nodeSelector: nodeSelector && Object.keys(nodeSelector).length > 0 ? nodeSelector : undefined,
    nodeAffinity: affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    tolerations: filled(spec.tolerations),
    spread: spreadOf(spec),
    affinity: termsOf(affinity?.podAffinity),
    antiAffinity: termsOf(affinity?.podAntiAffinity),
    hostPorts: hostPortsOf(spec),
    localVolumes: filled(spec.volumes?.filter(isLocal).map(({ name }) => name)),
  }) as PodShape;
};

/** Claims by name, with those that Kubernetes makes for ephemeral volumes. */
const claimsOf = ({ metadata, spec }: PodObject): string[] | undefined =>
  filled(
    spec?.volumes?.flatMap(({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim ? [persistentVolumeClaim.claimName] : ephemeral ? [`${metadata.name}-${name}`] : [],
    ),
  );

export const podOf = (object: PodObject): Pod => {
  const { metadata, spec = {}, status = {} } = object;
  const owner = controllerOf(object);
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  return compact({
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    owner: owner && { kind: owner.kind, name: owner.name },
    shape: shapeOf(object),
    createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
    node: spec.nodeName,
    nominatedNode: status.nominatedNodeName,
    unschedulable: (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable') || undefined,
    gated: spec.schedulingGates?.length ? true : undefined,
    deleting: metadata.deletionTimestamp ? true : undefined,
    terminal: status.phase === 'Succeeded' || status.phase === 'Failed' || undefined,
    mirror: metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined || undefined,
    claims: claimsOf(object),
  }) as Pod;
};
