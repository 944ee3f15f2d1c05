import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile } from './reconcile.ts';
import type { GitOpsTarget } from './schema.ts';

/** The GitOpsTarget controller: clusters appear in Argo CD or for Flux while they exist. */
export const gitOpsTargetController = defineController<GitOpsTarget, Observed>({
  name: 'gitops-target',
  for: 'GitOpsTarget',
  worker: 'workload',
  watches: [
    { kind: 'Cluster', to: 'namespace', level: 'gate' },
    { kind: 'Secret', to: 'referrers' },
  ],
  finalizer: 'capstan.dev/gitops-target',
  clusterOf: () => undefined,
  conditions: 'v1beta2',
  observe,
  reconcile,
});
