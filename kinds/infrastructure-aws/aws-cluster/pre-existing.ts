/**
 * Finds what the account already has for a cluster that was moved here. Next to a load balancer
 * that serves the cluster's endpoint, a second one would get the new machines and the endpoint none
 * of them. With new security groups, the running machines and the new ones could not reach each
 * other.
 */

import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import type { Endpoint, Instance, Tag } from '../../ports/cloud/index.ts';
import { isTagged } from '../../ports/lists.ts';
import { unmanagedInstance } from '../aws-machine/unmanaged.ts';
import { type Asking, asking } from '../engine/ask.ts';
import { observeType } from '../engine/observe.ts';
import { idOf, stateOf } from '../engine/resource.ts';
import { carries, evidence, type Owner } from '../engine/tags.ts';
import type { ApiPorts } from '../network/api-ports.ts';
import { desiredClassic, desiredLoadBalancers } from '../network/desired-load-balancer.ts';
import { observeOwnBalancing, tagsOfBalancing, tagsOfClassic } from '../network/observe-balancing.ts';

import { types } from '../network/resources/index.ts';

import type { AWSClusterSpec } from './schema.ts';

/** Resources that serve the cluster but do not carry its tags. */
export interface Foreign {
  /** Name of the load balancer behind the cluster's endpoint, when Capstan did not create it. */
  balancer?: string;
  /** An instance that one of the cluster's AWSMachines names and that lacks the cluster's tags. */
  instance?: { id: string; machine: string };
  /**
   * A resource that still carries the tags of the previous owner. The choice does not depend on the
   * order in which AWS lists.
   */
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
  /** The cluster's AWSMachines. */
  machines: readonly KubeObject[];
}

/** Runs before the controller creates anything. */
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
  const classic = desiredClassic(spec, owner, apiPorts);
  const own = classic ?? desiredLoadBalancers(spec, owner, apiPorts).find(({ which }) => which === 'apiserver');
  if (!host || !vpcId || !own) return undefined;
  const answers = ({ Host, Port }: Endpoint): boolean => Host === host && Port === port;
  const at: At = { vpcId, own: own.name, answers };
  const balancers: Answering[] = [networkThere(cloud, at), classicThere(cloud, at)].flatMap((one) => one ?? []);
  const foreign = balancers.find(
    ({ name, isClassic, tags }) =>
      name !== own.name || isClassic !== (classic !== undefined) || !carries(tags(), evidence(owner)),
  );
  return foreign?.name;
};

interface At {
  vpcId: string;
  /** The name of the cluster's own. */
  own: string;
  answers: (endpoint: Endpoint) => boolean;
}
/** A load balancer behind the cluster's endpoint. */
interface Answering {
  name: string;
  isClassic: boolean;
  tags: () => Tag[];
}

const networkThere = (cloud: Asking, { vpcId, own, answers }: At): Answering | undefined => {
  const all = cloud.all('DescribeLoadBalancers', {}, ({ LoadBalancers }) => LoadBalancers, 'Marker') ?? [];
  // Sort, so that the reads do not depend on AWS's order when a listener cannot be described.
  const inOrder = all
    .filter(({ VpcId }) => VpcId === vpcId)
    .toSorted(
      ({ LoadBalancerName: a }, { LoadBalancerName: b }) => Number(b === own) - Number(a === own) || (a < b ? -1 : 1),
    );
  const answering = inOrder.find(({ LoadBalancerArn }) =>
    cloud
      .all('DescribeListeners', { LoadBalancerArn }, ({ Listeners }) => Listeners, 'Marker')
      ?.some(({ Endpoint }) => answers(Endpoint)),
  );
  return (
    answering && {
      name: answering.LoadBalancerName,
      isClassic: false,
      tags: () => tagsOfBalancing(cloud, answering.LoadBalancerArn),
    }
  );
};

const classicThere = (cloud: Asking, { vpcId, answers }: At): Answering | undefined => {
  const all = cloud.all('DescribeClassicLoadBalancers', {}, (page) => page.LoadBalancerDescriptions, 'Marker') ?? [];
  const names = all.filter(({ VPCId }) => VPCId === vpcId).map(({ LoadBalancerName }) => LoadBalancerName);
  const name = names
    .toSorted()
    .find((one) =>
      cloud
        .ask('DescribeClassicLoadBalancers', { LoadBalancerNames: [one] })
        ?.LoadBalancerDescriptions[0]?.ListenerDescriptions.some(({ Endpoint }) => Endpoint && answers(Endpoint)),
    );
  return name === undefined ? undefined : { name, isClassic: true, tags: () => tagsOfClassic(cloud, name) };
};

/** The most values that a filter takes. */
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
    // The first machine in the list's own order, because AWS guarantees none for instances.
    for (const machine of machines) {
      const id = unmanagedInstance(machine);
      if (id !== undefined && foreign.has(id)) return { id, machine: machine.metadata.name };
    }
  }
  return undefined;
};

const noNames = { loadBalancerNames: [], classicNames: [], targetGroupNames: [] };

const formerThere = (cloud: Asking, { namedAfter: former, installation, clusterUid }: Owner): string | undefined => {
  if (!former || (former.installation === installation && former.clusterUid === clusterUid)) return undefined;
  const byTag = Object.values(types).flatMap((type) => {
    const isLive = (one: unknown) => !['deleting', 'deleted'].includes(stateOf(type, one));
    return type.list && isTagged(type.list)
      ? observeType(cloud, former, type)
          .filter(isLive)
          .map((one) => idOf(type, one))
      : [];
  });
  const { loadBalancers, classicLoadBalancers, targetGroups } = observeOwnBalancing(cloud, former, noNames);
  return [
    ...byTag,
    ...loadBalancers.map(({ LoadBalancerArn }) => LoadBalancerArn),
    ...classicLoadBalancers.map(({ LoadBalancerName }) => LoadBalancerName),
    ...targetGroups.map(({ TargetGroupArn }) => TargetGroupArn),
  ].sort()[0];
};
