import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Context, found, type Read, type Reader, type Withheld } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import type { AWSClusterControllerIdentity } from '../aws-cluster-controller-identity/index.ts';
import type { Owner } from '../engine/tags.ts';
import { readingAs, reasonOf } from '../identity/acting.ts';
import { type Caller, observeCaller, observePrincipal, type Resolved } from '../identity/principal.ts';
import type { ApiPorts } from '../network/api-ports.ts';
import { observeApiPorts } from './api-ports.ts';
import { nothingObserved, type ObservedNetwork, observeNetwork } from './observe-network.ts';
import { isBegun, ownerOf, provenOwnerOf } from './owner.ts';
import { observePreExisting, type PreExisting, type Question as PreExistingQuestion } from './pre-existing.ts';
import { refused } from './refusal.ts';
import type { AWSCluster } from './schema.ts';

export interface Observed extends ObservedNetwork {
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
}

export const observe = (awsCluster: AWSCluster, reader: Reader, context: Context): Observed => {
  const principal = observePrincipal(awsCluster, reader);
  const read = readingAs(reader, principal);
  const { installation, withheld } = context;
  const spec = awsCluster.spec ?? {};
  const namespace = awsCluster.metadata.namespace ?? '';
  const named = ownerOf(awsCluster, installation);
  const cluster: Read<Cluster> = named
    ? read.get('Cluster', { namespace, name: named.clusterName })
    : { state: 'absent' };
  const owner = provenOwnerOf(awsCluster, found(cluster), installation);
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
  const isAsked = owner !== undefined && region !== '' && looks && isCallable;
  const preExisting: PreExisting =
    isAsked && !goes && !begun
      ? preExistingOf(machines, { spec, owner, region, apiPorts }, read)
      : { state: 'known', foreign: {} };
  const isFree = isClear(preExisting) && (begun || !withheld);
  const network = isAsked
    ? observeNetwork({ awsCluster, owner, region, apiPorts, goes, isFree }, read, context)
    : nothingObserved;
  let { remains } = network;
  if (goes && principal.state === 'refused') remains = { state: 'unreadable', reason: reasonOf(principal) };
  else if (goes && caller?.state === 'unreadable') remains = caller;
  return {
    ...known,
    cluster,
    withheld,
    region,
    apiPorts,
    machines,
    preExisting,
    ...network,
    remains,
  };
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
