/**
 * Checks that nothing is left in the account: every resource that Capstan created for a cluster and
 * that still exists. Unmanaged resources lack the tags and do not count.
 */

import type { Read, Reader } from '../../machinery/api/reconcile.ts';
import type { FormerCluster, Leftovers } from '../core/contract/infrastructure.ts';
import { namesKind } from '../core/contract/named.ts';
import {
  type CloudAction,
  type CloudInput,
  type CloudOutput,
  homeRegion,
  type Instance,
  type Tag,
} from '../ports/cloud/index.ts';
import { callCloud } from '../ports/index.ts';
import { isTagged, type List, lists } from '../ports/lists.ts';
import { awsCluster } from './aws-cluster/kind.ts';
import { ownerOf } from './aws-cluster/owner.ts';
import { deleteSecret } from './aws-machine/secrets.ts';
import { strandedInstances } from './aws-machine/stranded.ts';
import { type Asking, asking } from './engine/ask.ts';
import { pagesOf } from './engine/pages.ts';
import { stateOf } from './engine/resource.ts';
import { carries, clusterUidTag, evidence, ownedFilter } from './engine/tags.ts';
import { defaultApiPorts } from './network/api-ports.ts';
import { desiredClassic, desiredLoadBalancers } from './network/desired-load-balancer.ts';
import { observeOwnBalancing } from './network/observe-balancing.ts';
import { types } from './network/resources/index.ts';

/** Needs three rounds of reads. */
export const observeLeftovers = (of: FormerCluster, read: Reader): Leftovers => {
  const { left, isWhole, instances, secrets } = of.region ? remainingResources(of, read) : none;
  const owned = ownedBy(of);
  return {
    left,
    isWhole,
    stranded: strandedInstances(instances, read).map(({ InstanceId }) =>
      callCloud(of.region, 'TerminateInstances', { InstanceIds: [InstanceId] }, owned),
    ),
    last: { names: secrets, actions: secrets.map((name) => deleteSecret(of.region, name, owned)) },
  };
};

const nothing: Read<string[]> = { state: 'found', value: [] };

interface Resources {
  left: Read<string[]>;
  /** Every read that could find something else succeeded. */
  isWhole: boolean;
  instances: Instance[];
  /** Names of the one-shot secrets among them. */
  secrets: string[];
}
const none: Resources = { left: nothing, isWhole: true, instances: [], secrets: [] };

const remainingResources = (whose: FormerCluster, read: Reader): Resources => {
  const { region } = whose;
  const regions = asking(read, homeRegion(region));
  const known = regions.ask('DescribeRegions', { AllRegions: true })?.Regions;
  const cloud = asking(read, region);
  const [secrets, parameters] = [secretsIn(cloud, whose), parametersIn(cloud, whose)];
  const instances = instancesIn(cloud, whose);
  const left = [
    ...called(
      'EC2 instance',
      instances.map(({ InstanceId }) => InstanceId),
    ),
    ...listedOf(cloud, whose),
    ...balancing(cloud, whose, read),
    ...called('secret', secrets),
    ...called('parameter', parameters),
  ];
  const reason = cloud.unreadable();
  if (regions.unread()) return { ...none, left: { state: 'unread' } };
  // Every read in an unknown region fails, except the one that lists the regions.
  if (known && !known.some(({ RegionName }) => RegionName === region)) return none;
  if (cloud.unread()) return { ...none, left: { state: 'unread' } };
  return {
    left: left.length === 0 && reason ? { state: 'unreadable', reason } : { state: 'found', value: left },
    isWhole: reason === undefined,
    instances,
    secrets: [...secrets, ...parameters],
  };
};

const ownedBy = (whose: FormerCluster) => evidence({ ...whose, additionalTags: {} });
/** Items of the first page that has any: one leftover is enough to know that something is left. */
const some = <A extends CloudAction, T>(
  cloud: Asking,
  action: A,
  input: CloudInput<A>,
  items: (page: CloudOutput<A>) => T[],
): T[] => {
  const pages = pagesOf(
    (more) => cloud.ask(action, { ...input, ...more }),
    (page) => page,
  );
  for (const page of pages) {
    const found = page ? items(page) : [];
    if (found.length > 0) return found;
  }
  return [];
};
/** Sorted, because AWS guarantees no order and messages must not change between passes. */
const called = (name: string, ids: string[]): string[] => ids.toSorted().map((id) => `${name} ${id}`);

const instancesIn = (cloud: Asking, whose: FormerCluster): Instance[] =>
  some(cloud, 'DescribeInstances', { Filters: ownedFilter(whose) }, ({ Reservations }) =>
    Reservations.flatMap(({ Instances }) => Instances).filter(({ State }) => State.Name !== 'terminated'),
  );

/** By list: also what is attached to instances, endpoints that users tag like the cluster's, and parts of pools. */
const shown = new Map<string, { title: string }>([
  ['volumes', { title: 'EBS volume' }],
  ['networkInterfaces', { title: 'network interface' }],
  ['vpcEndpoints', { title: 'VPC endpoint' }],
  ['autoScalingGroups', { title: 'Auto Scaling group' }],
  ['launchTemplates', { title: 'launch template' }],
  ...Object.values(types).map((type) => [type.list ?? '', type] as const),
]);

const listedOf = (cloud: Asking, whose: FormerCluster): string[] =>
  Object.entries(lists).flatMap(([name, list]: [string, List<unknown>]) => {
    const type = shown.get(name);
    // Instances are listed for themselves.
    if (!type || name === 'instances' || !isTagged(name)) return [];
    const input = list.filtered(ownedFilter(whose)) as CloudInput<CloudAction>;
    const there = some<CloudAction, unknown>(cloud, list.action, input, list.items);
    return called(
      type.title,
      there.filter((one) => stateOf(type, one) !== 'deleted').map((one) => list.id(one)),
    );
  });

/** Tags may outlive their resources, so each resource is described. */
const balancing = (cloud: Asking, whose: FormerCluster, read: Reader): string[] => {
  const { loadBalancers, classicLoadBalancers, targetGroups } = observeOwnBalancing(
    cloud,
    whose,
    expectedNames(whose, read),
  );
  const isOwn = ({ tags }: { tags: Tag[] }) => carries(tags, ownedBy(whose));
  return [
    ...called(
      'load balancer',
      loadBalancers.filter(isOwn).map(({ LoadBalancerName }) => LoadBalancerName),
    ),
    ...called(
      'classic load balancer',
      classicLoadBalancers.filter(isOwn).map(({ LoadBalancerName }) => LoadBalancerName),
    ),
    ...called(
      'target group',
      targetGroups.filter(isOwn).map(({ TargetGroupName }) => TargetGroupName),
    ),
  ];
};

const expectedNames = ({ cluster, namespace, ...whose }: FormerCluster, read: Reader) => {
  const nothing = { loadBalancerNames: [], classicNames: [], targetGroupNames: [] };
  const reference = cluster?.spec?.infrastructureRef;
  if (!cluster || !reference || !namesKind(reference, awsCluster)) return nothing;
  const answer = read.get('AWSCluster', { namespace, name: reference.name });
  if (answer.state !== 'found') return nothing;
  const owner = ownerOf(answer.value, whose.installation) ?? whose;
  const spec = answer.value.spec ?? {};
  const classic = desiredClassic(spec, owner, defaultApiPorts);
  return {
    ...nothing,
    loadBalancerNames: desiredLoadBalancers(spec, owner, defaultApiPorts).map(({ name }) => name),
    classicNames: classic ? [classic.name] : [],
  };
};

/** One-shot secrets of machines in either backend. */
const secretsIn = (cloud: Asking, { clusterUid, ...whose }: FormerCluster): string[] =>
  some(
    cloud,
    'ListSecrets',
    {
      Filters: [
        { Name: 'tag-key', Values: [clusterUidTag] },
        { Name: 'tag-value', Values: [clusterUid] },
      ],
    },
    ({ SecretList }) =>
      SecretList.filter(({ Tags }) => carries(Tags, ownedBy({ clusterUid, ...whose }))).map(({ Name }) => Name),
  );
const parametersIn = (cloud: Asking, whose: FormerCluster): string[] => {
  const ParameterFilters = Object.entries(ownedBy(whose)).map(([key, value]) => ({
    Key: `tag:${key}` as const,
    Option: 'Equals' as const,
    Values: [value],
  }));
  const names = some(cloud, 'DescribeParameters', { ParameterFilters }, ({ Parameters }) =>
    Parameters.map(({ Name }) => Name),
  );
  // The list shows no tags, so each parameter's tags are read: a backend that ignores the filter
  // would return other clusters' parameters.
  return names.filter((ResourceId) => {
    const answer = cloud.ask('ListTagsForResource', { ResourceType: 'Parameter', ResourceId });
    return !answer || carries(answer.TagList, ownedBy(whose));
  });
};
