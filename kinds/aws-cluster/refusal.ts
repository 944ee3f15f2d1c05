import { type LegacyDraft, legacyFalse } from '../../machinery/api/conditions.ts';
import { found } from '../../machinery/api/reconcile.ts';
import { allowsNamespace } from '../aws-cluster-controller-identity/allowed.ts';
import { loadBalancerReady, principalCredentialRetrieved, principalUsageAllowed } from './conditions.ts';
import { refusedType } from './desired-load-balancer.ts';
import type { Snapshot } from './observe.ts';

/** Why nothing at all is done, and nothing paid: the identity, or a load balancer of a kind that is not built here. */
export const refused = ({
  awsCluster,
  identity,
  namespace,
}: Snapshot): { conditions: LegacyDraft[]; requeueAfter?: number } | undefined => {
  const spec = awsCluster.spec ?? {};
  const type = refusedType(spec);
  if (type) return { conditions: [legacyFalse(loadBalancerReady, 'LoadBalancerFailed', 'Error', type)] };
  const kind = spec.identityRef?.kind ?? 'AWSClusterControllerIdentity';
  if (kind !== 'AWSClusterControllerIdentity')
    return {
      conditions: [
        legacyFalse(
          principalUsageAllowed,
          'PrincipalUsageUnauthorized',
          'Error',
          `${kind} is not supported: use the AWSClusterControllerIdentity in spec.identityRef`,
        ),
      ],
    };
  if (identity.state === 'unread' || namespace.state === 'unread') return { conditions: [] };
  const principal = found(identity);
  const home = found(namespace);
  if (!principal)
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
  if (!home || !allowsNamespace(principal, home))
    return {
      conditions: [
        legacyFalse(
          principalUsageAllowed,
          'PrincipalUsageUnauthorized',
          'Error',
          `Namespace ${awsCluster.metadata.namespace} may not use AWSClusterControllerIdentity ${principal.metadata.name}: see its spec.allowedNamespaces`,
        ),
      ],
      requeueAfter: 15,
    };
  return undefined;
};
