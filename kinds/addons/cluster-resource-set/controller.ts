/**
 * The ClusterResourceSet controller: applies the manifests in ConfigMaps and Secrets to the
 * workload clusters that a label selector matches.
 */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { directed, soon } from '../../common/watches.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { ClusterResourceSet } from './schema.ts';

export const clusterResourceSetController = defineController<ClusterResourceSet, Observed>({
  name: 'cluster-resource-set',
  for: 'ClusterResourceSet',
  worker: 'workload',
  watches: [
    // Reads all Clusters that it selects; only what it acts on counts.
    { kind: 'Cluster', to: 'namespace', on: directed, after: soon },
    { kind: 'WorkloadSnapshot', to: 'namespace', on: ['created', 'direction'] },
    { kind: 'ConfigMap', to: 'owner' },
    { kind: 'ConfigMap', to: 'referrers', on: ['created'] },
    { kind: 'Secret', to: 'owner' },
    { kind: 'Secret', to: 'referrers', on: ['created'] },
    // The binding records what was applied; a client that removes an entry wants it applied
    // again.
    { kind: 'ClusterResourceSetBinding', to: 'owner', by: 'clients' },
    // A restore may bring back a binding without its owner references.
    { kind: 'ClusterResourceSetBinding', to: 'namespace', on: ['created'], by: 'clients', after: soon },
  ],
  finalizer: 'addons.cluster.x-k8s.io',
  conditions: 'v1beta2',
  observe,
  reconcile,
});
