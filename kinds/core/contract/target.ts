/**
 * What reconcilers work towards: the spec, as far as the cluster's operation admits it. An
 * operation never changes a spec. It records its decision in annotations of the Cluster that only
 * controllers write, so one resourceVersion orders the decision and the Cluster's status: an
 * earlier decision cannot tear down a cluster that has become Available.
 */

import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { hasPaused } from '../../common/paused.ts';
import { scheduleAnnotations } from '../../common/schedule-annotations.ts';

/** Reserved annotations of a Cluster. */
export const operationAnnotations = {
  /** Name of the operation that runs, or ran last. */
  operation: 'capstan.dev/operation',
  /** Build, Hold or Nothing; absent until an operation admits the cluster. */
  target: 'capstan.dev/target',
  /** Targets of single objects of the cluster, as JSON: see object-targets.ts. */
  objectTargets: 'capstan.dev/object-targets',
  /** Name of the ended upgrade from which the specs were set back: what they ask for next is another change. */
  setBackFrom: 'capstan.dev/set-back-from',
  /** Set to `true` before the Cluster first reports Available, and never removed. */
  wasAvailable: 'capstan.dev/was-available',
} as const;

/** Annotations that users set on a Cluster. */
export const policyAnnotations = {
  retry: 'capstan.dev/retry',
  override: 'capstan.dev/override-findings',
  protected: 'capstan.dev/protected',
  leaveResources: 'capstan.dev/leave-resources',
} as const;

export type Target =
  /** Not admitted yet: controllers neither create nor delete. */
  | 'Wait'
  /** Controllers follow the specs. */
  | 'Build'
  /** Controllers keep what exists: they create nothing new, and delete only what a user deletes. */
  | 'Hold'
  /**
   * Controllers delete Machines and infrastructure, whatever the specs say; objects that users
   * created stay.
   */
  | 'Nothing';

const isTarget = (text: string | undefined): text is 'Build' | 'Hold' | 'Nothing' =>
  text === 'Build' || text === 'Hold' || text === 'Nothing';

export const wasAvailable = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[operationAnnotations.wasAvailable] === 'true';

/** `config` as in the controllers' context. Without workflows, every cluster is admitted. */
export const targetOf = (cluster: KubeObject, config: Record<string, JsonValue>): Target => {
  if (config.workflows !== true) return 'Build';
  const target = cluster.metadata.annotations?.[operationAnnotations.target];
  if (wasAvailable(cluster)) return target === 'Hold' ? 'Hold' : 'Build';
  return isTarget(target) ? target : 'Wait';
};

/**
 * What a Cluster's members act on in its metadata and spec. It includes the target's message, which their
 * conditions show.
 */
export const directionOf = (cluster: KubeObject): JsonValue => {
  const target = targetOf(cluster, { workflows: true });
  const { paused } = (cluster.spec ?? {}) as { paused?: boolean };
  const isPaused = paused === true || hasPaused(cluster);
  const others = cluster.metadata.annotations?.[operationAnnotations.objectTargets] ?? '';
  // Once the cluster has become Available, a hold ends and its schedule of snapshots begins. Its other
  // controllers need not learn of that.
  const isAwaited = target === 'Hold' || cluster.metadata.annotations?.[scheduleAnnotations.schedule] !== undefined;
  return [isPaused, target, targetMessage(cluster, target), others, isAwaited && wasAvailable(cluster)];
};

/** The message of a target that keeps an object from following its spec; empty for Build. */
export const targetMessage = (cluster: KubeObject, target: Target): string => {
  const name = cluster.metadata.annotations?.[operationAnnotations.operation];
  const operation = name === undefined ? 'an operation of its cluster' : `ClusterOperation ${name}`;
  switch (target) {
    case 'Build':
      return '';
    case 'Wait':
      return name === undefined
        ? 'Waiting for an operation to create the cluster'
        : `Waiting for ${operation} to admit the cluster`;
    case 'Hold':
      return `Held by ${operation}: nothing new is created`;
    case 'Nothing':
      return `Torn down by ${operation}`;
    default:
      throw new Error(`unknown target ${target satisfies never}`);
  }
};
