/**
 * Tags that the user asks for besides Capstan's own. The controller records the tags in the AWS
 * provider's annotation before it sets them, so that it can remove a tag that is no longer asked
 * for. Tags that other tools set stay.
 */
import { equal } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { Tag } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { type Pending, type Step, shownWithin, visibleWithin } from './step.ts';
import { additional, digest, tagList, tagMap } from './tags.ts';

export const appliedTagsAnnotation = 'sigs.k8s.io/cluster-api-provider-aws-last-applied-tags';
/** Tags that the spec gives to one resource, as ID/KEY. */
export const appliedOwnTagsAnnotation = 'capstan.dev/applied-tags';

type Tags = Record<string, string>;

/** The recorded tags; undefined without the annotation, and when it is not a map of strings. */
export const appliedTags = (
  annotations: Record<string, string> | undefined,
  annotation = appliedTagsAnnotation,
): Tags | undefined => {
  try {
    const noted = JSON.parse(annotations?.[annotation] ?? 'null') as JsonObject | null;
    if (typeof noted !== 'object' || noted === null || Array.isArray(noted)) return undefined;
    return Object.fromEntries(
      Object.entries(noted).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return undefined;
  }
};

/**
 * Resources of one type that can be tagged in one call. `there`: the tags that the first of them
 * has.
 */
export interface Thing {
  sort: string;
  ids: string[];
  there: readonly Tag[];
  wanted: Tags;
  /** Keys that the controller set before and that are no longer asked for. */
  surplus: readonly string[];
}

/** Sets and removes tags of one type of resource. */
export interface Tagger {
  /** Whether one call can tag several resources. */
  several: boolean;
  put: (ids: string[], tags: Tag[]) => Action;
  take: (ids: string[], keys: string[]) => Action;
}

/** `owned`: tags that a resource must carry before the controller removes any tag from it. */
export const ec2Tagger = (region: string, owned: Tags): Tagger => ({
  several: true,
  put: (Resources, Tags) => callCloud(region, 'CreateTags', { Resources, Tags }),
  take: (Resources, keys) => callCloud(region, 'DeleteTags', { Resources, Tags: keys.map((Key) => ({ Key })) }, owned),
});

const isTagging = /\/(tags|surplus-tags)\//;
export const isAboutTags = (key: string | undefined): boolean => key !== undefined && isTagging.test(key);

/**
 * Plans the tag changes. The key of a step is derived from its content, so a different change is a
 * different step and starts at once. Resources that lack the same tags share a call until one of
 * them is refused.
 */
export const tagSteps = (
  things: readonly Thing[],
  { several, put, take }: Tagger,
  before: Pending,
  now: number,
): Step[] => {
  const alike = new Map<string, { all: string[][]; act: (ids: string[]) => Action }>();
  const add = (key: string, ids: string[], act: (ids: string[]) => Action) =>
    alike.set(key, { all: [...(alike.get(key)?.all ?? []), ids], act });
  for (const { sort, ids, there, wanted, surplus } of things) {
    const have = tagMap(there);
    const missing = tagList(Object.fromEntries(Object.entries(wanted).filter(([key, value]) => have[key] !== value)));
    const carried = surplus.filter((key) => Object.hasOwn(have, key)).sort();
    if (missing.length > 0) add(`${sort}/tags/${digest(8, JSON.stringify(missing))}`, ids, (all) => put(all, missing));
    if (carried.length > 0) add(`${sort}/surplus-tags/${digest(8, ...carried)}`, ids, (all) => take(all, carried));
  }
  const isApart = (key: string, count: number): boolean =>
    !several ||
    (count > 1 && now - (before[key]?.since ?? now) >= visibleWithin) ||
    Object.keys(before).some((one) => one.startsWith(`${key}/`));
  const step = (key: string, ids: string[], act: (ids: string[]) => Action): Step => ({
    key,
    optional: true,
    actions: () => [act(ids)],
  });
  // Sort: AWS guarantees no order in lists.
  return [...alike]
    .flatMap(([key, { all, act }]) =>
      isApart(key, all.length)
        ? all.map((ids) => step(`${key}/${digest(8, ...ids.toSorted())}`, ids.toSorted(), act))
        : [step(key, all.flat().sort(), act)],
    )
    .sort((a, b) => (a.key < b.key ? -1 : 1));
};

export interface TagPlan {
  steps: Step[];
  /** Keys of steps that must end before surplus tags can be forgotten. */
  underway: string[];
  /** Keys that were under way for that reason and no longer are. */
  forget: string[];
  /** The annotation to write before any of `steps` runs; empty when the object already has it. */
  note: Record<string, string>;
}

/**
 * Compares the tags asked for with those applied before: what resources must carry, and what they
 * must lose.
 */
export const differenceOf = (asked: Tags, applied: Tags, clusterName: string): Pick<Thing, 'wanted' | 'surplus'> => {
  const wanted = additional(asked, clusterName);
  return {
    wanted,
    surplus: Object.keys(additional(applied, clusterName)).filter((key) => !Object.hasOwn(wanted, key)),
  };
};

/** The first word of the keys that await when a record can forget its surplus tags. */
const surplusOf: Record<string, string> = {
  [appliedTagsAnnotation]: 'surplus-tags/',
  [appliedOwnTagsAnnotation]: 'surplus-own-tags/',
};

/**
 * A surplus tag stays recorded while a resource carries it (`shown`: the tags of all resources),
 * and for as long as a worker with an older view may still set it.
 */
export const tagPlan = (
  applied: Tags,
  { wanted, surplus }: Pick<Thing, 'wanted' | 'surplus'>,
  { steps, shown }: { steps: Step[]; shown: readonly (readonly Tag[])[] },
  before: Pending,
  now: number,
  annotation = appliedTagsAnnotation,
): TagPlan => {
  const prefix = surplusOf[annotation]!;
  const key = `${prefix}${digest(8, ...surplus)}`;
  const since = before[key]?.since ?? now;
  const isCarried = shown.some((tags) => tags.some(({ Key }) => surplus.includes(Key)));
  const isKept = surplus.length > 0 && (isCarried || now - since < shownWithin);
  const noted = { ...wanted, ...(isKept && Object.fromEntries(surplus.map((name) => [name, applied[name]!]))) };
  // Sorted, so that equal content is an equal annotation.
  const text = JSON.stringify(tagMap(tagList(noted)));
  const underway = isKept ? [key] : [];
  return {
    steps,
    underway,
    forget: Object.keys(before).filter((one) => one.startsWith(prefix) && !underway.includes(one)),
    note: equal(noted, applied) ? {} : { [annotation]: text },
  };
};

/**
 * Seconds until surplus tags can be forgotten; undefined when only resources that still carry them
 * are awaited.
 */
export const untilForgotten = (since: number, now: number): number | undefined =>
  now - since < shownWithin ? Math.ceil((since + shownWithin - now) / 1000) : undefined;
