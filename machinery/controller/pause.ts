import { withConditions } from '../api/conditions.ts';
import type { Condition, JsonObject, KubeObject } from '../api/object.ts';
import type { ConditionDraft } from '../api/reconcile.ts';
import { type Stamp, stampForeign } from './status.ts';

const annotation = 'cluster.x-k8s.io/paused';

/** Why an object is paused, by itself or by its scope; undefined when it is not. */
export const pausedBecause = (object: KubeObject, byScope: string | undefined): string | undefined => {
  const reasons = [
    byScope,
    object.metadata.annotations &&
      Object.hasOwn(object.metadata.annotations, annotation) &&
      `${object.kind} has the ${annotation} annotation`,
  ].filter((reason) => typeof reason === 'string');
  return reasons.length > 0 ? reasons.join(', ') : undefined;
};

const conditionsOf = (status: JsonObject | undefined) => (status?.conditions ?? []) as Condition[];

/** `status` with the Paused condition. */
export const withPaused = (status: JsonObject | undefined, because: string | undefined): JsonObject => {
  const paused: Condition =
    because === undefined
      ? { type: 'Paused', status: 'False', reason: 'NotPaused', message: '' }
      : { type: 'Paused', status: 'True', reason: 'Paused', message: because };
  return { ...status, conditions: withConditions(conditionsOf(status), paused) as JsonObject[] };
};

/** The status of a paused object: unchanged except for Paused and `others`. */
export const pausedStatus = (
  status: JsonObject | undefined,
  because: string,
  others: readonly ConditionDraft[],
  stamp: Pick<Stamp, 'generation' | 'now'>,
): JsonObject => {
  const paused = withPaused(status, because);
  const conditions = withConditions(conditionsOf(paused), ...others) as JsonObject[];
  return stampForeign({ ...paused, conditions }, status, stamp);
};
