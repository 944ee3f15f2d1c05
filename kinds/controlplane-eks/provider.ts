import type { InfrastructureProvider } from '../core/contract/infrastructure.ts';
import { leftovers } from '../infrastructure-aws/provider.ts';
import { awsManagedCluster } from './aws-managed-cluster/kind.ts';

export const eksInfrastructure: InfrastructureProvider = {
  group: awsManagedCluster.group,
  kind: awsManagedCluster.kind,
  followsTargets: true,
  leftovers,
};
