import { type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import { found } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { evidence, namedAfterAnnotation, type Owner, tagsText } from '../engine/tags.ts';
import { allowsNamespace } from '../identity/allowed.ts';
import { loadBalancerReady, vpcReady } from '../network/conditions.ts';
import { refusedType } from '../network/desired-load-balancer.ts';
import { principalCredentialRetrieved, principalUsageAllowed } from './conditions.ts';
import { ipv6BlockFaults, ipv6Faults } from './ipv6.ts';
import type { Observed } from './observe.ts';
import { isBegun } from './owner.ts';
import type { Foreign } from './pre-existing.ts';
import type { AWSClusterSpec } from './schema.ts';

/**
 * Seconds until the controller checks again whether existing resources carry the cluster's tags: no
 * event reports tag changes.
 */
export const recheckAfter = 5 * 60;

/** Seconds until the controller checks again whether it may use its identity: no event reports a trust policy. */
const recheckIdentityAfter = 60;

/**
 * Why the controller creates nothing: the identity, or a type of load balancer that Capstan does
 * not build.
 */
export const refused = ({
  awsCluster,
  cluster,
  identity,
  namespace,
  principal,
  caller,
}: Pick<Observed, 'awsCluster' | 'cluster' | 'identity' | 'namespace' | 'principal' | 'caller'>):
  | { conditions: LegacyDraft[]; requeueAfter?: number }
  | undefined => {
  const spec = awsCluster.spec ?? {};
  const type = refusedType(spec);
  if (type) return { conditions: [legacyFalse(loadBalancerReady, 'LoadBalancerFailed', 'Error', type)] };
  // A cluster that already came up with IPv4 only is kept.
  const ipv6 = isBegun(awsCluster) ? [] : ipv6Asked(spec, found(cluster));
  if (ipv6.length > 0)
    return {
      conditions: [legacyFalse(vpcReady, 'VpcReconciliationFailed', 'Error', ipv6.join('; '))],
    };
  if (principal.state === 'unread' || caller?.state === 'unread') return { conditions: [] };
  if (principal.state === 'refused') return { conditions: [principal.condition], requeueAfter: recheckIdentityAfter };
  if (caller?.state === 'unreadable')
    return {
      conditions: [
        legacyFalse(principalCredentialRetrieved, 'PrincipalCredentialRetrievalFailed', 'Error', caller.reason),
      ],
      requeueAfter: recheckIdentityAfter,
    };
  if (principal.roles.length > 0) return undefined;
  if (identity.state === 'unread' || namespace.state === 'unread') return { conditions: [] };
  const own = found(identity);
  const home = found(namespace);
  if (!own)
    return {
      conditions: [
        legacyFalse(
          principalCredentialRetrieved,
          'PrincipalCredentialRetrievalFailed',
          'Error',
          `AWSClusterControllerIdentity ${spec.identityRef?.name ?? 'default'} does not exist`,
        ),
      ],
      requeueAfter: 15,
    };
  if (!home || !allowsNamespace(own, home))
    return {
      conditions: [
        legacyFalse(
          principalUsageAllowed,
          'PrincipalUsageUnauthorized',
          'Error',
          `Namespace ${awsCluster.metadata.namespace} may not use AWSClusterControllerIdentity ${own.metadata.name}: see its spec.allowedNamespaces`,
        ),
      ],
      requeueAfter: 15,
    };
  return undefined;
};

const ipv6Asked = (spec: AWSClusterSpec, cluster: Cluster | undefined): string[] => [
  ...ipv6Faults(spec).map(({ path, reason }) => `${path}: ${reason}`),
  ...(cluster ? ipv6BlockFaults(cluster, spec) : []).map(
    ({ path, reason }) => `Cluster ${cluster?.metadata.name} ${path}: ${reason}`,
  ),
];

/** Why the controller creates nothing next to existing resources. */
export const notOurs = ({ balancer, instance, former }: Foreign, owner: Owner | undefined): LegacyDraft[] => {
  const carrying = owner ? `the tags ${tagsText(evidence(owner))}` : 'its tags';
  const until = `nothing is made or changed until what it has in the account carries ${carrying}, and its AWSCluster the annotation ${namedAfterAnnotation} if it has load balancers`;
  const network = (message: string) => legacyFalse(vpcReady, 'VpcReconciliationFailed', 'Error', message);
  const reasons = [
    balancer &&
      legacyFalse(
        loadBalancerReady,
        'LoadBalancerFailed',
        'Error',
        `spec.controlPlaneEndpoint is load balancer ${balancer}, which was not made for this cluster: ${until}; with a load balancer that is yours to keep, set spec.controlPlaneLoadBalancer.loadBalancerType to disabled`,
      ),
    instance
      ? network(
          `AWSMachine ${instance.machine} comes with instance ${instance.id}, so this cluster was made elsewhere: ${until}`,
        )
      : former && network(`${former} still carries the tags of the cluster that this one is taken over from: ${until}`),
  ];
  return reasons.flatMap((reason) => reason || []);
};
