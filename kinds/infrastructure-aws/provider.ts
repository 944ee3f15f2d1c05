import { conditionOf, isTrue } from '../../machinery/api/conditions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { conditionsOf } from '../core/contract/cluster.ts';
import type { Infrastructure } from '../core/contract/infrastructure.ts';
import { awsCluster } from './aws-cluster/kind.ts';
import { observeControlPlaneHosts, observeEndedHosts } from './control-plane-hosts.ts';
import { awsExclusions } from './exclusions.ts';
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

export const awsInfrastructure: Infrastructure = {
  group: awsCluster.group,
  kind: awsCluster.kind,
  followsTargets: true,
  preflight: (cluster, read, context) => judgePreflight(observePreflight(cluster, read, context)),
  replacementPreflight: (cluster, owners, read, context, version) =>
    judgeReplacement(observeReplacementPreflight(cluster, read, context, { owners, version }), owners),
  leftovers: observeLeftovers,
  controlPlaneHosts: observeControlPlaneHosts,
  keptDisks: observeKeptDisks,
  stayingCopies: observeStayingCopies,
  endedHosts: observeEndedHosts,
  outage: observeOutage,
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
