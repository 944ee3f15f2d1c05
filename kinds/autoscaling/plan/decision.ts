/** The outcome of a scaling decision, with the reasons in cluster-autoscaler's words. */
import type { Sick } from './sick.ts';
import type { History } from './types.ts';

export type RemovalReason =
  | 'Empty'
  | 'Underutilized'
  | 'Unready'
  | 'NotProvisioned'
  | 'InsufficientCapacity'
  | 'Failed'
  | 'MaxSize'
  | 'Consolidated';

/** Why a node stays, as in cluster-autoscaler. */
export type UnremovableReason =
  | 'ScaleDownDisabledAnnotation'
  | 'NotAutoscaled'
  | 'NotUnneededLongEnough'
  | 'NotUnreadyLongEnough'
  | 'NodeGroupMinSizeReached'
  | 'NodeGroupMaxDeletionCountReached'
  | 'CurrentlyBeingDeleted'
  | 'NotUnderutilized'
  | 'NotUnneededOtherReason'
  | 'NoPlaceToMovePods'
  | 'BlockedByPod'
  | 'BlockedByOnCompletionPod'
  | 'NoNodeInfo';

export type Scale = {
  pool: string;
  from: number;
  to: number;
  reason: 'TriggeredScaleUp' | 'MinSize' | 'MaxSize' | 'ScaleDown' | 'NoMachine' | 'Consolidation';
};
export type Removal = { pool: string; machine: string; node?: string; reason: RemovalReason };

/** Equal pods of one owner that have no node. */
export type PodGroup = {
  namespace: string;
  owner: string;
  /** One of its pods. */
  pod: string;
  count: number;
  onExisting: number;
  onUpcoming: number;
  /** Pods by the pool that is scaled up for them. */
  onNew: Record<string, number>;
  /** Pods for which no node is bought. */
  left: number;
  /** Why not: by pool, or for all pools under an empty key. */
  reasons: Record<string, string>;
};
export type PoolState = {
  pool: string;
  /** Why it is not scaled up; absent if it may be. */
  blocked?: string;
  /** Until when, if that is known. */
  until?: number;
};
/** Room that a pool keeps free, by pods; `left` of them have none, for a reason. */
export type HeadroomState = { pool: string; pods: number; left: number; reason?: string };
export type NodeState = {
  node: string;
  pool: string;
  reason: UnremovableReason;
  message: string;
  /** Why its pods do not move to a cheaper node. It changes with time alone, so no status holds it. */
  note?: string;
};
/** A node above the maximum of its pool that stays until a person decides, and why. */
export type KeptNode = { pool: string; node: string; message: string };
/** A move of pods to cheaper nodes. */
export type MoveState = {
  state: 'Started' | 'Waiting' | 'Draining' | 'Withdrawn';
  /** The nodes that it removes. */
  nodes: string[];
  /** The pool of the node that takes their place; absent if the others have room. */
  pool?: string;
  /** When it began. */
  since: number;
  /** Dollars an hour. */
  saving: number;
  /** What it waits for, or why it is withdrawn. */
  message: string;
};
export type LimitName = 'machines' | 'nodes' | 'vCPU' | 'dollarsPerHour';
export type LimitReached = { limit: LimitName; value: number; message: string };

export type Decision = {
  /** A hash of the inputs: equal inputs have equal decisions. */
  inputs: string;
  scale: Scale[];
  remove: Removal[];
  /** Machines to delete, whose replicas stay. */
  replace: Removal[];
  /** Machines in deletion that their MachineSets replace before they are gone. */
  beside: { pool: string; machine: string }[];
  pods: PodGroup[];
  /** Pods of nodes in deletion for which pools are scaled up, by pool. */
  displaced?: Record<string, number>;
  pools: PoolState[];
  nodes: NodeState[];
  headroom: HeadroomState[];
  limits: LimitReached[];
  /** Nodes above the maximum of their pool; absent without any. */
  aboveMaximum?: KeptNode[];
  /** So many nodes are not ready that none is removed. */
  sick?: Sick;
  move?: MoveState;
  /** Pools that are left to another client, which sets their replicas. */
  conflicts: { pool: string; writer: string; until: number }[];
  /** What the cluster has after the decision; absent while another autoscaler decides. */
  usage?: { nodes: number; vCPU: number; dollarsPerHour: number };
  history: History;
  /** When the decision may change without an event. */
  nextDue?: number;
};
