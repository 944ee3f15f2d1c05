/** Objects that are made from the templates of a ClusterClass. Pure. */
import { groupOf } from '../../../machinery/api/kind.ts';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { annotations as known, labels as names } from '../../common/labels.ts';
import { ownerReference } from '../../common/owners.ts';
import type { Cluster } from '../cluster/schema.ts';
import { topologyLabels } from '../contract/topology.ts';
import type { Labelled } from './contract-paths.ts';

type TemplateSpec = { template?: { metadata?: Labelled; spec?: JsonObject } };
export const innerOf = ({ spec }: KubeObject): NonNullable<TemplateSpec['template']> =>
  ((spec ?? {}) as TemplateSpec).template ?? {};

/** The first of two wins. */
export const mergedLabels = (first: Labelled | undefined, second: Labelled | undefined): Required<Labelled> => ({
  labels: { ...second?.labels, ...first?.labels },
  annotations: { ...second?.annotations, ...first?.annotations },
});

const clonedFrom = (template: KubeObject): Record<string, string> => ({
  [known.clonedFromName]: template.metadata.name,
  [known.clonedFromGroupKind]: `${template.kind}.${groupOf(template.apiVersion)}`,
});

/** By its name in the topology. */
export type Worker = { deployment: string } | { pool: string };

const labelOf = (worker: Worker): Record<string, string> =>
  'pool' in worker ? { [topologyLabels.pool]: worker.pool } : { [topologyLabels.deployment]: worker.deployment };

/** The labels of all objects of a topology, or of those of one of its workers. */
export const topologyLabelsOf = (cluster: Cluster, worker?: Worker): Record<string, string> => ({
  [names.cluster]: cluster.metadata.name,
  [topologyLabels.owned]: '',
  ...(worker && labelOf(worker)),
});

const withoutApplied = (annotations: Record<string, string> = {}): Record<string, string> => {
  const { [known.lastApplied]: _, ...others } = annotations;
  return others;
};

/** Labels and annotations of an object that is made from the inner part of a template. */
export const metadataOfPart = (
  cluster: Cluster,
  template: KubeObject,
  own: Labelled = {},
  worker?: Worker,
): Required<Labelled> => {
  const inner = innerOf(template).metadata;
  return {
    labels: { ...inner?.labels, ...own.labels, ...topologyLabelsOf(cluster, worker) },
    annotations: { ...inner?.annotations, ...own.annotations, ...clonedFrom(template) },
  };
};

/** Labels and annotations of a copy of a template. */
export const metadataOfCopy = (cluster: Cluster, template: KubeObject, worker?: Worker): Required<Labelled> => ({
  labels: { ...template.metadata.labels, ...topologyLabelsOf(cluster, worker) },
  annotations: { ...withoutApplied(template.metadata.annotations), ...clonedFrom(template) },
});

const keptLabels = [names.cluster, topologyLabels.owned, topologyLabels.deployment, topologyLabels.pool];
const keptAnnotations = [known.clonedFromName, known.clonedFromGroupKind];
const picked = (from: Record<string, string>, keys: readonly string[]): Record<string, string> =>
  Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));

/** What patches made of labels and annotations, but for those that identify the object. */
export const patchedMetadata = (patched: Labelled | undefined, before: Required<Labelled>): Required<Labelled> => ({
  labels: { ...patched?.labels, ...picked(before.labels, keptLabels) },
  annotations: { ...patched?.annotations, ...picked(before.annotations, keptAnnotations) },
});

/** The template as its patches see it: as if it had the labels and annotations of what is made from it. */
export const templateOfPart = (template: KubeObject, { labels, annotations }: Required<Labelled>): KubeObject => ({
  ...template,
  spec: { ...(template.spec as JsonObject), template: { ...innerOf(template), metadata: { labels, annotations } } },
});
export const templateOfCopy = (template: KubeObject, { labels, annotations }: Required<Labelled>): KubeObject => ({
  ...template,
  metadata: { ...template.metadata, labels, annotations },
});

const shown = ({ labels, annotations }: Required<Labelled>): Labelled => ({
  ...(Object.keys(labels).length > 0 && { labels }),
  ...(Object.keys(annotations).length > 0 && { annotations }),
});

/** An object of the kind that the template is for. */
export const partOf = (
  cluster: Cluster,
  patched: KubeObject,
  name: string,
  metadata: Required<Labelled>,
  spec: JsonObject,
): KubeObject => ({
  apiVersion: patched.apiVersion,
  kind: patched.kind.replace(/Template$/, ''),
  metadata: { namespace: cluster.metadata.namespace ?? '', name, ...shown(metadata) },
  spec,
});

/** A copy of the template for the Cluster, which owns it. */
export const copyOf = (
  cluster: Cluster,
  patched: KubeObject,
  name: string,
  metadata: Required<Labelled>,
): KubeObject => ({
  apiVersion: patched.apiVersion,
  kind: patched.kind,
  metadata: {
    namespace: cluster.metadata.namespace ?? '',
    name,
    ...shown(metadata),
    ownerReferences: [ownerReference(cluster)],
  },
  spec: patched.spec as JsonObject,
});
