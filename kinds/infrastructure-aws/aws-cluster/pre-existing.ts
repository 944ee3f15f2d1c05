/**
 * What a cluster that was moved here has in the account already. Beside a load balancer that answers at its endpoint, a second
 * one would have the machines that are made from now on, and the endpoint none of them; in new security groups, machines that
 * run would be out of reach of all others.
 */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import type { Instance } from '../../ports/cloud.ts';
import { unmanagedInstance } from '../aws-machine/unmanaged.ts';
import type { ApiPorts } from './api-ports.ts';
import { type Asking, asking } from './ask.ts';
import { desiredLoadBalancers } from './desired-load-balancer.ts';
import {
  balancingOf,
  observeAddresses,
  observeGateways,
  observeGroups,
  observePlaces,
  taggedBalancing,
  tagsOfBalancing,
} from './observe-cloud.ts';
import type { AWSClusterSpec } from './schema.ts';
import { carries, evidence, type Owner, ownedFilter } from './tags.ts';

/** What of it is not its own. */
export interface Foreign {
  /** Name of the load balancer that answers at its endpoint, and that nothing here has made. */
  balancer?: string;
  /** An instance that one of its AWSMachines comes with, and that does not carry its tags. */
  instance?: { id: string; machine: string };
  /** Something that still carries the tags of whom it is taken over from: the same, whatever order AWS lists them in. */
  former?: string;
}

export type PreExisting =
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string }
  | { state: 'known'; foreign: Foreign };

export interface Question {
  spec: AWSClusterSpec;
  owner: Owner;
  region: string;
  apiPorts: ApiPorts;
  /** The AWSMachines of the cluster. */
  machines: readonly KubeObject[];
}

/** Asked before anything is made. */
export const observePreExisting = (question: Question, read: Reader): PreExisting => {
  const cloud = asking(read, question.region);
  const balancer = balancerThere(cloud, question);
  const instance = instanceThere(cloud, question);
  const former = formerThere(cloud, question.owner);
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason) return { state: 'unreadable', reason };
  return {
    state: 'known',
    foreign: { ...(balancer && { balancer }), ...(instance && { instance }), ...(former && { former }) },
  };
};

const balancerThere = (cloud: Asking, { spec, owner, apiPorts }: Question): string | undefined => {
  const { host, port } = spec.controlPlaneEndpoint ?? {};
  const vpcId = spec.network?.vpc?.id;
  const own = desiredLoadBalancers(spec, owner, apiPorts).find(({ which }) => which === 'apiserver');
  if (!host || !vpcId || !own) return undefined;
  const all = cloud.all('DescribeLoadBalancers', {}, ({ LoadBalancers }) => LoadBalancers, 'Marker') ?? [];
  // Where one cannot be asked, what is known is the same whatever order AWS lists them in.
  const inOrder = all
    .filter(({ VpcId }) => VpcId === vpcId)
    .toSorted(
      ({ LoadBalancerName: a }, { LoadBalancerName: b }) =>
        Number(b === own.name) - Number(a === own.name) || (a < b ? -1 : 1),
    );
  const answering = inOrder.find(({ LoadBalancerArn }) =>
    cloud
      .all('DescribeListeners', { LoadBalancerArn }, ({ Listeners }) => Listeners, 'Marker')
      ?.some(({ Endpoint }) => Endpoint.Host === host && Endpoint.Port === port),
  );
  const isOwn =
    answering?.LoadBalancerName === own.name &&
    carries(tagsOfBalancing(cloud, answering.LoadBalancerArn), evidence(owner));
  return isOwn ? undefined : answering?.LoadBalancerName;
};

/** As many values as a filter takes. */
const together = 200;

const instanceThere = (cloud: Asking, { owner, machines }: Question): Foreign['instance'] => {
  const ids = machines.flatMap((one) => unmanagedInstance(one) ?? []);
  for (let from = 0; from < ids.length; from += together) {
    const Filters = [{ Name: 'instance-id', Values: ids.slice(from, from + together) }];
    const there = cloud.all('DescribeInstances', { Filters, MaxResults: 1000 }, (page) =>
      page.Reservations.flatMap(({ Instances }) => Instances),
    );
    const isForeign = ({ State, Tags }: Instance) => State.Name !== 'terminated' && !carries(Tags, evidence(owner));
    const foreign = new Set(there?.filter(isForeign).map(({ InstanceId }) => InstanceId));
    // The first machine, whatever order AWS lists their instances in.
    for (const machine of machines) {
      const id = unmanagedInstance(machine);
      if (id !== undefined && foreign.has(id)) return { id, machine: machine.metadata.name };
    }
  }
  return undefined;
};

const formerThere = (cloud: Asking, { namedAfter: former, installation, clusterUid }: Owner): string | undefined => {
  if (!former || (former.installation === installation && former.clusterUid === clusterUid)) return undefined;
  const { internetGateways, subnets, routeTables } = observePlaces(cloud, former);
  const vpcs = cloud.all('DescribeVpcs', { Filters: ownedFilter(former), MaxResults: 1000 }, ({ Vpcs }) => Vpcs) ?? [];
  const gateways = observeGateways(cloud, former).filter(({ State }) => State !== 'deleted' && State !== 'deleting');
  const { balancers, groups } = balancingOf(cloud, [...taggedBalancing(cloud, former).keys()]);
  return [
    ...vpcs.map(({ VpcId }) => VpcId),
    ...subnets.map(({ SubnetId }) => SubnetId),
    ...routeTables.map(({ RouteTableId }) => RouteTableId),
    ...internetGateways.map(({ InternetGatewayId }) => InternetGatewayId),
    ...gateways.map(({ NatGatewayId }) => NatGatewayId),
    ...observeAddresses(cloud, former).map(({ AllocationId }) => AllocationId),
    ...observeGroups(cloud, former).map(({ GroupId }) => GroupId),
    ...balancers.map(({ LoadBalancerArn }) => LoadBalancerArn),
    ...groups.map(({ TargetGroupArn }) => TargetGroupArn),
  ].sort()[0];
};
