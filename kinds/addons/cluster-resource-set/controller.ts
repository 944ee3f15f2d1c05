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
  finalizer: 'addons.cluster.x-k8s.io',
  conditions: 'v1beta2',
  observe,
  reconcile,
});
