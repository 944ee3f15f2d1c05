/** The loop's additions to a decided status: times, generations, order. Pure. */
import { sortConditions, sortLegacy } from '../api/conditions.ts';
import { timestamp } from '../api/lifecycle.ts';
import type { Condition, JsonObject, LegacyCondition } from '../api/object.ts';
import type { Controller } from '../api/reconcile.ts';

export interface Stamp {
  form: Controller['conditions'];
  generation: number | undefined;
  now: number;
  /** After a failed pass the status does not count as observed in the current generation. */
  failed: boolean;
}

type Timed = { type: string; status: string; lastTransitionTime?: string };

/** A condition with an unchanged status keeps its time. */
const timeOf = ({ type, status }: Timed, previous: readonly Timed[] | undefined, now: number): string => {
  const before = previous?.find((condition) => condition.type === type);
  return (before?.status === status ? before.lastTransitionTime : undefined) ?? timestamp(now);
};

/** Other writers' conditions have a type with a domain. */
const isOfOthers = ({ type }: { type: string }): boolean => type.includes('/');

/** Keeps other writers' conditions, although the controller's plan does not repeat them. */
const withOthers = <C extends { type: string }>(next: readonly C[], previous: readonly C[] = []): C[] => [
  ...next,
  ...previous.filter((one) => isOfOthers(one) && !next.some(({ type }) => type === one.type)),
];

const modern = (
  next: Condition[],
  previous: Condition[] | undefined,
  { generation, now }: Pick<Stamp, 'generation' | 'now'>,
): Condition[] =>
  sortConditions(withOthers(next, previous)).map((condition) => {
    // Only its writer knows which generation the condition observed.
    if (isOfOthers(condition)) return condition;
    return {
      ...condition,
      lastTransitionTime: timeOf(condition, previous, now),
      message: condition.message ?? '',
      ...(generation !== undefined && { observedGeneration: generation }),
    };
  });

const legacy = (next: LegacyCondition[], previous: LegacyCondition[] | undefined, now: number): LegacyCondition[] =>
  sortLegacy(withOthers(next, previous)).map((condition) => ({
    ...condition,
    lastTransitionTime: timeOf(condition, previous, now),
  }));

type Conditions = { conditions?: unknown };
type Status = JsonObject & {
  conditions?: unknown;
  observedGeneration?: number;
  deprecated?: { v1beta1?: Conditions };
  v1beta2?: Conditions;
};
const list = <C>(holder: Conditions | undefined): C[] | undefined =>
  Array.isArray(holder?.conditions) ? (holder.conditions as C[]) : undefined;

const stampLegacy = (next: Status, before: Status, stamp: Stamp): JsonObject => {
  const [own, newer] = [list<LegacyCondition>(next), list<Condition>(next.v1beta2)];
  return {
    ...next,
    ...(own && { conditions: legacy(own, list(before), stamp.now) }),
    ...(newer && { v1beta2: { ...next.v1beta2, conditions: modern(newer, list(before.v1beta2), stamp) } }),
  } as JsonObject;
};

const stampModern = (next: Status, before: Status, stamp: Stamp): JsonObject => {
  const [own, old] = [list<Condition>(next), next.deprecated?.v1beta1];
  const older = list<LegacyCondition>(old);
  const v1beta1 = older && { ...old, conditions: legacy(older, list(before.deprecated?.v1beta1), stamp.now) };
  return {
    ...next,
    ...(own && { conditions: modern(own, list(before), stamp) }),
    ...(v1beta1 && { deprecated: { ...next.deprecated, v1beta1 } }),
    observedGeneration: stamp.failed ? before.observedGeneration : stamp.generation,
  } as JsonObject;
};

/** Only the loop's own conditions come without a time. */
const stampFaults = (next: JsonObject, before: Status, { now }: Stamp): JsonObject => {
  const own = list<Condition>(next as Status);
  if (!own?.some(({ lastTransitionTime }) => !lastTransitionTime)) return next;
  const timed = own.map((one) => ({
    ...one,
    lastTransitionTime: one.lastTransitionTime || timeOf(one, list(before), now),
  }));
  return { ...next, conditions: timed } as JsonObject;
};

/** `next` as it replaces `previous` in the store. */
export const stampStatus = (next: JsonObject, previous: JsonObject | undefined, stamp: Stamp): JsonObject => {
  switch (stamp.form) {
    case 'none':
      return stampFaults(next, (previous ?? {}) as Status, stamp);
    case 'v1beta1':
      return stampLegacy(next as Status, (previous ?? {}) as Status, stamp);
    case 'v1beta2':
      return stampModern(next as Status, (previous ?? {}) as Status, stamp);
    default:
      throw new Error(`unknown form ${stamp.form satisfies never}`);
  }
};

/** Another controller's conditions in an object's status: only changed ones get a new timestamp. */
export const stampForeign = (
  next: JsonObject,
  previous: JsonObject | undefined,
  stamp: Pick<Stamp, 'generation' | 'now'>,
): JsonObject => {
  const own = list<Condition>(next);
  if (!own) return next;
  const before = list<Condition>(previous as Status | undefined);
  const stamped = modern(own, before, stamp);
  const conditions = stamped.map((condition) => {
    const old = before?.find(({ type }) => type === condition.type);
    const isSame =
      old?.status === condition.status && old.reason === condition.reason && old.message === condition.message;
    return isSame ? old : condition;
  });
  return { ...next, conditions } as JsonObject;
};
