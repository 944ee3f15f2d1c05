import type { InfrastructureProvider } from '../core/contract/infrastructure.ts';
import { observeLeftovers } from '../infrastructure-aws/leftovers.ts';
import { awsManagedCluster } from './aws-managed-cluster/kind.ts';

export const eksInfrastructure: InfrastructureProvider = {
  group: awsManagedCluster.group,
  kind: awsManagedCluster.kind,
  followsTargets: true,
  leftovers: observeLeftovers,
};
