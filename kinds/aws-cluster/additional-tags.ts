/**
 * Tags that users ask for besides those that are ours. What was put on is noted before it is, in the AWS provider's
 * annotation, so that what is asked for no longer is known and taken off; whatever else somebody puts there stays.
 */
import { equal } from '../../machinery/api/merge.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import type { Action } from '../../machinery/api/reconcile.ts';
import type { Tag } from '../ports/cloud.ts';
import { callCloud } from '../ports/index.ts';
import type { Pending, Step } from './step.ts';
import { cloudProviderTag, clusterTag, machineNameTag, roleTag, tagList, tagMap } from './tags.ts';

export const appliedTagsAnnotation = 'sigs.k8s.io/cluster-api-provider-aws-last-applied-tags';

type Tags = Record<string, string>;

/** Whether things are found, proven and used by it, so that it is not a user's to give or to take. */
const isOurs = (key: string, clusterName: string): boolean =>
  [clusterTag(clusterName), cloudProviderTag(clusterName), roleTag, machineNameTag, 'Name'].includes(key) ||
  /^(capstan\.dev|kubernetes\.io\/role)\//.test(key);

/** Of what is asked for, what is a user's to ask for. */
export const additional = (wanted: Tags, clusterName: string): Tags =>
  Object.fromEntries(Object.entries(wanted).filter(([key]) => !isOurs(key, clusterName)));

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

export interface AdditionalTags {
  wanted: Tags;
  /** Were put on, and are asked for no longer. */
  surplus: string[];
}

export const additionalTags = (asked: Tags, applied: Tags, clusterName: string): AdditionalTags => {
  const wanted = additional(asked, clusterName);
  return {
    wanted,
    surplus: Object.keys(additional(applied, clusterName)).filter((key) => !Object.hasOwn(wanted, key)),
  };
};

const isTagging = /\/(tags|surplus-tags)$/;
export const isAboutTags = (key: string | undefined): boolean => key !== undefined && isTagging.test(key);

/**
 * The annotation, for the write that goes before the calls; nothing where it says so already. What is surplus stays noted
 * while something carries it (`steps`), or may carry it without showing it (`pending`).
 */
export const appliedNote = (
  applied: Tags,
  { wanted, surplus }: AdditionalTags,
  steps: readonly Step[],
  pending: Pending,
): Record<string, string> => {
  const isCertain = Object.keys(pending).length === 0 && !steps.some(({ key }) => key.endsWith('/surplus-tags'));
  const kept = isCertain ? [] : surplus.map((key) => [key, applied[key]!] as const);
  const noted = { ...wanted, ...Object.fromEntries(kept) };
  return equal(noted, applied) ? {} : { [appliedTagsAnnotation]: JSON.stringify(tagMap(tagList(noted))) };
};

export interface TagPlan {
  steps: Step[];
  /** What the object says of the tags before any of `steps` is taken; nothing where it says so already. */
  note: (pending: Pending) => Record<string, string>;
}

/** What is wanted of the tags of one thing: those that are there, and those to put on and to take off. */
export interface Tagging {
  /** Of its steps. */
  key: string;
  there: readonly Tag[];
  wanted: Tags;
  surplus: readonly string[];
}

/** `put`, `take`: how it is done to this sort of thing. */
export const tagSteps = (
  { key, there, wanted, surplus }: Tagging,
  put: (tags: Tag[]) => Action,
  take: (keys: string[]) => Action,
): Step[] => {
  const have = tagMap(there);
  const missing = Object.entries(wanted).filter(([name, value]) => have[name] !== value);
  const carried = surplus.filter((name) => Object.hasOwn(have, name)).sort();
  return [
    ...(missing.length > 0 ? [{ key: `${key}/tags`, actions: () => [put(tagList(Object.fromEntries(missing)))] }] : []),
    ...(carried.length > 0 ? [{ key: `${key}/surplus-tags`, actions: () => [take(carried)] }] : []),
  ];
};

/** Of EC2: `ids` are tagged alike. `owned`: the tags that each of them must carry for any to be taken off. */
export const ec2TagSteps = (region: string, ids: string[], owned: Tags, tagging: Tagging): Step[] =>
  tagSteps(
    tagging,
    (Tags) => callCloud(region, 'CreateTags', { Resources: ids, Tags }),
    (keys) => callCloud(region, 'DeleteTags', { Resources: ids, Tags: keys.map((Key) => ({ Key })) }, owned),
  );
