import type { KubeObject } from '../../../machinery/api/object.ts';
import { defineController } from '../../../machinery/api/reconcile.ts';
import { type Observed, observe, reconcile } from './prober.ts';

/**
 * The prober: probes each workload cluster periodically and stores a snapshot, so that no
 * reconciler has to poll it.
 */
export const workloadProber = defineController<KubeObject, Observed>({
  name: 'workload-prober',
  for: 'Cluster',
  worker: 'workload',
  // The prober polls by itself, and more often while the status shows a change under way.
  level: 'gate',
  watches: [
    // The kubeconfig goes away with the control plane.
    { role: 'ControlPlane', to: 'cluster' },
    { kind: 'Machine', to: 'cluster' },
    // For a Cluster without a control plane object, the prober creates the kubeconfig and owns the
    // authorities.
    { kind: 'Secret', to: 'cluster' },
  ],
  conditions: 'none',
  observe,
  reconcile,
});
