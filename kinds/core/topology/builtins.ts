/** The variable `builtin` of templates and patches. Pure. */
import type { JsonObject, JsonValue } from '../../../machinery/api/object.ts';
import { conversionData } from '../../common/conversion.ts';
import { annotations as known } from '../../common/labels.ts';
import type { Cluster } from '../cluster/schema.ts';
import { classKeyOf } from '../shared/class-reference.ts';

const given = (fields: Record<string, JsonValue | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined && entry[1] !== ''),
  );

interface Labelled {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}
/** Absent without labels and annotations; empty ones are left out. */
const metadataOf = ({ labels, annotations }: Labelled): JsonObject | undefined => {
  if (!labels && !annotations) return undefined;
  const others = Object.fromEntries(
    Object.entries(annotations ?? {}).filter(
      ([key]) =>
        key !== known.lastApplied &&
        key !== conversionData &&
        !key.startsWith('capstan.dev/') &&
        !key.startsWith('runtime.cluster.x-k8s.io/'),
    ),
  );
  return given({
    labels: labels && Object.keys(labels).length > 0 ? labels : undefined,
    annotations: Object.keys(others).length > 0 ? others : undefined,
  });
};

export const clusterBuiltins = (cluster: Cluster): JsonObject => {
  const { metadata, spec } = cluster;
  const { clusterNetwork, topology } = spec ?? {};
  const key = classKeyOf(cluster);
  const network = given({
    serviceDomain: clusterNetwork?.serviceDomain,
    services: clusterNetwork?.services?.cidrBlocks,
    pods: clusterNetwork?.pods?.cidrBlocks,
  });
  return {
    cluster: given({
      name: metadata.name,
      namespace: metadata.namespace,
      uid: metadata.uid,
      metadata: metadataOf(metadata),
      topology: {
        ...given({ version: topology?.version, class: key?.name, classNamespace: key?.namespace }),
        classRef: { name: key?.name ?? '', namespace: key?.namespace ?? '' },
      },
      network: Object.keys(network).length > 0 ? network : undefined,
    }),
  };
};

export interface ControlPlaneFacts {
  name: string;
  version: string;
  replicas: number | undefined;
  metadata: Labelled;
  machineTemplate: string | undefined;
}
export const controlPlaneBuiltins = (facts: ControlPlaneFacts): JsonObject => ({
  controlPlane: given({
    version: facts.version,
    metadata: metadataOf(facts.metadata),
    name: facts.name,
    replicas: facts.replicas,
    machineTemplate:
      facts.machineTemplate === undefined ? undefined : { infrastructureRef: { name: facts.machineTemplate } },
  }),
});

/** A MachineDeployment or MachinePool. */
export interface WorkerFacts {
  name: string;
  topologyName: string;
  className: string;
  version: string;
  replicas: number | undefined;
  metadata: Labelled;
  bootstrap: string;
  infrastructure: string;
}
export const workerBuiltins = (field: 'machineDeployment' | 'machinePool', facts: WorkerFacts): JsonObject => ({
  [field]: given({
    version: facts.version,
    metadata: metadataOf(facts.metadata),
    class: facts.className,
    name: facts.name,
    topologyName: facts.topologyName,
    replicas: facts.replicas,
    bootstrap: { configRef: { name: facts.bootstrap } },
    infrastructureRef: { name: facts.infrastructure },
  }),
});

export type Variables = Record<string, JsonValue>;
/** The variables of one template: its own values win, and its builtins join those of the cluster. */
export const variablesOf = (
  values: readonly { name: string; value: JsonValue }[],
  overrides: readonly { name: string; value: JsonValue }[],
  ...builtins: JsonObject[]
): Variables => ({
  ...Object.fromEntries([...values, ...overrides].map(({ name, value }) => [name, value])),
  builtin: Object.assign({}, ...builtins) as JsonObject,
});
