/**
 * Sets the tags that a user asks for on every resource of a cluster, and the tags that the
 * in-cluster cloud provider needs. Nothing waits for them.
 */

import type { KubeObject } from '../../../machinery/api/object.ts';
import { givenSpec } from '../../common/filled.ts';
import type { Tag } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import {
  appliedOwnTagsAnnotation,
  appliedTags,
  differenceOf,
  ec2Tagger,
  type Tagger,
  type TagPlan,
  type Thing,
  tagPlan,
  tagSteps,
} from '../engine/additional-tags.ts';
import { idOf, itemsOf, type Marks, stateOf, type Types, tagsOfOne } from '../engine/resource.ts';
import type { Pending } from '../engine/step.ts';
import { additional, carries, evidence, type Owner } from '../engine/tags.ts';
import { classicLoadBalancers } from './resources/classic-load-balancers.ts';
import { types } from './resources/index.ts';
import { tagsOfUnmanaged } from './resources/subnets.ts';
import type { NetworkSpec } from './schema.ts';
import type { Scope } from './scope.ts';

interface Made extends Marks {
  sort: string;
  ids: string[];
  there: readonly Tag[];
  isComing: boolean;
}

/** The cluster's own resources. */
const madeFor = (scope: Scope, given: NetworkSpec, all: Types): Made[] =>
  Object.entries(all).flatMap(([name, type]) =>
    itemsOf(scope.cloudState, name, type).flatMap((one): Made[] => {
      const there = tagsOfOne(type, one);
      const isLive = !['failed', 'deleting', 'deleted'].includes(stateOf(type, one));
      const marks = type.marks ? type.marks(one, scope, given) : {};
      if (!isLive || !marks || !carries(there, evidence(scope.owner))) return [];
      const ids = type.tagged?.(one) ?? [idOf(type, one)];
      return [{ ...marks, sort: type.sort, ids, there, isComing: type.isComing?.(one) ?? false }];
    }),
  );

const isBalancing = ({ ids }: Made): boolean => ids.some((id) => id.startsWith('arn:'));
const isClassic = ({ sort }: Made): boolean => sort === classicLoadBalancers.sort;

/** One resource a call: the service accepts no more. */
const elbTagger = (region: string, owned: Record<string, string>): Tagger => ({
  several: false,
  put: (ResourceArns, Tags) => callCloud(region, 'AddTags', { ResourceArns, Tags }),
  take: (ResourceArns, TagKeys) => callCloud(region, 'RemoveTags', { ResourceArns, TagKeys }, owned),
});

const classicTagger = (region: string, owned: Record<string, string>): Tagger => ({
  several: false,
  put: (LoadBalancerNames, Tags) => callCloud(region, 'AddClassicLoadBalancerTags', { LoadBalancerNames, Tags }),
  take: (LoadBalancerNames, keys) =>
    callCloud(
      region,
      'RemoveClassicLoadBalancerTags',
      { LoadBalancerNames, Tags: keys.map((Key) => ({ Key })) },
      owned,
    ),
});

/**
 * Whether tags are or were asked for; otherwise the controller does not read those of each
 * listener.
 */
export const isTagged = ({ metadata }: KubeObject, { additionalTags, clusterName }: Owner): boolean =>
  Object.keys(additional({ ...additionalTags, ...appliedTags(metadata.annotations) }, clusterName)).length > 0;

const own = ([id = '']: readonly string[], key: string): string => `${id}/${key}`;

/** The tags that the spec gives to single resources, and those that it gave to them before. */
const ownTags = (made: readonly Made[], { metadata }: KubeObject, clusterName: string) => {
  const applied = appliedTags(metadata.annotations, appliedOwnTagsAnnotation) ?? {};
  const wanted = Object.fromEntries(
    made.flatMap(({ ids, given = {} }) =>
      Object.entries(additional(given, clusterName)).map(([key, value]) => [own(ids, key), value] as const),
    ),
  );
  const surplus = Object.keys(applied).filter((name) => !Object.hasOwn(wanted, name));
  const surplusOf = (ids: readonly string[]): string[] => {
    const prefix = own(ids, '');
    const keys = surplus
      .filter((name) => name.startsWith(prefix))
      .map((name) => [name.slice(prefix.length), ''] as const);
    return Object.keys(additional(Object.fromEntries(keys), clusterName));
  };
  return { applied, wanted, surplus, surplusOf };
};

export interface ClusterTagPlan extends TagPlan {
  /** Changes that the controller cannot make and skips. */
  forgone: string[];
}

export const planTags = (
  scope: Scope,
  object: KubeObject,
  before: Pending,
  now: number,
  all: Types = types,
): ClusterTagPlan => {
  const { owner, region } = scope;
  const applied = appliedTags(object.metadata.annotations) ?? {};
  const difference = differenceOf(owner.additionalTags, applied, owner.clusterName);
  const owned = evidence(owner);
  const made = madeFor(scope, givenSpec(object) as NetworkSpec, all);
  const inEc2 = made.filter((one) => !isBalancing(one) && !isClassic(one));
  const inBalancing = made.filter(isBalancing);
  const inClassic = made.filter(isClassic);
  const single = ownTags(made, object, owner.clusterName);
  const asked = (all: readonly Made[]): Thing[] =>
    all.map(({ given = {}, finding: _, ...one }) => {
      const wanted = { ...difference.wanted, ...additional(given, owner.clusterName) };
      const surplus = new Set([...difference.surplus, ...single.surplusOf(one.ids)]);
      return { ...one, wanted, surplus: [...surplus].filter((key) => !Object.hasOwn(wanted, key)) };
    });
  // In steps of their own: AWS may refuse the tags that users ask for.
  const finding = inEc2.map(({ given: _, finding: wanted = {}, ...one }): Thing => ({ ...one, wanted, surplus: [] }));
  const unmanaged = tagsOfUnmanaged(scope);
  const steps = [
    ...tagSteps([...unmanaged.things, ...finding], ec2Tagger(region, owned), before, now),
    ...tagSteps(asked(inEc2.filter(({ isComing }) => !isComing)), ec2Tagger(region, owned), before, now),
    ...tagSteps(asked(inBalancing), elbTagger(region, owned), before, now),
    ...tagSteps(asked(inClassic), classicTagger(region, owned), before, now),
  ];
  const everything = asked(made);
  const shown = everything.map(({ there, surplus }) => there.filter(({ Key }) => surplus.includes(Key)));
  const shownOwn = everything.map(({ ids, there, wanted }) =>
    there.filter(({ Key }) => !Object.hasOwn(wanted, Key)).map((tag) => ({ ...tag, Key: own(ids, tag.Key) })),
  );
  const ofAll = tagPlan(applied, difference, { steps, shown }, before, now);
  const ofSingle = tagPlan(
    single.applied,
    single,
    { steps: [], shown: shownOwn },
    before,
    now,
    appliedOwnTagsAnnotation,
  );
  return {
    steps,
    underway: [...ofAll.underway, ...ofSingle.underway],
    forget: [...ofAll.forget, ...ofSingle.forget],
    note: { ...ofAll.note, ...ofSingle.note },
    forgone: unmanaged.forgone,
  };
};
