import type { KubeObject } from '../../../machinery/api/object.ts';
import { anyObject } from '../../../machinery/api/schema.ts';
import { defineKind } from '../../define.ts';
import type { WorkloadSnapshot as Snapshot } from '../../ports/workload.ts';
import { workloadSnapshot as facts } from './kind.ts';

/**
 * What the prober last saw of a workload cluster. It has the Cluster's name and label and is owned
 * by it.
 */
export type WorkloadSnapshotObject = KubeObject<Snapshot>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    WorkloadSnapshot: WorkloadSnapshotObject;
  }
}

/** Internal: stored and watched like any other kind, but not served by the API. */
export const workloadSnapshot = defineKind({
  ...facts,
  shortNames: [],
  versions: [
    {
      name: 'v1alpha1',
      served: false,
      storage: true,
      description: 'The state of a workload cluster as last probed.',
      spec: anyObject('Nodes, control-plane pods and etcd members.'),
      columns: [],
    },
  ],
});
