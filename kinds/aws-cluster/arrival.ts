/**
 * What a cluster that was moved here has in the account already. Beside a load balancer that answers at its endpoint, a second
 * one would have the machines that are made from now on, and the endpoint none of them.
 */
import type { Reader } from '../../machinery/api/reconcile.ts';
import { type Asking, asking } from './ask.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import { tagsOfBalancing } from './observe-cloud.ts';
import type { AWSClusterSpec } from './schema.ts';
import { carries, clusterUidTag, evidence, installationTag, type Owner } from './tags.ts';

export type Arrival =
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string }
  | {
      state: 'known';
      /** Name of the load balancer that answers at its endpoint, and that nothing here has made. */
      balancer?: string;
      /** ARN of something that still carries the tags of whom it is taken over from. */
      former?: string;
    };

interface Question {
  spec: AWSClusterSpec;
  owner: Owner;
  region: string;
  apiPort: number;
}

/** Without these there is nothing to take for one's own, or it would be made anew. Instances prove themselves, one by one. */
const proven = [
  ...['vpc', 'subnet', 'route-table', 'internet-gateway', 'elastic-ip', 'security-group'].map((type) => `ec2:${type}`),
  ...['loadbalancer', 'targetgroup'].map((type) => `elasticloadbalancing:${type}`),
];

/** Asked before anything is made. */
export const observeArrival = (question: Question, read: Reader): Arrival => {
  const cloud = asking(read, question.region);
  const balancer = balancerThere(cloud, question);
  const former = formerThere(cloud, question.owner);
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason) return { state: 'unreadable', reason };
  return { state: 'known', ...(balancer && { balancer }), ...(former && { former }) };
};

const balancerThere = (cloud: Asking, { spec, owner, apiPort }: Question): string | undefined => {
  const { host, port } = spec.controlPlaneEndpoint ?? {};
  const vpcId = spec.network?.vpc?.id;
  const own = desiredLoadBalancers(spec, owner, apiPort).find(({ which }) => which === 'apiserver');
  if (!host || !vpcId || !own) return undefined;
  const all = cloud.all('DescribeLoadBalancers', {}, ({ LoadBalancers }) => LoadBalancers, 'Marker') ?? [];
  const answering = all.find(
    ({ VpcId, LoadBalancerArn }) =>
      VpcId === vpcId &&
      cloud
        .all('DescribeListeners', { LoadBalancerArn }, ({ Listeners }) => Listeners, 'Marker')
        ?.some(({ Endpoint }) => Endpoint.Host === host && Endpoint.Port === port),
  );
  const isOwn =
    answering?.LoadBalancerName === own.name &&
    carries(tagsOfBalancing(cloud, answering.LoadBalancerArn), evidence(owner));
  return isOwn ? undefined : answering?.LoadBalancerName;
};

const formerThere = (cloud: Asking, { namedAfter, installation, clusterUid }: Owner): string | undefined => {
  if (!namedAfter) return undefined;
  if (namedAfter.installation === installation && namedAfter.clusterUid === clusterUid) return undefined;
  const TagFilters = [
    { Key: installationTag, Values: [namedAfter.installation] },
    { Key: clusterUidTag, Values: [namedAfter.clusterUid] },
  ];
  const tagged = cloud.all(
    'GetResources',
    { TagFilters, ResourceTypeFilters: proven },
    (page) => page.ResourceTagMappingList.map(({ ResourceARN }) => ResourceARN),
    'PaginationToken',
  );
  return tagged?.[0];
};
