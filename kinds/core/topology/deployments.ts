/** MachineDeployments of a topology. Pure. */
import { groupOf } from '../../../machinery/api/kind.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { ownerReference } from '../../common/owners.ts';
import { coreGroup } from '../../common/versions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { topologyAnnotations } from '../contract/topology.ts';
import type { DeploymentClass } from './blueprint.ts';
import type { Labelled } from './contract-paths.ts';
import { mergedLabels, topologyLabelsOf, type Worker } from './templates.ts';
import type { Topology } from './variables.ts';

export type DeploymentTopology = NonNullable<NonNullable<Topology['workers']>['machineDeployments']>[number];

export const given = (fields: Record<string, unknown>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
export const unlessEmpty = (fields: JsonObject): JsonObject | undefined =>
  Object.keys(fields).length > 0 ? fields : undefined;

/** Annotations for the topology controller alone. */
const own: readonly string[] = [topologyAnnotations.deferUpgrade, topologyAnnotations.holdUpgradeSequence];

/** Labels and annotations of a MachineDeployment or MachinePool, and of its template. */
export const workerMetadata = (
  cluster: Cluster,
  worker: Worker,
  one: { metadata?: Labelled },
  of: { metadata?: Labelled },
): Required<Labelled> => {
  const { labels, annotations } = mergedLabels(one.metadata, of.metadata);
  return {
    labels: { ...labels, ...topologyLabelsOf(cluster, worker) },
    annotations: Object.fromEntries(Object.entries(annotations).filter(([name]) => !own.includes(name))),
  };
};

export const deploymentMetadata = (cluster: Cluster, one: DeploymentTopology, of: DeploymentClass) =>
  workerMetadata(cluster, { deployment: one.name }, one, of);

export const referenceTo = ({ apiVersion, kind, metadata }: KubeObject): JsonObject => ({
  apiGroup: groupOf(apiVersion),
  kind,
  name: metadata.name,
});

export interface DeploymentParts {
  name: string;
  version: string;
  bootstrap: KubeObject;
  infrastructure: KubeObject;
}

/** Values of the topology win over those of the class; a rollout is taken whole. */
export const desiredDeployment = (
  cluster: Cluster,
  one: DeploymentTopology,
  of: DeploymentClass,
  { name, version, bootstrap, infrastructure }: DeploymentParts,
): KubeObject => {
  const { labels, annotations } = deploymentMetadata(cluster, one, of);
  const metadata = given({ labels, annotations: unlessEmpty(annotations) });
  const { order, ...timeouts } = { ...of.deletion, ...one.deletion };
  const maxInFlight = one.healthCheck?.remediation?.maxInFlight ?? of.healthCheck?.remediation?.maxInFlight;
  const machine = given({
    clusterName: cluster.metadata.name,
    version,
    bootstrap: { configRef: referenceTo(bootstrap) },
    infrastructureRef: referenceTo(infrastructure),
    failureDomain: one.failureDomain ?? of.failureDomain,
    deletion: unlessEmpty(given(timeouts)),
    readinessGates: one.readinessGates ?? of.readinessGates,
    taints: one.taints ?? of.taints,
    minReadySeconds: one.minReadySeconds ?? of.minReadySeconds,
  });
  const selector = topologyLabelsOf(cluster, { deployment: one.name });
  return {
    apiVersion: `${coreGroup}/v1beta2`,
    kind: 'MachineDeployment',
    metadata: {
      namespace: cluster.metadata.namespace ?? '',
      name,
      labels,
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [ownerReference(cluster)],
    },
    spec: given({
      clusterName: cluster.metadata.name,
      replicas: one.replicas,
      rollout: (one.rollout ?? of.rollout) as JsonValue | undefined,
      deletion: order === undefined ? undefined : { order },
      remediation: maxInFlight === undefined ? undefined : { maxInFlight },
      selector: { matchLabels: selector },
      template: { metadata, spec: machine },
    }),
  };
};
