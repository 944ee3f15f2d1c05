import type { GroupKind } from '../machinery/api/kind.ts';
import { awsManagedCluster } from './controlplane-eks/aws-managed-cluster/kind.ts';
import { awsCluster } from './infrastructure-aws/aws-cluster/kind.ts';

/** The kinds of infrastructures.ts, for controllers that need no more of a provider. */
export const infrastructureKinds: readonly GroupKind[] = [awsCluster, awsManagedCluster].map(({ group, kind }) => ({
  group,
  kind,
}));
