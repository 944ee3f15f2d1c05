/**
 * What reconcilers work towards: the spec, as far as the cluster's operation admits it. An operation never touches a spec;
 * its decision stands in annotations of the Cluster that only controllers write, so that a decision and the Cluster's
 * status are ordered by one object's version: what was ever Available cannot be torn down by a decision made before.
 */
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';

/** Reserved annotations of a Cluster. */
export const operationAnnotations = {
  /** Name of the one operation that runs, or ran last. */
  operation: 'capstan.dev/operation',
  /** Build, Hold or Nothing; absent while nothing is admitted. */
  target: 'capstan.dev/target',
  /** Set, to `true`, before the Cluster is first reported Available, and never taken off. */
  wasAvailable: 'capstan.dev/was-available',
} as const;

/** What people write on a Cluster. */
export const policyAnnotations = {
  createDeadline: 'capstan.dev/create-deadline',
  onCreateFailure: 'capstan.dev/on-create-failure',
  retry: 'capstan.dev/retry',
  protected: 'capstan.dev/protected',
} as const;

export type Target =
  /** Not admitted yet: nothing is made, nothing is removed. */
  | 'Wait'
  /** What the specs say. */
  | 'Build'
  /** All is kept as it is: nothing new is bought, nothing is removed but what a person deletes. */
  | 'Hold'
  /** No machine and no infrastructure, whatever the specs say; objects that users made stay. */
  | 'Nothing';

const isTarget = (text: string | undefined): text is 'Build' | 'Hold' | 'Nothing' =>
  text === 'Build' || text === 'Hold' || text === 'Nothing';

export const wasAvailable = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[operationAnnotations.wasAvailable] === 'true';

/** `config` as in the controllers' context; without workflows everything is admitted. */
export const targetOf = (cluster: KubeObject, config: Record<string, JsonValue>): Target => {
  if (config.workflows !== true) return 'Build';
  const target = cluster.metadata.annotations?.[operationAnnotations.target];
  if (wasAvailable(cluster)) return target === 'Hold' ? 'Hold' : 'Build';
  return isTarget(target) ? target : 'Wait';
};

/** Of a Cluster's metadata, all that its members act on; messages name its operation while there is something to say. */
export const directionOf = (cluster: KubeObject): JsonValue => {
  const target = targetOf(cluster, { workflows: true });
  const isPaused = cluster.metadata.annotations?.['cluster.x-k8s.io/paused'] !== undefined;
  return [isPaused, target, targetMessage(cluster, target)];
};

/** What a condition says of a target that keeps an object from being what its spec asks for; empty under Build. */
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
