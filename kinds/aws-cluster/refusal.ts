import { type LegacyDraft, legacyFalse } from '../../machinery/api/conditions.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { found } from '../../machinery/api/reconcile.ts';
import { allowsNamespace } from '../aws-cluster-controller-identity/allowed.ts';
import { broughtInstance } from '../aws-machine/brought.ts';
import { loadBalancerReady, principalCredentialRetrieved, principalUsageAllowed, vpcReady } from './conditions.ts';
import { refusedType } from './desired-load-balancer.ts';
import type { Snapshot } from './observe.ts';
import { isBegun } from './owner.ts';
import { evidence, namedAfterAnnotation, type Owner, tagsInWords } from './tags.ts';

/** Seconds until somebody looks whether that is still so. */
export const lookAgain = 5 * 60;

/** Said of a cluster that has things in the account and comes without the proof that they are its own. */
const howToTakeOver = (owner: Owner | undefined): string =>
  `nothing is made or changed until what it has in the account carries the tags ${owner ? tagsInWords(evidence(owner)) : 'of this cluster'}, and the AWSCluster the annotation ${namedAfterAnnotation}`;

/**
 * Why nothing at all is done, and nothing paid: the identity, a load balancer of a kind that is not built here, or machines
 * that run already. Those would be moved into new security groups, out of reach of all others.
 */
export const refused = ({
  awsCluster,
  owner,
  identity,
  namespace,
  machines,
}: Pick<Snapshot, 'awsCluster' | 'owner' | 'identity' | 'namespace' | 'machines'>):
  | { conditions: LegacyDraft[]; requeueAfter?: number }
  | undefined => {
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
  if ([identity, namespace, machines].some(({ state }) => state === 'unread')) return { conditions: [] };
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
  if (isBegun(awsCluster) || owner?.namedAfter) return undefined;
  const brought = found(machines)?.find(broughtInstance);
  return brought && { conditions: [runsAlready(brought, owner)], requeueAfter: lookAgain };
};

const runsAlready = (awsMachine: KubeObject, owner: Owner | undefined): LegacyDraft =>
  legacyFalse(
    vpcReady,
    'VpcReconciliationFailed',
    'Error',
    `AWSMachine ${awsMachine.metadata.name} comes with instance ${broughtInstance(awsMachine)}, so this cluster was made elsewhere: ${howToTakeOver(owner)}`,
  );

/** Why nothing is made beside what a cluster came with. */
export const notOurs = ({ balancer, former }: { balancer?: string; former?: string }, owner: Owner | undefined) => [
  ...(balancer
    ? [
        legacyFalse(
          loadBalancerReady,
          'LoadBalancerFailed',
          'Error',
          `spec.controlPlaneEndpoint is load balancer ${balancer}, which was not made for this cluster: ${howToTakeOver(owner)}; with a load balancer that is yours to keep, set spec.controlPlaneLoadBalancer.loadBalancerType to disabled`,
        ),
      ]
    : []),
  ...(former
    ? [
        legacyFalse(
          vpcReady,
          'VpcReconciliationFailed',
          'Error',
          `${former} still carries the tags of the cluster that this one is taken over from: ${howToTakeOver(owner)}`,
        ),
      ]
    : []),
];
