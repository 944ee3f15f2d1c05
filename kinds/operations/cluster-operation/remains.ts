/**
 * The proof that nothing is left: everything of Capstan's own that a cluster still has, in AWS and in the store. What
 * somebody brought lacks the tags, and what a user made has no controller: neither counts.
 */

import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { controllerOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { defaultApiPorts } from '../../infrastructure-aws/aws-cluster/api-ports.ts';
import { type Asking, asking } from '../../infrastructure-aws/aws-cluster/ask.ts';
import { desiredLoadBalancers } from '../../infrastructure-aws/aws-cluster/desired-load-balancer.ts';
import type { AWSCluster } from '../../infrastructure-aws/aws-cluster/index.ts';
import { balancingOf } from '../../infrastructure-aws/aws-cluster/observe-cloud.ts';
import { ownerOf } from '../../infrastructure-aws/aws-cluster/owner.ts';
import {
  carries,
  clusterUidTag,
  evidence,
  installationTag,
  ownedFilter,
} from '../../infrastructure-aws/aws-cluster/tags.ts';
import { lateInstances } from '../../infrastructure-aws/aws-machine/late.ts';
import { type CloudAction, type CloudInput, type CloudOutput, homeRegion, type Instance } from '../../ports/cloud.ts';
import type { Lost } from './steps/situation.ts';

/** Whose remains are looked for. */
export interface Whose {
  /** While it exists; its load balancers are then also looked for by name. */
  cluster?: Cluster | undefined;
  namespace: string;
  clusterName: string;
  clusterUid: string;
  /** Empty or unknown to AWS: there is nothing in it. */
  region: string;
  installation: string;
}

export interface Remains {
  /**
   * What is left, each as a kind and a name, such as `EC2 instance i-0123` or `Secret my-cluster-ca`; not necessarily all of
   * it, but empty only when there is nothing. Unreadable while that is not certain.
   */
  remains: Read<string[]>;
  /** Its one-shot secrets are among it once it is certain that nothing else is left: their machines are gone. */
  lost: Lost;
}

/** Needs three rounds of reads. */
export const observeRemains = (whose: Whose, read: Reader): Remains => {
  const objects = remainingObjects(whose, read);
  const resources = whose.region ? remainingResources(whose, read) : none;
  const parts = [resources.left, objects];
  const left = parts.flatMap((found) => (found.state === 'found' ? found.value : []));
  const unread = parts.find(({ state }) => state === 'unread');
  const unsure = parts.find(({ state }) => state !== 'found');
  const isAll = resources.isWhole && !unsure && left.length === resources.secrets.length;
  return {
    remains: unread ?? (left.length === 0 && unsure ? unsure : { state: 'found', value: left }),
    lost: {
      region: whose.region,
      instances: lateInstances(resources.instances, read).map(({ InstanceId }) => InstanceId),
      secrets: isAll ? resources.secrets : [],
      owned: ownedBy(whose),
    },
  };
};

const nothing: Read<string[]> = { state: 'found', value: [] };

/** Kinds of which controllers make objects for a cluster. */
const generatedKinds = [
  'Machine',
  'MachineSet',
  'KubeadmConfig',
  'AWSMachine',
  'Secret',
  'ClusterResourceSetBinding',
  'WorkloadSnapshot',
] as const;

/** Nothing holds these: once the Cluster is gone, garbage collection takes them. */
const dependentKinds: readonly string[] = ['ClusterResourceSetBinding', 'WorkloadSnapshot'];

const remainingObjects = ({ cluster, namespace, clusterName }: Whose, read: Reader): Read<string[]> => {
  const lists = generatedKinds.map((kind) => read.list(kind, { namespace, cluster: clusterName }));
  // These two are the cluster's by their name.
  const named = (['ClusterResourceSetBinding', 'WorkloadSnapshot'] as const).map((kind) =>
    read.get(kind, { namespace, name: clusterName }),
  );
  const left: KubeObject[] = [];
  for (const answer of [...lists, ...named])
    switch (answer.state) {
      case 'found':
        left.push(...(Array.isArray(answer.value) ? answer.value : [answer.value]));
        break;
      case 'absent':
        break;
      case 'unread':
      case 'unreadable':
        return answer;
      default:
        return answer satisfies never;
    }
  const machines = new Map(left.filter(({ kind }) => kind === 'Machine').map((one) => [one.metadata.uid, one]));
  const isGoing = cluster?.metadata.deletionTimestamp !== undefined;
  const names = left
    .filter((object) => isGenerated(object, machines) && !(isGoing && dependentKinds.includes(object.kind)))
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return { state: 'found', value: [...new Set(names)] };
};

const isGenerated = (object: KubeObject, machines: ReadonlyMap<string | undefined, KubeObject>): boolean => {
  if (dependentKinds.includes(object.kind)) return true;
  const controller = controllerOf(object);
  if (!controller || !/(^|\.)cluster\.x-k8s\.io\//.test(controller.apiVersion)) return false;
  // What a user made for a Machine of his own is controlled by that Machine, and stays his.
  const machine = controller.kind === 'Machine' && object.kind !== 'Secret' ? machines.get(controller.uid) : undefined;
  return machine ? controllerOf(machine) !== undefined : true;
};

interface Resources {
  left: Read<string[]>;
  /** Nothing else is left that could not be read. */
  isWhole: boolean;
  instances: Instance[];
  /** The names of those that are one-shot secrets. */
  secrets: string[];
}
const none: Resources = { left: nothing, isWhole: true, instances: [], secrets: [] };

const remainingResources = (whose: Whose, read: Reader): Resources => {
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
    ...attaching(cloud, whose),
    ...networking(cloud, whose),
    ...balancing(cloud, whose, read),
    ...called('secret', secrets),
    ...called('parameter', parameters),
  ];
  const reason = cloud.unreadable();
  if (regions.unread()) return { ...none, left: { state: 'unread' } };
  // Every question there fails, and the one that says why did not.
  if (known && !known.some(({ RegionName }) => RegionName === region)) return none;
  if (cloud.unread()) return { ...none, left: { state: 'unread' } };
  return {
    left: left.length === 0 && reason ? { state: 'unreadable', reason } : { state: 'found', value: left },
    isWhole: reason === undefined,
    instances,
    secrets: [...secrets, ...parameters],
  };
};

const mostPages = 20;
const ownedBy = (whose: Whose) => evidence({ ...whose, additionalTags: {} });
/** Of the first page that has any: one thing that is left is enough to know that something is. */
const some = <A extends CloudAction, T>(
  cloud: Asking,
  action: A,
  input: CloudInput<A>,
  items: (page: CloudOutput<A>) => T[],
  next: 'NextToken' | 'PaginationToken' = 'NextToken',
): T[] => {
  let token: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const answer = cloud.ask(action, { ...input, ...(token && { [next]: token }) });
    const found = answer ? items(answer) : [];
    token = (answer as Record<string, unknown> | undefined)?.[next] as string | undefined;
    if (found.length > 0 || !token) return found;
  }
  return [];
};
/** In an order of their own: AWS lists in none that it promises, and words are to stay the same. */
const called = (name: string, ids: string[]): string[] => ids.toSorted().map((id) => `${name} ${id}`);

const instancesIn = (cloud: Asking, whose: Whose): Instance[] =>
  some(cloud, 'DescribeInstances', { Filters: ownedFilter(whose) }, ({ Reservations }) =>
    Reservations.flatMap(({ Instances }) => Instances).filter(({ State }) => State.Name !== 'terminated'),
  );

/** What is attached to instances. */
const attaching = (cloud: Asking, whose: Whose): string[] => {
  const Filters = ownedFilter(whose);
  return [
    ...called(
      'EBS volume',
      some(cloud, 'DescribeVolumes', { Filters }, ({ Volumes }) => Volumes.map(({ VolumeId }) => VolumeId)),
    ),
    ...called(
      'network interface',
      some(cloud, 'DescribeNetworkInterfaces', { Filters }, ({ NetworkInterfaces }) =>
        NetworkInterfaces.map(({ NetworkInterfaceId }) => NetworkInterfaceId),
      ),
    ),
  ];
};

const networking = (cloud: Asking, whose: Whose): string[] => {
  const Filters = ownedFilter(whose);
  return [
    ...called(
      'NAT gateway',
      some(cloud, 'DescribeNatGateways', { Filter: Filters }, ({ NatGateways }) =>
        NatGateways.filter(({ State }) => State !== 'deleted').map(({ NatGatewayId }) => NatGatewayId),
      ),
    ),
    ...called(
      'Elastic IP address',
      cloud.ask('DescribeAddresses', { Filters })?.Addresses.map(({ AllocationId }) => AllocationId) ?? [],
    ),
    ...called(
      'VPC endpoint',
      some(cloud, 'DescribeVpcEndpoints', { Filters }, ({ VpcEndpoints }) =>
        VpcEndpoints.filter(({ State }) => State !== 'deleted').map(({ VpcEndpointId }) => VpcEndpointId),
      ),
    ),
    ...called(
      'security group',
      some(cloud, 'DescribeSecurityGroups', { Filters }, ({ SecurityGroups }) =>
        SecurityGroups.map(({ GroupId }) => GroupId),
      ),
    ),
    ...called(
      'subnet',
      some(cloud, 'DescribeSubnets', { Filters }, ({ Subnets }) => Subnets.map(({ SubnetId }) => SubnetId)),
    ),
    ...called(
      'route table',
      some(cloud, 'DescribeRouteTables', { Filters }, ({ RouteTables }) =>
        RouteTables.map(({ RouteTableId }) => RouteTableId),
      ),
    ),
    ...called(
      'internet gateway',
      some(cloud, 'DescribeInternetGateways', { Filters }, ({ InternetGateways }) =>
        InternetGateways.map(({ InternetGatewayId }) => InternetGatewayId),
      ),
    ),
    ...called(
      'carrier gateway',
      some(cloud, 'DescribeCarrierGateways', { Filters }, ({ CarrierGateways }) =>
        CarrierGateways.filter(({ State }) => State !== 'deleted').map(({ CarrierGatewayId }) => CarrierGatewayId),
      ),
    ),
    ...called(
      'VPC',
      some(cloud, 'DescribeVpcs', { Filters }, ({ Vpcs }) => Vpcs.map(({ VpcId }) => VpcId)),
    ),
  ];
};

/** Tags may outlive what they were on, so each is asked for itself; by name, for tags may also lag behind. */
const balancing = (cloud: Asking, whose: Whose, read: Reader): string[] => {
  const tagged = some(
    cloud,
    'GetResources',
    {
      TagFilters: [
        { Key: installationTag, Values: [whose.installation] },
        { Key: clusterUidTag, Values: [whose.clusterUid] },
      ],
      ResourceTypeFilters: ['elasticloadbalancing:loadbalancer', 'elasticloadbalancing:targetgroup'],
    },
    (page) => page.ResourceTagMappingList.map(({ ResourceARN }) => ResourceARN),
    'PaginationToken',
  );
  const { balancers, groups } = balancingOf(cloud, tagged);
  const named = expectedNames(whose, read)
    .flatMap((name) => cloud.ask('DescribeLoadBalancers', { Names: [name] })?.LoadBalancers ?? [])
    .filter(({ LoadBalancerArn: arn }) => {
      const tags = cloud.ask('DescribeLoadBalancerTags', { ResourceArns: [arn] })?.TagDescriptions ?? [];
      return tags.some(({ Tags }) => carries(Tags, ownedBy(whose)));
    });
  const names = new Set([...balancers, ...named].map(({ LoadBalancerName }) => LoadBalancerName));
  return [
    ...called('load balancer', [...names]),
    ...called(
      'target group',
      groups.map(({ TargetGroupName }) => TargetGroupName),
    ),
  ];
};

const expectedNames = ({ cluster, namespace, ...whose }: Whose, read: Reader): string[] => {
  const reference = cluster?.spec?.infrastructureRef;
  if (!cluster || reference?.kind !== 'AWSCluster') return [];
  const answer = read.get<AWSCluster>('AWSCluster', { namespace, name: reference.name });
  if (answer.state !== 'found') return [];
  const owner = ownerOf(answer.value, whose.installation) ?? whose;
  return desiredLoadBalancers(answer.value.spec ?? {}, owner, defaultApiPorts).map(({ name }) => name);
};

/** One-shot secrets of machines, wherever they are kept. */
const secretsIn = (cloud: Asking, { clusterUid, ...whose }: Whose): string[] =>
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
const parametersIn = (cloud: Asking, whose: Whose): string[] => {
  const ParameterFilters = Object.entries(ownedBy(whose)).map(([key, value]) => ({
    Key: `tag:${key}` as const,
    Option: 'Equals' as const,
    Values: [value],
  }));
  const names = some(cloud, 'DescribeParameters', { ParameterFilters }, ({ Parameters }) =>
    Parameters.map(({ Name }) => Name),
  );
  // The list shows no tags, so each is asked for its own: a filter that is ignored answers other clusters' parameters.
  return names.filter((ResourceId) => {
    const answer = cloud.ask('ListTagsForResource', { ResourceType: 'Parameter', ResourceId });
    return !answer || carries(answer.TagList, ownedBy(whose));
  });
};
