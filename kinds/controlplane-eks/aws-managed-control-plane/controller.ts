import { defineController } from '../../../machinery/api/reconcile.ts';
import { clusterUidOf, ownerOf } from '../owner.ts';
import { type Observed, observe } from './observe.ts';
import { reconcile, release } from './reconcile.ts';
import type { AWSManagedControlPlane } from './schema.ts';

export const awsManagedControlPlaneController = defineController<AWSManagedControlPlane, Observed>({
  name: 'aws-managed-control-plane',
  for: 'AWSManagedControlPlane',
  worker: 'aws',
  watches: [
    { kind: 'Cluster', to: 'dependents', level: 'gate' },
    { kind: 'Secret', to: 'owner', level: 'note' },
  ],
  finalizer: 'awsmanagedcontrolplane.controlplane.cluster.x-k8s.io',
  clusterOf: (object) => ownerOf(object)?.name ?? object.metadata.labels?.['cluster.x-k8s.io/cluster-name'],
  clusterUidOf,
  conditions: 'v1beta1',
  observe,
  reconcile,
  release,
});
