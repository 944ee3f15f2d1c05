/**
 * The inputs of a scaling decision. Times are milliseconds since the epoch, durations milliseconds.
 * Everything is JSON, so that a stored decision can be replayed.
 */
import type { Labels } from '../../../machinery/api/labels.ts';
import type { LabelSelector } from '../../../machinery/api/object.ts';
import type { PoolSettings } from '../../common/autoscale/annotations.ts';
import type { Consolidate } from '../../common/autoscale/consolidate.ts';

/** Amounts by resource name: cpu in millicores, memory and storage in bytes, all others in units. */
export type Resources = Record<string, number>;

export type NodeSelectorRequirement = {
  key: string;
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt';
  values?: string[];
};
/** core/v1 NodeSelectorTerm; a term without requirements matches no node. */
export type NodeSelectorTerm = {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
};
export type Taint = { key: string; value?: string; effect: string };
export type Toleration = { key?: string; operator?: string; value?: string; effect?: string };
/** A hard topology spread constraint. */
export type SpreadConstraint = {
  maxSkew: number;
  topologyKey: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: 'Honor' | 'Ignore';
  nodeTaintsPolicy?: 'Honor' | 'Ignore';
  matchLabelKeys?: string[];
};
/** A required term of pod affinity or anti-affinity. */
export type PodTerm = {
  topologyKey: string;
  labelSelector?: LabelSelector;
  namespaces?: string[];
  namespaceSelector?: LabelSelector;
};
export type HostPort = { port: number; protocol?: string; ip?: string };

/** What a pod requires of its node. Pods of one workload have equal shapes. */
export type PodShape = {
  labels: Labels;
  annotations?: Labels;
  /** As the scheduler counts them, with init containers, sidecars and overhead; without `pods`. */
  requests: Resources;
  priority?: number;
  schedulerName?: string;
  nodeSelector?: Labels;
  /** Required node affinity: terms of which one must match. */
  nodeAffinity?: NodeSelectorTerm[];
  tolerations?: Toleration[];
  spread?: SpreadConstraint[];
  affinity?: PodTerm[];
  antiAffinity?: PodTerm[];
  hostPorts?: HostPort[];
  /** Headroom of this pool, which its nodes alone provide. */
  pool?: string;
  /** Volumes whose data is lost with the node: hostPath, and emptyDir on disk. */
  localVolumes?: string[];
};

export type Pod = {
  namespace: string;
  name: string;
  owner?: { kind: string; name: string };
  shape: PodShape;
  createdAt: number;
  node?: string;
  nominatedNode?: string;
  /** The scheduler found no node for it. */
  unschedulable?: boolean;
  /** It has scheduling gates. */
  gated?: boolean;
  deleting?: boolean;
  /** It is Succeeded or Failed. */
  terminal?: boolean;
  /** A static pod. */
  mirror?: boolean;
  /** Persistent volume claims, by name. */
  claims?: string[];
};

export type Node = {
  name: string;
  labels: Labels;
  annotations?: Labels;
  taints?: Taint[];
  unschedulable?: boolean;
  allocatable: Resources;
  capacity?: Resources;
  ready: boolean;
  /** When `ready` last changed. */
  readySince?: number;
  createdAt: number;
};

/** A persistent volume claim, by what limits where its pods can run. */
export type Claim = {
  /** The node affinity of its volume, or the topologies that its storage class allows. */
  topology?: NodeSelectorTerm[];
  /** Its storage class binds volumes immediately, and the volume does not exist. */
  unbound?: boolean;
  /** It does not exist. */
  missing?: boolean;
  /** ReadWriteOncePod: one pod may use it. */
  exclusive?: boolean;
  /** The CSI driver that attaches it. */
  driver?: string;
};

export type DisruptionBudget = {
  namespace: string;
  name: string;
  selector?: LabelSelector;
  disruptionsAllowed: number;
};

/** What the workload cluster reports. */
export type Snapshot = {
  nodes: Node[];
  pods: Pod[];
  daemonSets: { namespace: string; name: string; shape: PodShape }[];
  budgets: DisruptionBudget[];
  /** By `namespace/name`. */
  claims: Record<string, Claim>;
  /** Labels by namespace. */
  namespaces: Record<string, Labels>;
  /** Another autoscaler that acts on this cluster, and the evidence. */
  conflict?: string;
};

export type NodeTemplate = {
  capacity: Resources;
  allocatable: Resources;
  labels: Labels;
  taints?: Taint[];
};

export type PoolOptions = PoolSettings;

export type Machine = {
  name: string;
  createdAt: number;
  node?: string;
  zone?: string;
  deleting?: boolean;
  /** It is in deletion, and its host still runs. */
  draining?: boolean;
  /** It is in deletion, and counts as a replica no more. */
  replaced?: boolean;
  /** It has the annotation cluster.x-k8s.io/delete-machine. */
  marked?: boolean;
  /** When it failed for good; its node, if it had one, does not run. */
  failedAt?: number;
  /** When the cloud accepted the launch. */
  launchedAt?: number;
  /** Machines whose hosts one call is to launch, all or none; absent once it has a host. */
  together?: string;
  /** The last launch was refused for lack of capacity. */
  capacityError?: { code: string; at: number };
  /** When and why the spot market had no capacity for it: it is bought on demand. */
  fallback?: { code: string; at: number };
  /** When the provider announced that it takes the host away: its market lacks capacity. */
  interruptedAt?: number;
};

/** A MachineDeployment that opted in. */
export type Pool = {
  /** `MachineDeployment/<namespace>/<name>`, as cluster-autoscaler identifies a node group. */
  id: string;
  min: number;
  max: number;
  /** The entries of its schedule that give it these sizes, and when they change next. */
  schedule?: { entries: string[]; changesAt?: number };
  /** The entries of its alarms that give it these sizes. */
  alarms?: string[];
  /** Room for pods of this size that its nodes keep free. */
  headroom?: { pods: number; requests: Resources };
  replicas: number;
  /** Who changed the replicas last; undefined if it was the autoscaler. */
  writer?: string;
  machines: Machine[];
  /** Undefined if the capacity of its machines is unknown. */
  template?: NodeTemplate;
  instanceType?: string;
  market?: 'on-demand' | 'spot';
  /** What the spot market does not have is bought on demand. */
  fallback?: boolean;
  /** Where its price comes from, or why it is unknown. */
  priceSource?: string;
  /** Zones in the order in which they are tried; one for a pool with a failure domain. */
  zones?: string[];
  options?: PoolOptions;
  /** Keys of taints that only a starting node has, besides the known ones. */
  startupTaints?: string[];
  /** It opted in to moves of its pods to cheaper nodes. */
  consolidate?: Consolidate;
  /** Why no write may happen, such as a pause. */
  held?: string;
  /** Why its replicas get no Machine until a user acts. */
  cannotCreate?: string;
  /** A rollout is in progress: old MachineSets still have replicas. */
  rollingOut?: boolean;
  /** Why a rollout does not take more new Machines yet: its old MachineSet would grow instead. */
  rolloutWaits?: string;
  /** A hash of all that says what its new nodes are. */
  declaration?: string;
};

/** Dollars an hour by `<instance type>/<market>`, or more precisely `<instance type>/<market>/<zone>`. */
export type Prices = Record<string, number>;

export type Expander = 'least-waste' | 'price' | 'priority' | 'most-pods' | 'least-nodes';

export type Settings = {
  limits?: { nodes?: number; vCPU?: number; dollarsPerHour?: number };
  /** Each narrows the options that the one before left. Default least-waste. */
  expanders?: Expander[];
  /** For the expander `priority`: patterns of pool ids by priority; the highest number wins. */
  priorities?: Record<string, string[]>;
  /** Default: default-scheduler. */
  schedulers?: string[];
  /** Pods below this priority are never a reason to scale. Default -10. */
  expendablePriority?: number;
  /** How long a pod waits before it is a reason to scale. Default 0. */
  podDelay?: number;
  /** Whether pools that differ in their zone only grow evenly. Default true. */
  balanceSimilarPools?: boolean;
  /** How long a pool is not scaled down after it was scaled up. Default 10 minutes. */
  delayAfterScaleUp?: number;
  /** How long a pool is left to another autoscaler after its last change. Default 10 minutes. */
  conflictTime?: number;
  /** Default 3 minutes. */
  delayAfterFailedRemoval?: number;
  /** How long pods stay where they moved to be cheaper, and how long a vain move is not repeated. Default 1 hour. */
  moveInterval?: number;
  /** Machines of a pool that may be lost in 10 minutes without one becoming ready. Default 5. */
  maxLostLaunches?: number;
};

/** A limit that this cluster shares with others. */
export type Quota = {
  limit: 'machines' | 'vCPU' | 'dollarsPerHour';
  /** Names the setting in messages. */
  source: string;
  most: number;
  /** Machines: all that exist. Others: of the other clusters. */
  used: number;
};

/** What earlier decisions left for the next one. */
export type History = {
  /** By node. */
  unneededSince?: Record<string, number>;
  failedRemovalAt?: number;
  /** By pool. */
  pools?: Record<string, PoolHistory>;
  /** Failures of launches by `<instance type>/<zone>/<market>`. */
  offerings?: Record<string, { failures: number; at: number }>;
  consolidation?: MoveHistory;
};
/** Nodes whose pods move to cheaper ones. */
export type Move = {
  at: number;
  /** The nodes that are removed. */
  nodes: string[];
  /** The pool that was scaled up for their pods. */
  pool: string;
};
export type MoveHistory = {
  /** It waits for its new node. */
  move?: Move;
  /** The owners of pods that moved recently, which do not move again. */
  moved?: { at: number; owners: string[] }[];
  /** No move begins before. */
  notBefore?: number;
  /** Moves in a row whose new node was bought in vain. */
  withdrawn?: number;
};
export type PoolHistory = {
  scaledUpAt?: number;
  /** Launches of the last ten minutes. */
  launches?: { at: number; count: number }[];
  /** Machines that did not become Nodes in time. */
  provisionFailures?: number;
  provisionFailedAt?: number;
  /** Since when a rollout does not take more new Machines. */
  rolloutWaitsSince?: number;
  /** Replicas without a Machine, and since when their number has not fallen. */
  missing?: { since: number; count: number };
  /** Replicas after the last decision. */
  replicas?: number;
  /** The autoscaler's last change of them. */
  own?: { at: number; by: number };
  /** Replicas that other clients set recently. */
  others?: { at: number; to: number }[];
  /** Another client that the pool is left to. */
  conflict?: { writer: string; until: number };
  /** Conflicts of the last day, each of which leaves the pool alone for longer. */
  fights?: { times: number; at: number };
  /** Nodes that it bought, by the shape of the pods for which it did. */
  purchases?: Record<string, Purchase>;
};
/** Nodes that were bought for pods of one shape, and what became of them. */
export type Purchase = {
  /** One of the owners of these pods. */
  namespace: string;
  owner: string;
  /** When the first of the nodes was bought. */
  at: number;
  nodes: number;
  /**
   * Absent while it is open. `Used`: other pods took the room. `Unused`: the pods were gone before.
   * `Withdrawn`: the Machines were.
   */
  outcome?: 'Ran' | 'Used' | 'Unused' | 'Refused' | 'Lost' | 'Withdrawn';
  /** When the outcome was known. */
  since?: number;
  /** Why the last purchase that was in vain was. */
  message?: string;
  /** Purchases in vain since such a pod ran on a bought node. */
  failures: number;
  /** Until when no more is bought for such pods. */
  until?: number;
  /** The most nodes of the pool that would take such a pod. */
  takers?: number;
  /** What the pool declared. */
  declaration?: string;
};

export type Inputs = {
  snapshot: Snapshot;
  pools: Pool[];
  settings?: Settings;
  quotas?: Quota[];
  prices?: Prices;
  history?: History;
  now: number;
};
