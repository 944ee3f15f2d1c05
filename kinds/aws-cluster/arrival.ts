/**
 * A cluster that comes with an endpoint, as those do that are moved here. Where a load balancer answers there already, a second
 * one would have the machines that are made from now on, and the endpoint none of them.
 */
import type { Reader } from '../../machinery/api/reconcile.ts';
import { asking } from './ask.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import type { AWSClusterSpec } from './schema.ts';
import type { Owner } from './tags.ts';

export type EndpointObservation =
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string }
  /** `balancer`: the name of the load balancer that answers there, and that nothing here has made. */
  | { state: 'known'; balancer?: string };

interface Question {
  spec: AWSClusterSpec;
  owner: Owner;
  region: string;
  apiPort: number;
}

/** Asked before anything is made. */
export const observeEndpoint = ({ spec, owner, region, apiPort }: Question, read: Reader): EndpointObservation => {
  const { host, port } = spec.controlPlaneEndpoint ?? {};
  const vpcId = spec.network?.vpc?.id;
  const own = desiredLoadBalancers(spec, owner, apiPort).map(({ name }) => name);
  if (!host || !vpcId || own.length === 0) return { state: 'known' };
  const cloud = asking(read, region);
  const all = cloud.all('DescribeLoadBalancers', {}, ({ LoadBalancers }) => LoadBalancers, 'Marker') ?? [];
  const answering = all.find(
    ({ VpcId, LoadBalancerArn, LoadBalancerName }) =>
      VpcId === vpcId &&
      !own.includes(LoadBalancerName) &&
      cloud
        .all('DescribeListeners', { LoadBalancerArn }, ({ Listeners }) => Listeners, 'Marker')
        ?.some(({ Endpoint }) => Endpoint.Host === host && Endpoint.Port === port),
  );
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason) return { state: 'unreadable', reason };
  return { state: 'known', ...(answering && { balancer: answering.LoadBalancerName }) };
};
