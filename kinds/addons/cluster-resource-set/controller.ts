/**
 * The ClusterResourceSet controller: applies the manifests in ConfigMaps and Secrets to the
 * workload clusters that a label selector matches.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterResourceSet } from './schema.ts';

export const clusterResourceSetController = defineController<ClusterResourceSet, Observed>({
  name: 'cluster-resource-set',
  for: 'ClusterResourceSet',
  worker: 'workload',
  watches: [
    { kind: 'Cluster', to: 'namespace' },
    { kind: 'WorkloadSnapshot', to: 'namespace' },
    { kind: 'ConfigMap', to: 'owner', level: 'note' },
    { kind: 'ConfigMap', to: 'referrers' },
    { kind: 'Secret', to: 'owner', level: 'note' },
    { kind: 'Secret', to: 'referrers' },
    // The binding records what was applied; a client that removes an entry wants it applied
    // again.
    { kind: 'ClusterResourceSetBinding', to: 'owner' },
    // A restore may bring back a binding without its owner references.
    { kind: 'ClusterResourceSetBinding', to: 'namespace' },
  ],
  finalizer: 'addons.cluster.x-k8s.io',
  conditions: 'v1beta2',
  observe,
  reconcile,
});
