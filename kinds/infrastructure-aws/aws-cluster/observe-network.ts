/** Describes the network of a cluster: what is wanted of it, or in a deletion what is left of it. */
import { isTrue } from '../../../machinery/api/conditions.ts';
import type { Context, Reader } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { pendingOf } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import type { Remains } from '../engine/teardown.ts';
import type { ApiPorts } from '../network/api-ports.ts';
import { isInUse, observeBlockingResources } from '../network/blocking-resources.ts';
import { vpcReady } from '../network/conditions.ts';
import { desiredClassic, desiredLoadBalancers } from '../network/desired-load-balancer.ts';
import { claiming, type LeftBehind, nothingLeft, observeLeftBehind, tasksOf } from '../network/left-behind.ts';
import { isNotedAsUnmanaged, type Observation, observeCloud, type Question } from '../network/observe-cloud.ts';
import { observeRemains, type RemainsObservation } from '../network/observe-remains.ts';
import type { Inventory } from '../network/resources/index.ts';
import { isTagged } from '../network/tagging.ts';
import { observeAwaited } from './awaiting.ts';
import type { AWSCluster } from './schema.ts';

export interface ObservedNetwork {
  /** Observed state of the wanted resources. */
  cloud: Observation;
  /** Observed remains, while they are removed. */
  remains: RemainsObservation;
  /** Resources of other owners in the network; read only when they block its deletion. */
  blockingResources: string[];
  /** What Services left in the network; read when something blocks its deletion, or at last where nothing could. */
  leftBehind: LeftBehind;
}

const unread = { state: 'unread' } as const;
export const nothingObserved: ObservedNetwork = {
  cloud: unread,
  remains: unread,
  blockingResources: [],
  leftBehind: nothingLeft,
};

export interface NetworkQuestion {
  awsCluster: AWSCluster;
  owner: Owner;
  region: string;
  apiPorts: ApiPorts;
  /** It is deleted. */
  goes: boolean;
  /** Nothing keeps it from being made. */
  isFree: boolean;
}

export const observeNetwork = (of: NetworkQuestion, read: Reader, context: Context): ObservedNetwork => {
  const { awsCluster, owner, region, apiPorts, goes, isFree } = of;
  const { now, config, lastFailure, withheld } = context;
  const question = questionOf(of);
  if (!goes) {
    if (!isFree) return nothingObserved;
    const awaited =
      !withheld && !lastFailure
        ? observeAwaited(awsCluster, { owner, region, apiPorts, now, speed: speedOf(config) }, read)
        : undefined;
    return { ...nothingObserved, cloud: awaited ?? observeCloud(question, read) };
  }
  const remains = observeRemains(question, owner, read);
  if (remains.state !== 'known') return { ...nothingObserved, remains };
  const isBlocked = isInUse(lastFailure);
  const isRefused = lastFailure?.group?.startsWith(claiming) ?? false;
  const network = networkOf(of, remains.remains);
  return {
    ...nothingObserved,
    remains,
    blockingResources: isBlocked ? observeBlockingResources(network, read) : [],
    // A network of the user's stays, so that nothing blocks.
    leftBehind:
      isBlocked || isRefused || (network.isUnmanaged && network.isEmpty)
        ? observeLeftBehind(network, tasksOf(awsCluster.metadata.annotations), read)
        : nothingLeft,
  };
};

const networkOf = ({ awsCluster, owner, region }: NetworkQuestion, { found }: Remains<Inventory>) => {
  const spec = awsCluster.spec ?? {};
  const isUnmanaged = isNotedAsUnmanaged({ spec, clusterUid: owner.clusterUid });
  const vpcIds = isUnmanaged ? [spec.network!.vpc!.id!] : found.vpcs.map(({ VpcId }) => VpcId);
  return { region, owner, vpcIds, isUnmanaged, isEmpty: Object.values(found).every((list) => list.length === 0) };
};

const mayHaveBastion = ({ metadata, spec, status }: AWSCluster): boolean =>
  spec?.bastion?.enabled === true || status?.bastion !== undefined || 'bastion' in pendingOf(metadata.annotations);

const questionOf = ({ awsCluster, owner, region, apiPorts }: NetworkQuestion): Question => {
  const { spec = {}, status } = awsCluster;
  const desired = desiredLoadBalancers(spec, owner, apiPorts);
  const classic = desiredClassic(spec, owner, apiPorts);
  return {
    region,
    spec,
    installation: owner.installation,
    clusterUid: owner.clusterUid,
    loadBalancerNames: desired.map(({ name }) => name),
    classicNames: classic ? [classic.name] : [],
    targetGroupNames: desired.flatMap(({ ports }) => ports.map(({ targetGroupName }) => targetGroupName)),
    bastion: mayHaveBastion(awsCluster),
    balanced: status?.networkStatus?.apiServerElb !== undefined,
    tagged: isTagged(awsCluster, owner),
    vpcIsRight: !status?.ready && isTrue(status?.conditions, vpcReady),
  };
};
