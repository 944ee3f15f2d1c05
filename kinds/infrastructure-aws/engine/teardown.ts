/**
 * Plans the teardown: every resource with both tags is deleted as soon as nothing depends on it.
 */
import { type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { isTagged } from '../../ports/lists.ts';
import { isSpentToken } from './client-token.ts';
import { callStep } from './plan.ts';
import { idOf, itemsOf, type ResourceType, stateOf, type Types, tagsOfOne, typeOf } from './resource.ts';
import { isAlreadyThere, isDefinite, type Pending, type Step } from './step.ts';
import { carries, evidence, type Owner, purposeTag, tagMap } from './tags.ts';

/** What AWS has of a cluster in deletion. */
export interface Remains<Inventory extends object = object> {
  found: Inventory;
  /**
   * False when some reads were skipped because something that must go first still exists; an empty
   * list then proves nothing.
   */
  isWhole: boolean;
}

export interface Teardown {
  steps: Step[];
  /** Resources that AWS is already deleting. */
  underway: string[];
  conditions: LegacyDraft[];
  /** No resource of the cluster was found. */
  empty: boolean;
}

/** The resources of a type that carry the tags and that AWS has not deleted yet. */
export const standing = (owner: Owner, name: string, type: ResourceType<unknown>, found: object): unknown[] =>
  type.list === undefined
    ? []
    : itemsOf(found, name, type).filter(
        (one) =>
          stateOf(type, one) !== 'deleted' &&
          // A list by tag shows no other resource.
          (isTagged(type.list!) || carries(tagsOfOne(type, one), evidence(owner))),
      );

export const planTeardown = (owner: Owner, region: string, { found, isWhole }: Remains, all: Types): Teardown => {
  const steps: Step[] = [];
  const underway: string[] = [];
  const left = new Map(Object.entries(all).map(([name, type]) => [name, standing(owner, name, type, found)]));
  const isUsed = (name: string) =>
    Object.entries(all).some(
      ([user, { uses }]) => (uses as readonly string[]).includes(name) && (left.get(user)?.length ?? 0) > 0,
    );
  // The last that was created goes first.
  for (const [name, type] of Object.entries(all).reverse()) {
    const there = left.get(name) ?? [];
    const calls = (of: ResourceType<unknown>['release']) =>
      there
        .filter((one) => stateOf(type, one) !== 'deleting')
        .flatMap((one) => of?.call(type, one).map((call) => ({ call, id: call.id ?? idOf(type, one) })) ?? []);
    underway.push(
      ...there.filter((one) => stateOf(type, one) === 'deleting').map((one) => `delete/${idOf(type, one)}`),
    );
    const releases = calls(type.release);
    const next = releases.length > 0 || isUsed(name) ? releases : calls((one) => type.remove?.(one, found) ?? []);
    steps.push(...next.map(({ call, id }) => callStep({ owner, region }, `delete/${id}`, call)));
  }
  // An empty list proves nothing when some reads were skipped.
  const isGone = (count: number) => count === 0 && isWhole;
  const counts = [...Map.groupBy(Object.entries(all), ([, { condition }]) => condition.type)].map(
    ([condition, those]) => [condition, those.reduce((sum, [name]) => sum + (left.get(name)?.length ?? 0), 0)] as const,
  );
  return {
    steps,
    underway,
    conditions: counts.map(([type, count]) => legacyFalse(type, isGone(count) ? 'Deleted' : 'Deleting', 'Info')),
    empty: counts.every(([, count]) => isGone(count)),
  };
};

/** Whether the step may have created a resource that describe calls do not show yet. */
export const isCreation = (key: string, all: Types): boolean => {
  const type = typeOf(key, all);
  return type?.list !== undefined && key.split('/').length === type.depth + 1;
};

/**
 * Records the announcements whose resource is visible: once it is deleted, a describe call that
 * misses it is right.
 */
export const sighted = (pending: Pending, { found }: Remains, all: Types): Pending => {
  const inSight = new Set(
    Object.entries(all).flatMap(([name, type]) =>
      itemsOf(found, name, type).flatMap((one) => {
        const purpose = tagMap(tagsOfOne(type, one))[purposeTag];
        return purpose === undefined ? [] : (type.keyOf?.(one, purpose) ?? purpose);
      }),
    ),
  );
  return Object.fromEntries(
    Object.entries(pending).map(([key, one]) => [key, inSight.has(key) ? { ...one, seen: true } : one]),
  );
};

/**
 * The announced creation that AWS refused in the last pass, for another reason than that its resource
 * exists: none can become visible.
 */
export const refusedCreation = (pending: Pending, lastFailure: Failure | undefined, all: Types): string[] => {
  const key = lastFailure?.group;
  const announced = key === undefined ? undefined : pending[key];
  if (!lastFailure || key === undefined || !announced || !isCreation(key, all)) return [];
  const { code, at } = lastFailure;
  const mayExist = !isDefinite(lastFailure) || isAlreadyThere(lastFailure, announced.since) || isSpentToken(code);
  // An earlier try may have created it.
  const isFirst = announced.tried === announced.since;
  return isFirst && at >= announced.tried && !mayExist ? [key] : [];
};
