import { isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader, type Withheld } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import type { AWSClusterControllerIdentity } from '../aws-cluster-controller-identity/index.ts';
import { pendingOf } from '../engine/step.ts';
import type { Owner } from '../engine/tags.ts';
import type { Remains } from '../engine/teardown.ts';
import { readingAs, reasonOf } from '../identity/acting.ts';
import { type Caller, observeCaller, observePrincipal, type Resolved } from '../identity/principal.ts';
import type { ApiPorts } from '../network/api-ports.ts';
import { isInUse, observeBlockingResources } from '../network/blocking-resources.ts';
import { vpcReady } from '../network/conditions.ts';
import { desiredClassic, desiredLoadBalancers } from '../network/desired-load-balancer.ts';
import { claiming, type LeftBehind, nothingLeft, observeLeftBehind, tasksOf } from '../network/left-behind.ts';
import { isNotedAsUnmanaged, type Observation, observeCloud, type Question } from '../network/observe-cloud.ts';
import { observeRemains, type RemainsObservation } from '../network/observe-remains.ts';
import type { Inventory } from '../network/resources/index.ts';
import { isTagged } from '../network/tagging.ts';
import { observeApiPorts } from './api-ports.ts';
import { observeAwaited } from './awaiting.ts';

import { isBegun, ownerOf } from './owner.ts';
import { observePreExisting, type PreExisting, type Question as PreExistingQuestion } from './pre-existing.ts';
import { refused } from './refusal.ts';
import type { AWSCluster } from './schema.ts';

export interface Observed {
  awsCluster: AWSCluster;
  /** Name and uid of the owner; undefined without an owner. */
  owner: Owner | undefined;
  cluster: Read<Cluster>;
  withheld: Withheld | undefined;
  region: string;
  apiPorts: ApiPorts;
  identity: Read<AWSClusterControllerIdentity>;
  /** As whom the cloud is read and called. */
  principal: Resolved;
  /** Who the roles make the caller, asked before anything else; absent for the installation itself. */
  caller: Caller;
  namespace: Read<KubeObject>;
  machines: Read<KubeObject[]>;
  /** Resources that exist before the controller creates any; read until it creates the first. */
  preExisting: PreExisting;
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

const mayHaveBastion = ({ metadata, spec, status }: AWSCluster): boolean =>
  spec?.bastion?.enabled === true || status?.bastion !== undefined || 'bastion' in pendingOf(metadata.annotations);

export const observe = (awsCluster: AWSCluster, reader: Reader, context: Context): Observed => {
  const principal = observePrincipal(awsCluster, reader);
  const read = readingAs(reader, principal);
  const { installation, config, lastFailure, now, withheld } = context;
  const spec = awsCluster.spec ?? {};
  const namespace = awsCluster.metadata.namespace ?? '';
  const owner = ownerOf(awsCluster, installation);
  const cluster: Read<Cluster> = owner
    ? read.get('Cluster', { namespace, name: owner.clusterName })
    : { state: 'absent' };
  const apiPorts = observeApiPorts(found(cluster), read);
  const region = spec.region ?? '';
  const goes = awsCluster.metadata.deletionTimestamp !== undefined || withheld?.releases === true;
  const begun = isBegun(awsCluster);
  const caller = observeCaller(principal, region, read);
  const known = {
    awsCluster,
    owner,
    principal,
    caller,
    identity: read.get('AWSClusterControllerIdentity', {
      namespace: '',
      name: spec.identityRef?.name ?? 'default',
    }),
    namespace: read.get<KubeObject>('Namespace', { namespace: '', name: namespace }),
  };
  const isCallable = principal.state === 'known' && (caller === undefined || caller.state === 'found');
  const isAdmitted = cluster.state !== 'unread' && !awaitsOperation(withheld);
  const looks = goes || (isAdmitted && refused({ ...known, cluster }) === undefined);
  // A cluster that exists needs no check for machines it was moved with.
  const machines: Read<KubeObject[]> =
    owner && (goes || !begun)
      ? read.list<KubeObject>('AWSMachine', { namespace, cluster: owner.clusterName })
      : { state: 'found', value: [] };
  let preExisting: PreExisting = { state: 'known', foreign: {} };
  let cloud: Observation = unread;
  let remains: RemainsObservation = unread;
  if (goes && principal.state === 'refused') remains = { state: 'unreadable', reason: reasonOf(principal) };
  else if (goes && caller?.state === 'unreadable') remains = caller;
  else if (owner && region && looks && isCallable) {
    const question = questionOf(awsCluster, owner, region, apiPorts);
    if (goes) remains = observeRemains(question, owner, read);
    else {
      if (!begun) preExisting = preExistingOf(machines, { spec, owner, region, apiPorts }, read);
      const isFree = isClear(preExisting) && (begun || !withheld);
      const awaited =
        !withheld && !lastFailure
          ? observeAwaited(awsCluster, { owner, region, apiPorts, now, speed: speedOf(config) }, read)
          : undefined;
      if (isFree) cloud = awaited ?? observeCloud(question, read);
    }
  }
  const isBlocked = isInUse(lastFailure);
  const isRefused = lastFailure?.group?.startsWith(claiming) ?? false;
  const network = owner && remains.state === 'known' && networkOf({ awsCluster, owner, region }, remains.remains);
  return {
    ...known,
    cluster,
    withheld,
    region,
    apiPorts,
    machines,
    preExisting,
    cloud,
    remains,
    blockingResources: network && isBlocked ? observeBlockingResources(network, read) : [],
    // A network of the user's stays, so that nothing blocks.
    leftBehind:
      network && (isBlocked || isRefused || (network.isUnmanaged && network.isEmpty))
        ? observeLeftBehind(network, tasksOf(awsCluster.metadata.annotations), read)
        : nothingLeft,
  };
};

const networkOf = (
  { awsCluster, owner, region }: { awsCluster: AWSCluster; owner: Owner; region: string },
  { found }: Remains<Inventory>,
) => {
  const spec = awsCluster.spec ?? {};
  const isUnmanaged = isNotedAsUnmanaged({ spec, clusterUid: owner.clusterUid });
  const vpcIds = isUnmanaged ? [spec.network!.vpc!.id!] : found.vpcs.map(({ VpcId }) => VpcId);
  return { region, owner, vpcIds, isUnmanaged, isEmpty: Object.values(found).every((list) => list.length === 0) };
};

/** Reads what existed before, including the AWSMachines the cluster was moved with. */
const preExistingOf = (
  machines: Read<KubeObject[]>,
  question: Omit<PreExistingQuestion, 'machines'>,
  read: Reader,
): PreExisting => {
  if (machines.state === 'unreadable') return machines;
  return machines.state === 'found'
    ? observePreExisting({ ...question, machines: machines.value }, read)
    : { state: 'unread' };
};

const isClear = (preExisting: PreExisting): boolean =>
  preExisting.state === 'known' && Object.keys(preExisting.foreign).length === 0;

const questionOf = (awsCluster: AWSCluster, owner: Owner, region: string, apiPorts: ApiPorts): Question => {
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
