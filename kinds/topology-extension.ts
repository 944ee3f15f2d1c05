/** Admission of Clusters and ClusterClasses by each other. The first such request loads it. */
import { gzipSync } from 'node:zlib';
import type { Admission, FieldError } from '../machinery/api/kind.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { JsonSchema } from '../machinery/api/schema.ts';
import { planAnnotation } from './core/contract/topology.ts';
import type { TopologyStore } from './core/topology/admission.ts';
import type { Fit } from './core/topology/variables.ts';

/** What is loaded with the first request that needs it. */
export interface Schemas {
  schemaFit: Fit;
  variableSchemaErrors: (schema: JsonSchema, field: string) => FieldError[];
}
/** The changes that a topology makes: as warnings of dry runs, and whole for `capstan plan`. */
export type Foretell = (cluster: KubeObject) => Promise<{ lines: string[]; plan: string }>;

const load = async (schemas: () => Promise<Schemas>) => {
  const [admission, { isReconciled }, { schemaFit: fit, variableSchemaErrors: schemaFaults }] = await Promise.all([
    import('./core/topology/admission.ts'),
    import('./core/topology/observe.ts'),
    schemas(),
  ]);
  return { ...admission, isReconciled, fit, schemaFaults };
};
let loaded: Awaited<ReturnType<typeof load>> | undefined;
/** Loads it ahead of its first use. */
export const loadTopology = async (schemas: () => Promise<Schemas>) => {
  loaded ??= await load(schemas);
  return loaded;
};

const hasTopology = ({ spec }: KubeObject): boolean =>
  (spec as { topology?: unknown } | undefined)?.topology !== undefined;

/** A Cluster that is not stored has no uid yet. */
const asStored = (object: KubeObject, { old }: Admission): KubeObject =>
  old ? object : { ...object, metadata: { ...object.metadata, uid: object.metadata.uid ?? '' } };

const packed = (plan: string): string => gzipSync(plan).toString('base64');

/** Extensions of the registry by resource. */
export const topologyExtension = (store: TopologyStore, schemas: () => Promise<Schemas>, foretell: Foretell) => {
  const modules = async () => loaded ?? loadTopology(schemas);
  return {
    'clusters.cluster.x-k8s.io': {
      admit: async (object: KubeObject, admission: Admission): Promise<KubeObject> => {
        if (!hasTopology(object)) return object;
        const { admitCluster, fit, schemaFaults } = await modules();
        const admitted = await admitCluster({ store, fit, schemaFaults }, object, admission);
        const { annotations } = admitted.metadata;
        if (!admission.dryRun || annotations?.[planAnnotation] === undefined) return admitted;
        const { plan } = await foretell(asStored(admitted, admission));
        const metadata = { ...admitted.metadata, annotations: { ...annotations, [planAnnotation]: packed(plan) } };
        return { ...admitted, metadata };
      },
      warn: async (object: KubeObject, admission: Admission): Promise<string[]> => {
        if (!hasTopology(object)) return [];
        const { warnOfClass, isReconciled } = await modules();
        return [
          ...(await warnOfClass({ store }, object, isReconciled)),
          ...(admission.dryRun ? (await foretell(asStored(object, admission))).lines : []),
        ];
      },
    },
    'clusterclasses.cluster.x-k8s.io': {
      admit: async (object: KubeObject, admission: Admission): Promise<KubeObject> => {
        const { admitClass, fit, schemaFaults } = await modules();
        return admitClass({ store, fit, schemaFaults }, object, admission);
      },
      admitDelete: async (_call: unknown, object: KubeObject): Promise<void> => {
        const { admitClassDeletion } = await modules();
        await admitClassDeletion({ store }, object);
      },
    },
  };
};
