import { defineController } from '../../../machinery/api/reconcile.ts';
import { observe, type Snapshot } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { AWSCluster } from './schema.ts';

export const awsClusterFinalizer = 'awscluster.infrastructure.cluster.x-k8s.io';

export const awsClusterController = defineController<AWSCluster, Snapshot>({
  name: 'aws-cluster',
  for: 'AWSCluster',
  finalizer: awsClusterFinalizer,
  clusterOf: ({ metadata }) =>
    metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name ??
    metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  conditions: 'v1beta1',
  observe,
  reconcile,
});
