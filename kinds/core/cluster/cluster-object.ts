import type { Condition, KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';

export interface Reference {
  apiGroup: string;
  kind: string;
  name: string;
}

/** The fields of a Cluster that the Cluster controller reads. */
export type ClusterObject = KubeObject<
  {
    paused?: boolean;
    controlPlaneEndpoint?: { host?: string; port?: number };
    controlPlaneRef?: Reference;
    infrastructureRef?: Reference;
    topology?: unknown;
    availabilityGates?: { conditionType: string; polarity?: 'Positive' | 'Negative' }[];
  },
  {
    phase?: string;
    conditions?: Condition[];
    deprecated?: { v1beta1?: { conditions?: LegacyCondition[] } };
    initialization?: { infrastructureProvisioned?: boolean; controlPlaneInitialized?: boolean };
  }
>;
