/** Describes load balancers and target groups, which AWS does not list by tag. */

import type {
  ClassicAttributes,
  ClassicLoadBalancer,
  Listener,
  LoadBalancer,
  Tag,
  TargetGroup,
} from '../../ports/cloud/index.ts';
import type { Asking } from '../engine/ask.ts';
import type { Whose } from '../engine/scope.ts';
import { clusterUidTag, installationTag, tagMap } from '../engine/tags.ts';
import type { Question } from './observe-cloud.ts';

/**
 * The tags of listeners and target groups are present only when the question asks for them: see
 * `Question.tagged`.
 */
export interface ObservedLoadBalancer extends LoadBalancer {
  tags: Tag[];
  attributes: Record<string, string>;
  listeners: (Listener & { tags: Tag[] })[];
}
export interface ObservedTargetGroup extends TargetGroup {
  attributes: Record<string, string>;
  tags: Tag[];
}
export interface ObservedClassic extends ClassicLoadBalancer {
  tags: Tag[];
  /** Present only while the load balancer is to stand. */
  attributes?: ClassicAttributes | undefined;
}

/** Tags by ARN. The tagging API may list deleted resources. */
export const taggedBalancing = (cloud: Asking, tags: Record<string, string>): Map<string, Tag[]> =>
  new Map(
    cloud.all(
      'GetResources',
      {
        TagFilters: Object.entries(tags).map(([Key, value]) => ({ Key, Values: [value] })),
        ResourceTypeFilters: ['elasticloadbalancing:loadbalancer', 'elasticloadbalancing:targetgroup'],
      },
      (page) => page.ResourceTagMappingList.map(({ ResourceARN, Tags }) => [ResourceARN, Tags] as const),
      'PaginationToken',
    ) ?? [],
  );

/** A classic load balancer's ARN ends in `loadbalancer/NAME`, others name their type before it. */
export const classicName = (arn: string): string | undefined => /:loadbalancer\/([^/]+)$/.exec(arn)?.[1];

export const classicNamed = (cloud: Asking, names: readonly string[]): ClassicLoadBalancer[] =>
  names.flatMap(
    (name) => cloud.ask('DescribeClassicLoadBalancers', { LoadBalancerNames: [name] })?.LoadBalancerDescriptions ?? [],
  );

export const tagsOfClassic = (cloud: Asking, name: string): Tag[] =>
  cloud.ask('DescribeClassicLoadBalancerTags', { LoadBalancerNames: [name] })?.TagDescriptions[0]?.Tags ?? [];

const observeClassic = (cloud: Asking, { classicNames }: Question): ObservedClassic[] =>
  classicNamed(cloud, classicNames).map((one) => ({
    ...one,
    tags: tagsOfClassic(cloud, one.LoadBalancerName),
    attributes: cloud.ask('DescribeClassicLoadBalancerAttributes', { LoadBalancerName: one.LoadBalancerName })
      ?.LoadBalancerAttributes,
  }));

/** Of load balancers and target groups with these ARNs, those that exist. */
export const balancingOf = (cloud: Asking, arns: readonly string[]) => {
  const of = (kind: string) => arns.filter((arn) => arn.includes(`:${kind}/`) && classicName(arn) === undefined);
  return {
    balancers: of('loadbalancer').flatMap(
      (arn) => cloud.ask('DescribeLoadBalancers', { LoadBalancerArns: [arn] })?.LoadBalancers ?? [],
    ),
    groups: of('targetgroup').flatMap(
      (arn) => cloud.ask('DescribeTargetGroups', { TargetGroupArns: [arn] })?.TargetGroups ?? [],
    ),
  };
};

export const tagsOfBalancing = (cloud: Asking, arn: string): Tag[] =>
  cloud
    .ask('DescribeLoadBalancerTags', { ResourceArns: [arn] })
    ?.TagDescriptions.find(({ ResourceArn }) => ResourceArn === arn)?.Tags ?? [];

type Names = Pick<Question, 'loadBalancerNames' | 'classicNames' | 'targetGroupNames'>;

/** By name, because names are derived from the cluster. */
const observeNamed = (cloud: Asking, { loadBalancerNames, targetGroupNames }: Omit<Names, 'classicNames'>) => ({
  balancers: loadBalancerNames.flatMap(
    (name) => cloud.ask('DescribeLoadBalancers', { Names: [name] })?.LoadBalancers ?? [],
  ),
  groups: targetGroupNames.flatMap((name) => cloud.ask('DescribeTargetGroups', { Names: [name] })?.TargetGroups ?? []),
});

/** The number of resources whose tags one call returns. */
const tagsPerCall = 20;

/** Tags by ARN. */
const tagsOfAll = (cloud: Asking, arns: readonly string[]): Map<string, Tag[]> => {
  const chunks = Array.from({ length: Math.ceil(arns.length / tagsPerCall) }, (_, n) =>
    arns.slice(n * tagsPerCall, (n + 1) * tagsPerCall),
  );
  const described = chunks.flatMap(
    (ResourceArns) => cloud.ask('DescribeLoadBalancerTags', { ResourceArns })?.TagDescriptions ?? [],
  );
  return new Map(described.map(({ ResourceArn, Tags }) => [ResourceArn, Tags]));
};

export const observeBalancing = (cloud: Asking, question: Question) => {
  const { balancers, groups } = observeNamed(cloud, question);
  const standing = balancers.map((balancer) => {
    const { LoadBalancerArn } = balancer;
    const listeners = cloud.all('DescribeListeners', { LoadBalancerArn }, (page) => page.Listeners, 'Marker');
    return { balancer, listeners: listeners ?? [], isRead: listeners !== undefined };
  });
  const parts = [
    ...standing.flatMap(({ listeners }) => listeners.map(({ ListenerArn }) => ListenerArn)),
    ...groups.map(({ TargetGroupArn }) => TargetGroupArn),
  ];
  const isAsked = question.tagged && standing.every(({ isRead }) => isRead);
  const described = isAsked ? tagsOfAll(cloud, parts) : new Map<string, Tag[]>();
  const loadBalancers: ObservedLoadBalancer[] = standing.map(({ balancer, listeners }) => ({
    ...balancer,
    tags: tagsOfBalancing(cloud, balancer.LoadBalancerArn),
    attributes: tagMap(
      cloud.ask('DescribeLoadBalancerAttributes', { LoadBalancerArn: balancer.LoadBalancerArn })?.Attributes ?? [],
    ),
    listeners: listeners.map((one) => ({ ...one, tags: described.get(one.ListenerArn) ?? [] })),
  }));
  const targetGroups: ObservedTargetGroup[] = groups.map((one) => ({
    ...one,
    tags: described.get(one.TargetGroupArn) ?? [],
    attributes: tagMap(
      cloud.ask('DescribeTargetGroupAttributes', { TargetGroupArn: one.TargetGroupArn })?.Attributes ?? [],
    ),
  }));
  return { loadBalancers, classicLoadBalancers: observeClassic(cloud, question), targetGroups };
};

/** `arn:…:loadbalancer/net/NAME/ID` or `arn:…:targetgroup/NAME/ID`. */
const nameIn = (arn: string): string => arn.split('/').at(-2) ?? '';

/**
 * By name and by tag: tags may lag, and the spec may no longer name a second load balancer. One
 * found by name may belong to another owner: its tags tell.
 */
export const observeOwnBalancing = (cloud: Asking, whose: Whose, question: Names) => {
  const { installation, clusterUid } = whose;
  const tagged = taggedBalancing(cloud, { [installationTag]: installation, [clusterUidTag]: clusterUid });
  const names = new Set([...question.loadBalancerNames, ...question.targetGroupNames]);
  const named = observeNamed(cloud, question);
  const unnamed = balancingOf(
    cloud,
    [...tagged.keys()].filter((arn) => !names.has(nameIn(arn))),
  );
  const taggedNames = [...tagged.keys()].flatMap((arn) => classicName(arn) ?? []);
  const classic = classicNamed(cloud, [...new Set([...question.classicNames, ...taggedNames])]);
  const balancers = [...named.balancers, ...unnamed.balancers];
  const groups = [...named.groups, ...unnamed.groups];
  const tagsOf = (arn: string) => tagged.get(arn) ?? tagsOfBalancing(cloud, arn);
  // A deleted load balancer holds no target group, even if the target group still names it.
  const isGone = (arn: string) =>
    question.loadBalancerNames.includes(nameIn(arn)) &&
    balancers.every(({ LoadBalancerArn }) => LoadBalancerArn !== arn);
  return {
    loadBalancers: balancers.map((one) => ({
      ...one,
      tags: tagsOf(one.LoadBalancerArn),
      attributes: {},
      listeners: [],
    })),
    classicLoadBalancers: classic.map((one) => ({ ...one, tags: tagsOfClassic(cloud, one.LoadBalancerName) })),
    targetGroups: groups.map((one) => ({
      ...one,
      LoadBalancerArns: one.LoadBalancerArns.filter((arn) => !isGone(arn)),
      tags: tagsOf(one.TargetGroupArn),
      attributes: {},
    })),
  };
};
