/**
 * The network of an EKS cluster, where Capstan makes it: by what makes that of an AWSCluster, to which the
 * control plane is shown as one. Pure.
 */
import { conditionOf, isTrue, type LegacyDraft, legacyTrue, withLegacy } from '../../../machinery/api/conditions.ts';
import type { Context, Failure, Plan, Reader } from '../../../machinery/api/reconcile.ts';
import { endpointOf } from '../../core/contract/cluster.ts';
import { converge } from '../../infrastructure-aws/aws-cluster/converge.ts';
import type { AWSCluster, AWSClusterStatus } from '../../infrastructure-aws/aws-cluster/index.ts';
import {
  nothingObserved,
  type ObservedNetwork,
  observeNetwork as observeNetworkOf,
} from '../../infrastructure-aws/aws-cluster/observe-network.ts';
import { remove } from '../../infrastructure-aws/aws-cluster/remove.ts';
import { unreadable } from '../../infrastructure-aws/aws-cluster/report.ts';
import { isAboutTags } from '../../infrastructure-aws/engine/additional-tags.ts';
import { typeOf } from '../../infrastructure-aws/engine/resource.ts';
import { pendingOf, shownWithin } from '../../infrastructure-aws/engine/step.ts';
import type { Owner } from '../../infrastructure-aws/engine/tags.ts';
import { itself } from '../../infrastructure-aws/identity/principal.ts';
import { defaultApiPorts } from '../../infrastructure-aws/network/api-ports.ts';
import * as networkConditions from '../../infrastructure-aws/network/conditions.ts';
import { claiming } from '../../infrastructure-aws/network/left-behind.ts';
import { types } from '../../infrastructure-aws/network/resources/index.ts';
import { controlPlaneCreating } from './conditions.ts';
import { isGivenNetwork } from './given-network.ts';
import type { AWSManagedControlPlane, AWSManagedControlPlaneStatus } from './schema.ts';

const { loadBalancerReady, ...parts } = networkConditions;
/** The conditions of the parts that it may have: there is no load balancer. */
export const networkParts: readonly string[] = Object.values(parts);
const { vpcReady, subnetsReady, internetGatewayReady, natGatewaysReady, routeTablesReady, securityGroupsReady } = parts;
const always = [vpcReady, subnetsReady, internetGatewayReady, natGatewaysReady, routeTablesReady, securityGroupsReady];

/** Whether the network was complete once, so that EKS may be asked. */
export const isNetworkMade = ({ status }: AWSManagedControlPlane): boolean => {
  const conditions = status?.conditions ?? [];
  // EKS makes the cluster, or has made it.
  if (conditionOf(conditions, controlPlaneCreating)) return true;
  const states = new Map(conditions.map((condition) => [condition.type, condition.status]));
  return (
    always.every((type) => states.get(type) === 'True') && !networkParts.some((type) => states.get(type) === 'False')
  );
};

/** Known when EKS has made the cluster; until then the engine must not wait for one. */
const laterEndpoint = { host: 'eks.amazonaws.com', port: 443 };

const viewOf = (controlPlane: AWSManagedControlPlane): AWSCluster => {
  const { spec = {}, status } = controlPlane;
  const { region, network, bastion, sshKeyName } = spec;
  const conditions = (status?.conditions ?? []).filter(({ type }) => networkParts.includes(type));
  const ready = isNetworkMade(controlPlane);
  const isWell = ready && conditions.length > 0 && conditions.every((one) => one.status === 'True');
  const given = isGivenNetwork(spec) ? { ...network, vpc: { ...network?.vpc, tags: {} } } : network;
  return {
    ...controlPlane,
    spec: {
      ...(region && { region }),
      ...(given && { network: given }),
      ...(bastion && { bastion }),
      ...(sshKeyName && { sshKeyName }),
      controlPlaneLoadBalancer: { loadBalancerType: 'disabled' },
      controlPlaneEndpoint: endpointOf(controlPlane) ?? laterEndpoint,
    },
    status: {
      ...(status?.networkStatus && { networkStatus: status.networkStatus }),
      ...(status?.bastion && { bastion: status.bastion }),
      ready,
      conditions: [...conditions, ...(isWell ? [legacyTrue('Ready')] : [])],
    },
  } as AWSCluster;
};

/** Programs in the cluster know it by its name in EKS. */
const ownerIn = (controlPlane: AWSManagedControlPlane, owner: Owner): Owner => {
  const name = controlPlane.spec?.eksClusterName;
  return name ? { ...owner, nameInCloud: name } : owner;
};

const isOfNetwork = ({ group = '' }: Failure): boolean =>
  isAboutTags(group) || typeOf(group, types) !== undefined || group.startsWith('delete/') || group.startsWith(claiming);

/** What fails of EKS is not the network's. */
const contextOf = (context: Context): Context =>
  context.lastFailure && !isOfNetwork(context.lastFailure) ? { ...context, lastFailure: undefined } : context;

interface Whose {
  controlPlane: AWSManagedControlPlane;
  owner: Owner;
  region: string;
}

const hour = 3_600_000;

/**
 * Whether nothing but time has passed since it was found complete. Tokens are written every ten minutes,
 * and once an hour, with one of them, it is described again; while EKS makes the cluster, there are none.
 */
const isQuiet = (controlPlane: AWSManagedControlPlane, { now, lastFailure, withheld }: Context, lastToken: number) => {
  const { metadata, status } = controlPlane;
  const creating = conditionOf(status?.conditions, controlPlaneCreating)?.lastTransitionTime ?? '';
  const lastPass = Number.isNaN(lastToken) ? Date.parse(creating) : lastToken;
  return (
    !lastFailure &&
    !withheld &&
    status?.observedGeneration === metadata.generation &&
    isTrue(viewOf(controlPlane).status?.conditions, 'Ready') &&
    Object.values(pendingOf(metadata.annotations)).every(({ tried }) => now - tried > shownWithin) &&
    Math.floor(now / hour) === Math.floor(lastPass / hour)
  );
};

/** `lastToken`: when it was written, in milliseconds since the epoch; NaN before the first. */
export const observeNetwork = (
  { controlPlane, owner, region }: Whose,
  { goes, lastToken }: { goes: boolean; lastToken: number },
  read: Reader,
  context: Context,
): ObservedNetwork => {
  if (!goes && isGivenNetwork(controlPlane.spec ?? {})) return nothingObserved;
  if (!goes && isQuiet(controlPlane, context, lastToken))
    return { ...nothingObserved, cloud: { state: 'awaited', keys: [] } };
  const of = { awsCluster: viewOf(controlPlane), owner: ownerIn(controlPlane, owner), region };
  return observeNetworkOf({ ...of, apiPorts: defaultApiPorts, goes, isFree: true }, read, contextOf(context));
};

type Status = AWSManagedControlPlaneStatus;

type NetworkStatus = NonNullable<AWSClusterStatus['networkStatus']>;

/** By role. */
export const groupsIn = (status: Status | undefined): NonNullable<NetworkStatus['securityGroups']> =>
  (status?.networkStatus as NetworkStatus | undefined)?.securityGroups ?? {};

/** The status of the control plane with that of its network. */
const withNetwork = ({ status }: AWSManagedControlPlane, network: AWSClusterStatus | undefined): Status | undefined => {
  if (!network) return status;
  const { cluster, node } = groupsIn(status);
  const others = (status?.conditions ?? []).filter(({ type }) => !networkParts.includes(type)) as LegacyDraft[];
  const conditions = (network.conditions ?? []).filter(({ type }) => networkParts.includes(type)) as LegacyDraft[];
  const { networkStatus, bastion } = network;
  return {
    ready: false,
    ...status,
    ...(networkStatus && {
      networkStatus: {
        ...networkStatus,
        // EKS made these two.
        securityGroups: { ...networkStatus.securityGroups, ...(cluster && { cluster }), ...(node && { node }) },
      },
    }),
    bastion,
    conditions: withLegacy(others, ...conditions) as Status['conditions'],
  };
};

export interface NetworkPlan extends Omit<Plan<AWSClusterStatus>, 'status'> {
  status?: Status | undefined;
  /** EKS may make the cluster in it. */
  isReady: boolean;
}

/** The plan for what is observed of it. */
export const planNetwork = (
  { controlPlane, owner, region }: Whose,
  { cloud }: ObservedNetwork,
  context: Context,
): NetworkPlan => {
  const awsCluster = viewOf(controlPlane);
  const { withheld } = context;
  const of = { awsCluster, region, apiPorts: defaultApiPorts, principal: itself, withheld, cloud };
  const { status, ...plan } = converge({ ...of, isHosted: true }, ownerIn(controlPlane, owner), contextOf(context));
  return { ...plan, status: withNetwork(controlPlane, status), isReady: (status ?? awsCluster.status)?.ready === true };
};

/** The plan for what is left of it in a deletion; undefined when nothing is. */
export const removeNetwork = (
  { controlPlane, owner, region }: Whose,
  { remains, blockingResources, leftBehind }: ObservedNetwork,
  context: Context,
): Omit<NetworkPlan, 'isReady'> & { isGone: boolean } => {
  const awsCluster = viewOf(controlPlane);
  const of = { awsCluster, region, blockingResources, leftBehind };
  const mapped = ({ status, finished, ...plan }: Plan<AWSClusterStatus>) => ({
    ...plan,
    status: withNetwork(controlPlane, status),
    isGone: finished === true,
  });
  switch (remains.state) {
    case 'unread':
      return { isGone: false };
    case 'nowhere':
      return { isGone: true };
    case 'unreadable':
      return mapped(unreadable(awsCluster, remains.reason, context));
    case 'known':
      return mapped(remove(of, ownerIn(controlPlane, owner), remains.remains, contextOf(context), { finished: true }));
    default:
      return remains satisfies never;
  }
};
