import type { GroupKind } from '../machinery/api/kind.ts';
import { awsCluster } from './infrastructure-aws/aws-cluster/kind.ts';

/** The kinds of infrastructures.ts, for controllers that need no more of a provider. */
export const infrastructureKinds: readonly GroupKind[] = [{ group: awsCluster.group, kind: awsCluster.kind }];
