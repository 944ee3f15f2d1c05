/**
 * Tags that users ask for besides those that are ours. What was put on is noted before it is, in the AWS provider's
 * annotation, so that what is asked for no longer is known and taken off; whatever else somebody puts there stays.
 */
import { equal } from '../../../machinery/api/merge.ts';
import type { JsonObject } from '../../../machinery/api/object.ts';
import type { Action } from '../../../machinery/api/reconcile.ts';
import type { Tag } from '../../ports/cloud.ts';
import { callCloud } from '../../ports/index.ts';
import { type Pending, type Step, shownWithin, visibleWithin } from './step.ts';
import { additional, digest, tagList, tagMap } from './tags.ts';

export const appliedTagsAnnotation = 'sigs.k8s.io/cluster-api-provider-aws-last-applied-tags';

type Tags = Record<string, string>;

/** What is noted; undefined where nothing is, or something that is no map of texts. */
export const appliedTags = (annotations: Record<string, string> | undefined): Tags | undefined => {
  try {
    const noted = JSON.parse(annotations?.[appliedTagsAnnotation] ?? 'null') as JsonObject | null;
    if (typeof noted !== 'object' || noted === null || Array.isArray(noted)) return undefined;
    return Object.fromEntries(
      Object.entries(noted).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return undefined;
  }
};

/** Things of one sort that are tagged alike, as one call can; `there`: what the first of them shows. */
export interface Thing {
  sort: string;
  ids: string[];
  there: readonly Tag[];
  wanted: Tags;
  /** Keys that were put on, and are asked for no longer. */
  surplus: readonly string[];
}

/** How tags are put on things, and taken off. */
export interface Tagger {
  /** Whether one call does it to several. */
  several: boolean;
  put: (ids: string[], tags: Tag[]) => Action;
  take: (ids: string[], keys: string[]) => Action;
}

/** `owned`: the tags that each of them must carry for any to be taken off. */
export const ec2Tagger = (region: string, owned: Tags): Tagger => ({
  several: true,
  put: (Resources, Tags) => callCloud(region, 'CreateTags', { Resources, Tags }),
  take: (Resources, keys) => callCloud(region, 'DeleteTags', { Resources, Tags: keys.map((Key) => ({ Key })) }, owned),
});

const isTagging = /\/(tags|surplus-tags)\//;
export const isAboutTags = (key: string | undefined): boolean => key !== undefined && isTagging.test(key);

/**
 * What is to be done; a key says what, so that something else is done at once, too. Things that lack the same are tagged in
 * one call, until it turns out that one of them cannot be.
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
  // AWS lists in no order that it promises.
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
  /** Until what is surplus can be forgotten. */
  underway: string[];
  /** What was underway so, and is no longer. */
  forget: string[];
  /** What the object says of the tags before any of `steps` is taken; nothing where it says so already. */
  note: Record<string, string>;
}

/** Of what is asked for and what was put on before: what things are to carry, and what they are to lose. */
export const differenceOf = (asked: Tags, applied: Tags, clusterName: string): Pick<Thing, 'wanted' | 'surplus'> => {
  const wanted = additional(asked, clusterName);
  return {
    wanted,
    surplus: Object.keys(additional(applied, clusterName)).filter((key) => !Object.hasOwn(wanted, key)),
  };
};

const surplusOf = 'surplus-tags/';

/**
 * What is surplus stays noted while something carries it (`shown`: the tags of all that there is), and for as long as somebody
 * who knew nothing of it may still put it on.
 */
export const tagPlan = (
  applied: Tags,
  { wanted, surplus }: Pick<Thing, 'wanted' | 'surplus'>,
  { steps, shown }: { steps: Step[]; shown: readonly (readonly Tag[])[] },
  before: Pending,
  now: number,
): TagPlan => {
  const key = `${surplusOf}${digest(8, ...surplus)}`;
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
    forget: Object.keys(before).filter((one) => one.startsWith(surplusOf) && !underway.includes(one)),
    note: equal(noted, applied) ? {} : { [appliedTagsAnnotation]: text },
  };
};

/** Seconds until what is surplus can be forgotten; undefined once nothing but what carries it is waited for. */
export const untilForgotten = (since: number, now: number): number | undefined =>
  now - since < shownWithin ? Math.ceil((since + shownWithin - now) / 1000) : undefined;
