import { defineController } from '../../../machinery/api/reconcile.ts';
import { planAs } from '../../ports/index.ts';
import { type Observed, observe } from './observe.ts';
import { clusterUidOf } from './owner.ts';
import { reconcile, release } from './reconcile.ts';
import type { AWSCluster } from './schema.ts';

const rolesOf = ({ principal }: Observed) => (principal.state === 'known' ? principal.roles : []);

export const awsClusterController = defineController<AWSCluster, Observed>({
  name: 'aws-cluster',
  for: 'AWSCluster',
  worker: 'aws',
  swept: true,
  watches: [
    { kind: 'Cluster', to: 'dependents', level: 'gate' },
    { kind: 'AWSClusterControllerIdentity', to: 'namespace' },
    { kind: 'AWSClusterRoleIdentity', to: 'all' },
  ],
  finalizer: 'awscluster.infrastructure.cluster.x-k8s.io',
  clusterOf: ({ metadata }) =>
    metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name ??
    metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  clusterUidOf,
  conditions: 'v1beta1',
  observe,
  reconcile: (observed, context) => planAs(reconcile(observed, context), rolesOf(observed)),
  release: (observed, context) => planAs(release(observed, context), rolesOf(observed)),
});
