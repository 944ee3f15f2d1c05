import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { Addon } from './schema.ts';

/** The Addon controller: installs the manifests of an add-on in its cluster, and removes what they no longer have. */
export const addonController = defineController<Addon, Observed>({
  name: 'addon',
  for: 'Addon',
  worker: 'workload',
  watches: [
    // It reports the version that charts are rendered for.
    { kind: 'Cluster', to: 'members', level: 'count' },
    { kind: 'WorkloadSnapshot', to: 'members', level: 'gate' },
    { kind: 'ConfigMap', to: 'referrers' },
    { kind: 'Secret', to: 'referrers' },
    { kind: 'ClusterResourceSet', to: 'namespace' },
  ],
  finalizer: 'capstan.dev/addon',
  clusterOf: ({ spec }) => spec?.clusterName,
  conditions: 'v1beta2',
  observe,
  reconcile,
  release: reconcile,
});
