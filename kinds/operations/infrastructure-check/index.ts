import type { KubeObject } from '../../../machinery/api/object.ts';
import { anyObject } from '../../../machinery/api/schema.ts';
import type { Preflight } from '../../core/contract/infrastructure.ts';
import { defineKind } from '../../define.ts';
import { infrastructureCheck as facts } from './kind.ts';

/**
 * What the infrastructure provider said about the Machines of an upgrade that a user asked about. It has
 * the Cluster's name and is owned by it.
 */
export type InfrastructureCheck = KubeObject<{
  clusterName: string;
  /** The request of the UpgradeCheck that it answers. */
  request: string;
  /** Null if no served provider has the infrastructure's kind. */
  preflight: Preflight | null;
}>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    InfrastructureCheck: InfrastructureCheck;
  }
}

/** Internal: stored and watched like any other kind, but not served by the API. */
export const infrastructureCheck = defineKind({
  ...facts,
  shortNames: [],
  versions: [
    {
      name: 'v1alpha1',
      served: false,
      storage: true,
      description: 'What the infrastructure said about the Machines of an upgrade.',
      spec: anyObject('The request, and the findings.'),
      columns: [],
    },
  ],
});
