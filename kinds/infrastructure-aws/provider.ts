import { conditionOf, isTrue } from '../../machinery/api/conditions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { Reader } from '../../machinery/api/reconcile.ts';
import type { Cluster } from '../core/cluster/index.ts';
import { conditionsOf } from '../core/contract/cluster.ts';
import type { FormerCluster, Infrastructure, Leftovers } from '../core/contract/infrastructure.ts';
import { awsCluster } from './aws-cluster/kind.ts';
import { observeControlPlaneHosts, observeEndedHosts } from './control-plane-hosts.ts';
import { awsExclusions } from './exclusions.ts';
import { actingAs, isBarred, principalOf, readingAs } from './identity/acting.ts';
import type { Resolved } from './identity/principal.ts';
import { observeKeptDisks, observeStayingCopies } from './kept-disks.ts';
import { observeLeftovers } from './leftovers.ts';
import {
  carrierGatewayReady,
  egressOnlyInternetGatewayReady,
  internetGatewayReady,
  loadBalancerReady,
  natGatewaysReady,
  routeTablesReady,
  secondaryCidrsReady,
  securityGroupsReady,
  subnetsReady,
  vpcReady,
} from './network/conditions.ts';
import { observeOutage } from './outage.ts';
import { judgePreflight, judgeReplacement, observePreflight, observeReplacementPreflight } from './preflight/index.ts';
import { staysOf } from './stays.ts';

const always = [vpcReady, subnetsReady, securityGroupsReady];
const whereReported = [
  secondaryCidrsReady,
  internetGatewayReady,
  carrierGatewayReady,
  egressOnlyInternetGatewayReady,
  natGatewaysReady,
  routeTablesReady,
];

const unfinishedNetwork = (awsCluster: KubeObject): string[] => {
  const conditions = conditionsOf(awsCluster);
  const reported = whereReported.filter((type) => conditionOf(conditions, type) !== undefined);
  return [...always, ...reported].filter((type) => !isTrue(conditions, type));
};

const nothingLeft: Leftovers = {
  left: { state: 'found', value: [] },
  isWhole: true,
  stranded: [],
  last: { names: [], actions: [] },
};

/** The cloud is read as the principal of the cluster. */
const principalFor = (cluster: Cluster | undefined, read: Reader): Resolved =>
  principalOf(cluster ? { state: 'found', value: cluster } : { state: 'absent' }, read);
const readFor = (cluster: Cluster | undefined, read: Reader): Reader => readingAs(read, principalFor(cluster, read));

/** Of every kind of infrastructure whose resources have the tags of Capstan in AWS. */
export const leftovers = (of: FormerCluster, read: Reader): Leftovers => {
  const principal = principalFor(of.cluster, read);
  if (of.cluster && isBarred(of.cluster, principal, read)) return nothingLeft;
  const { last, stranded, ...found } = observeLeftovers(of, readingAs(read, principal));
  return {
    ...found,
    stranded: actingAs(stranded, principal),
    last: { ...last, actions: actingAs(last.actions, principal) },
  };
};

export const awsInfrastructure: Infrastructure = {
  group: awsCluster.group,
  kind: awsCluster.kind,
  followsTargets: true,
  preflight: (cluster, read, context) => judgePreflight(observePreflight(cluster, read, context)),
  replacementPreflight: (cluster, owners, read, context, version) =>
    judgeReplacement(observeReplacementPreflight(cluster, read, context, { owners, version }), owners),
  leftovers,
  controlPlaneHosts: (of, ids, read) => observeControlPlaneHosts(of, ids, readFor(of.cluster, read)),
  keptDisks: (of, kept, read, failure) => {
    const principal = principalFor(of.cluster, read);
    const disks = observeKeptDisks(of, kept, readingAs(read, principal), failure);
    return disks.state === 'found'
      ? { ...disks, value: { ...disks.value, actions: actingAs(disks.value.actions, principal) } }
      : disks;
  },
  stayingCopies: (of, read) => observeStayingCopies(of, readFor(of.cluster, read)),
  endedHosts: (of, ids, read) => observeEndedHosts(of, ids, readFor(of.cluster, read)),
  outage: (of, objects, read, now) => observeOutage(of, objects, readFor(of.cluster, read), now),
  unfinishedNetwork,
  loadBalancer: {
    condition: loadBalancerReady,
    isReady: (awsCluster) => isTrue(conditionsOf(awsCluster), loadBalancerReady),
    isGone: (awsCluster) => {
      const condition = conditionOf(conditionsOf(awsCluster), loadBalancerReady);
      return condition?.status === 'False' && condition.reason === 'Deleted';
    },
  },
  machineDelays: ['InstanceReady', 'ELBAttached'],
  stays: staysOf,
  exclusions: awsExclusions,
};
