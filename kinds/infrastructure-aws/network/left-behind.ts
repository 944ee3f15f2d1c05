/**
 * Load balancers, target groups and security groups that the cluster's own controllers made for Services
 * and Ingresses, and left in its network. A deletion claims them by Capstan's tags, and removes them with
 * the network. Source: the tags that AWS's cloud controller manager and load balancer controller set.
 */
import type { Action, Reader } from '../../../machinery/api/reconcile.ts';
import type { Tag } from '../../ports/cloud/index.ts';
import { callCloud } from '../../ports/index.ts';
import { type Asking, asking, listed } from '../engine/ask.ts';
import {
  carries,
  cloudProviderTag,
  cloudProviderTagOf,
  clusterUidTag,
  evidence,
  installationTag,
  nameInCloudOf,
  type Owner,
  tagList,
  tagMap,
} from '../engine/tags.ts';
import type { Network } from './blocking-resources.ts';
import { balancingOf, classicName, classicNamed, taggedBalancing, tagsOfClassic } from './observe-balancing.ts';

/** Annotations of an AWSCluster; both are the AWS provider's. */
export const collectorAnnotation = 'aws.cluster.x-k8s.io/external-resource-gc';
export const collectorTasksAnnotation = 'aws.cluster.x-k8s.io/external-resource-tasks-gc';

export const collectorTasks = ['load-balancer', 'target-group', 'security-group'] as const;
export type CollectorTask = (typeof collectorTasks)[number];

/** The types of resources that a deletion collects: all, unless the annotations say otherwise. */
export const tasksOf = (annotations: Readonly<Record<string, string>> = {}): readonly CollectorTask[] => {
  if (annotations[collectorAnnotation] === 'false') return [];
  const named = annotations[collectorTasksAnnotation]?.split(',');
  return named ? collectorTasks.filter((task) => named.includes(task)) : collectorTasks;
};

export interface LeftBehind {
  /** Each as type and name, such as `load balancer a1b2`, whether it is claimed or not. */
  names: string[];
  /** Tags those that are not claimed yet, each in a group of its own: groups of load balancers last. */
  claims: Action[];
  /** Those that stay, because they may serve another cluster of this name. */
  kept: string[];
  /** Why it is not known what is left. */
  unreadable?: string;
}
export const nothingLeft: LeftBehind = { names: [], claims: [], kept: [] };

/** The tag by which a controller finds what it made for a cluster of this name. */
const makers = (clusterName: string): Record<string, string>[] => [
  { [cloudProviderTag(clusterName)]: 'owned' },
  { 'elbv2.k8s.aws/cluster': clusterName },
];

const ofServices = ['kubernetes.io/service-name', 'service.k8s.aws/stack', 'ingress.k8s.aws/stack'];

/** A load balancer or target group of a Service, an Ingress or a Gateway. */
const servesTraffic = (tags: Readonly<Record<string, string>>): boolean =>
  ofServices.some((key) => tags[key]) || Object.keys(tags).some((key) => key.startsWith('gateway.k8s.aws/'));

/** The cloud controller manager tags a group of a load balancer like one that a user brought for it. */
const isMade = (name: string, tags: Readonly<Record<string, string>>): boolean =>
  name.startsWith('k8s-elb-') || tags['elbv2.k8s.aws/cluster'] !== undefined;

interface Found {
  task: CollectorTask;
  title: string;
  /** As messages name it, and as calls do. */
  name: string;
  id: string;
  vpcId: string | undefined;
  tags: readonly Tag[];
}

const foundBalancing = (cloud: Asking, clusterName: string): Found[] => {
  const tagged = new Map(makers(clusterName).flatMap((tags) => [...taggedBalancing(cloud, tags)]));
  const { balancers, groups } = balancingOf(cloud, [...tagged.keys()]);
  const classic = classicNamed(
    cloud,
    [...tagged.keys()].flatMap((arn) => classicName(arn) ?? []),
  );
  return [
    ...balancers.map(
      ({ LoadBalancerArn: id, LoadBalancerName: name, VpcId: vpcId }): Found => ({
        task: 'load-balancer',
        title: 'load balancer',
        name,
        id,
        vpcId,
        tags: tagged.get(id) ?? [],
      }),
    ),
    ...classic.map(
      ({ LoadBalancerName: name, VPCId: vpcId }): Found => ({
        task: 'load-balancer',
        title: 'classic load balancer',
        name,
        id: name,
        vpcId,
        tags: tagsOfClassic(cloud, name),
      }),
    ),
    ...groups.map(
      ({ TargetGroupArn: id, TargetGroupName: name, VpcId: vpcId }): Found => ({
        task: 'target-group',
        title: 'target group',
        name,
        id,
        vpcId,
        tags: tagged.get(id) ?? [],
      }),
    ),
  ].filter(({ tags }) => servesTraffic(tagMap(tags)));
};

const foundGroups = (cloud: Asking, clusterName: string, vpcIds: readonly string[]): Found[] =>
  makers(clusterName).flatMap((tags) => {
    const Filters = Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] }));
    return (listed(cloud, 'securityGroups', [{ Name: 'vpc-id', Values: [...vpcIds] }, ...Filters]) ?? [])
      .filter(({ GroupName, Tags }) => isMade(GroupName, tagMap(Tags)))
      .map(
        ({ GroupId, VpcId, Tags }): Found => ({
          task: 'security-group',
          title: 'security group',
          name: GroupId,
          id: GroupId,
          vpcId: VpcId,
          tags: Tags,
        }),
      );
  });

/** It carries the tag of another installation, or of another cluster, too. */
const isOthers = (tags: readonly Tag[], owner: Owner): boolean =>
  tags.some(
    ({ Key, Value }) =>
      (Key === installationTag && Value !== owner.installation) ||
      (Key === clusterUidTag && Value !== owner.clusterUid) ||
      (Key.startsWith(cloudProviderTag('')) && Key !== cloudProviderTagOf(owner) && Value === 'owned'),
  );

/** Machines of a cluster of this name that Capstan did not make: what is there may serve that cluster. */
const hasNamesake = (cloud: Asking, owner: Owner, vpcIds: readonly string[]): boolean =>
  (
    listed(cloud, 'instances', [
      { Name: 'vpc-id', Values: [...vpcIds] },
      { Name: `tag:${cloudProviderTagOf(owner)}`, Values: ['owned'] },
    ]) ?? []
  ).some(({ State, Tags }) => State.Name !== 'terminated' && !carries(Tags, evidence(owner)));

/** The groups of claims begin with it. */
export const claiming = 'claim/';

const claimOf = (region: string, owner: Owner, { task, title, id, tags }: Found): Action => {
  const Tags = tagList(evidence(owner));
  const [proof] = makers(nameInCloudOf(owner)).filter((one) => carries(tags, one));
  const call = () => {
    if (task === 'security-group') return callCloud(region, 'CreateTags', { Resources: [id], Tags }, proof);
    return title.startsWith('classic')
      ? callCloud(region, 'AddClassicLoadBalancerTags', { LoadBalancerNames: [id], Tags }, proof)
      : callCloud(region, 'AddTags', { ResourceArns: [id], Tags }, proof);
  };
  return { ...call(), group: `${claiming}${id}` };
};

/** Needs three rounds of reads. */
export const observeLeftBehind = (
  { region, vpcIds, owner }: Network,
  tasks: readonly CollectorTask[],
  read: Reader,
): LeftBehind => {
  if (tasks.length === 0 || vpcIds.length === 0) return nothingLeft;
  const cloud = asking(read, region);
  const name = nameInCloudOf(owner);
  const all = [...foundBalancing(cloud, name), ...foundGroups(cloud, name, vpcIds)];
  const found = [...new Map(all.map((one) => [one.id, one])).values()]
    .filter(({ task, vpcId, tags }) => tasks.includes(task) && vpcIds.includes(vpcId ?? '') && !isOthers(tags, owner))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const unclaimed = found.filter(({ tags }) => !carries(tags, evidence(owner)));
  const isShared = unclaimed.length > 0 && hasNamesake(cloud, owner, vpcIds);
  if (cloud.unread()) return nothingLeft;
  const unreadable = cloud.unreadable();
  if (unreadable !== undefined) return { ...nothingLeft, unreadable };
  const named = (those: readonly Found[]) => those.map(({ title, name }) => `${title} ${name}`);
  if (isShared) return { ...nothingLeft, kept: named(unclaimed) };
  const balancing = unclaimed.filter(({ task }) => task !== 'security-group');
  return {
    names: named(found),
    kept: [],
    // A group of a load balancer that stays could not be deleted either.
    claims: (balancing.length > 0 ? balancing : unclaimed).map((one) => claimOf(region, owner, one)),
  };
};
